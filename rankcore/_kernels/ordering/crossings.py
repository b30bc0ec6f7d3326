"""Exact computation of a measure of whole lists along a line of models.

Here every pair with a relevant document matters (see `line_search` for measures of the
first few positions). For one query at a time, the times at which a relevant document's
score crosses another's are sorted, and its position and the number of relevant
documents above are updated at each. To limit memory, the line is cut into windows with
a limited number of crossings; positions carry over from one to the next.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.line_search import counting_weight
from rankcore._kernels.ordering.step_functions import (
    begin_search,
    end_search,
    joined,
    search_on,
    squeezed,
    time_order,
    with_room,
)

_BINS = 4096


@kernel
def _leads(v_a, s_a, a, v_b, s_b, b):
    """Whether a ranks above b at the left end of the line (t → -∞)."""
    if v_a != v_b:
        return v_a < v_b
    return s_a > s_b if s_a != s_b else a < b


@kernel
def _crossing(s, v, gains, i, k):
    """Time at which the score of relevant document i crosses that of k; NaN if it never
    does, or if k is also relevant and comes first, so that the pair counts there."""
    if gains[k] > 0.0 and k <= i:
        return math.nan
    return (s[k] - s[i]) / (v[i] - v[k]) if v[i] != v[k] else math.nan


@kernel
def _place(s, v, gains, lo, hi, position, above, discounts, form):
    """Set the positions of relevant documents at the left end; return the value."""
    value = 0.0
    for i in range(lo, hi):
        if gains[i] <= 0.0:
            continue
        position[i] = above[i] = 0
        for k in range(lo, hi):
            ahead = _leads(v[k], s[k], k, v[i], s[i], i)
            position[i] += ahead
            above[i] += ahead & (gains[k] > 0.0)
        value += gains[i] * counting_weight(form, above[i]) * discounts[position[i]]
    return value


@kernel
def _collect(s, v, gains, lo, hi, begin, end, pairs, times):
    """Write the crossings of a query from ``begin`` to before ``end``; return their
    number."""
    count = 0
    for i in range(lo, hi):
        if gains[i] <= 0.0:
            continue
        for k in range(lo, hi):
            time = _crossing(s, v, gains, i, k)
            if abs(time) < math.inf and time >= begin and time < end:
                pairs[count, 0], pairs[count, 1] = i, k
                times[count] = time
                count += 1
    return count


@kernel
def _move(i, up, past_relevant, gains, position, above, discounts, form):
    """Swap a relevant document with one that crosses it; return the change."""
    step = -1 if up else 1
    before = counting_weight(form, above[i]) * discounts[position[i]]
    position[i] += step
    if past_relevant:
        above[i] += step
    after = counting_weight(form, above[i]) * discounts[position[i]]
    return gains[i] * (after - before)


@kernel
def _count(s, v, gains, offsets, queries, unit, bins):
    """Count the crossings by time."""
    bins[:] = 0
    largest = 0
    for q in queries:
        count = 0
        lo, hi = offsets[q], offsets[q + 1]
        for i in range(lo, hi):
            if gains[i] <= 0.0:
                continue
            for k in range(lo, hi):
                time = _crossing(s, v, gains, i, k)
                if abs(time) < math.inf:
                    bins[min(int(_BINS * squeezed(time, unit)), _BINS - 1)] += 1
                    count += 1
        largest = max(largest, count)
    return largest


@kernel
def _bin_start(b, unit):
    """Return the time at which a bin begins."""
    if b == 0:
        return -math.inf
    u = 2.0 * b / _BINS - 1.0
    return unit * u / (1.0 - abs(u)) if b < _BINS else math.inf


@kernel
def _window(
    s, v, gains, offsets, queries, begin, end, position, above, discounts, form,
    pairs, crossed, times, changes,
):  # fmt: skip
    """Sweep all queries through one window, and record the changes."""
    count = 0
    for q in queries:
        m = _collect(
            s, v, gains, offsets[q], offsets[q + 1], begin, end, pairs, crossed
        )
        times, changes = with_room(times, changes, count, m)
        for e in time_order(crossed[:m]):
            i, k = pairs[e]
            both = gains[k] > 0.0
            up = v[i] > v[k]
            change = _move(i, up, both, gains, position, above, discounts, form)
            if both:
                change += _move(
                    k, not up, both, gains, position, above, discounts, form
                )
            if change != 0.0:
                times[count], changes[count] = crossed[e], change
                count += 1
    return count, times, changes


@kernel
def follow_crossings(
    s, v, gains, offsets, queries, discounts, form, unit, capacity, keep, carry
):
    """Search the whole line for the best interval of the sum over queries.

    Parameters
    ----------
    s, v, gains, offsets, queries, discounts, form
        As `line_search.note_changes`.
    unit : float
        A typical time.
    capacity : int
        Approximate number of crossings in a window.
    keep : bool
        Whether to return all changes, which may be many.
    carry : (5,) float64
        The search's result, on exit: see `step_functions`.

    Returns
    -------
    start : float
    times, changes : (m,) float64
        In order of time; empty unless ``keep``.
    """
    bins = np.empty(_BINS, dtype=np.int64)
    largest = _count(s, v, gains, offsets, queries, unit, bins)
    position = np.zeros(len(s), dtype=np.int64)
    above = np.zeros(len(s), dtype=np.int64)
    start = 0.0
    for q in queries:
        start += _place(
            s, v, gains, offsets[q], offsets[q + 1], position, above, discounts, form
        )
    begin_search(start, carry)
    crossed, pairs = np.empty(largest), np.empty((largest, 2), dtype=np.int64)
    times, changes = np.empty(1024), np.empty(1024)
    all_times, all_changes, size = np.empty(1024), np.empty(1024), 0
    first = 0
    while first < _BINS:
        last, inside = first + 1, bins[first]
        while last < _BINS and inside + bins[last] <= capacity:
            inside += bins[last]
            last += 1
        count, times, changes = _window(
            s, v, gains, offsets, queries, _bin_start(first, unit),
            _bin_start(last, unit), position, above, discounts, form,
            pairs, crossed, times, changes,
        )  # fmt: skip
        found_times, found_changes = joined(times[:count], changes[:count])
        search_on(found_times, found_changes, carry)
        if keep:
            all_times, all_changes = with_room(
                all_times, all_changes, size, len(found_times)
            )
            for k in range(len(found_times)):
                all_times[size], all_changes[size] = found_times[k], found_changes[k]
                size += 1
        first = last
    end_search(carry)
    return start, all_times[:size], all_changes[:size]
