"""A measure along a line of models, exactly.

Along a line every score is s_i + t v_i, so documents change places only where two
scores meet, and a measure is a step function of t. A query is swept from left to right
like a film: its first positions are kept in order, with the time at which each
neighbouring pair will meet and at which one from further down will meet the last; the
earliest of these happens next. Only the positions that the measure reads are kept, so
that a measure with a cutoff costs little, and a swap that changes its value is noted as
a time and a difference.

A measure is the sum over documents of gain, times a weight by the number of relevant
ones so far, times a discount by position: no weight for nDCG and precision, the number
for average precision, and only the first counting for the reciprocal rank.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.sorting import sort_descending

_BY_POSITION, _BY_COUNT = 0, 1
_BLOCK = 16
_NARROW = 1e-10


@kernel
def _leads(v_a, s_a, a, v_b, s_b, b):
    """Whether a ranks above b at the far left of the line."""
    if v_a != v_b:
        return v_a < v_b
    return s_a > s_b if s_a != s_b else a < b


@kernel
def _first_order(s, v, depth, slots):
    """The first ``depth`` documents at the far left, best first."""
    held = 0
    for i in range(len(s)):
        if held == depth:
            last = slots[held - 1]
            if not _leads(v[i], s[i], i, v[last], s[last], last):
                continue
            held -= 1
        p = held
        while p > 0:
            j = slots[p - 1]
            if not _leads(v[i], s[i], i, v[j], s[j], j):
                break
            slots[p] = j
            p -= 1
        slots[p] = i
        held += 1


@kernel(fastmath={"reassoc", "nnan", "nsz"})
def _meetings(s, waiting, s_last, v_last, times):
    """When each document from further down meets the last one; returns the earliest.

    ``waiting`` is the slope of those further down and minus infinity for the others.
    """
    earliest = np.inf
    for i in range(len(s)):
        rise = waiting[i] - v_last
        time = (s_last - s[i]) / rise
        times[i] = time if rise > 0.0 else np.inf
        earliest = min(earliest, times[i])
    return earliest


@kernel
def _newcomer(s, waiting, s_last, v_last, now, times):
    """When the last one is overtaken from further down, and by whom.

    Of those that meet it at once the steepest comes to be above the others, and of
    equally steep ones the first, as the measure breaks ties.
    """
    earliest = _meetings(s, waiting, s_last, v_last, times)
    if earliest == np.inf:
        return np.inf, -1
    earliest = max(earliest, now)
    who = -1
    for i in range(len(s)):
        if times[i] <= earliest and (who < 0 or waiting[i] > waiting[who]):
            who = i
    return earliest, who


@kernel
def _meeting(s, v, above, below, now):
    """When two neighbours swap; never if the lower one does not gain on the other."""
    rise = v[below] - v[above]
    if rise <= 0.0:
        return np.inf
    return max((s[above] - s[below]) / rise, now)


@kernel
def _set_time(times, earliest, p, time):
    """Set the time of a position, and the earliest of its block."""
    times[p] = time
    block = p // _BLOCK
    first = block * _BLOCK
    least = times[first]
    for i in range(first + 1, first + _BLOCK):
        least = min(least, times[i])
    earliest[block] = least


@kernel
def _next(times, earliest, blocks):
    """The position of the earliest time."""
    block = 0
    for i in range(1, blocks):
        if earliest[i] < earliest[block]:
            block = i
    p = block * _BLOCK
    while times[p] > earliest[block]:
        p += 1
    return p


@kernel
def _weight(form, before):
    """What a relevant document counts when ``before`` are above it."""
    if form == _BY_POSITION:
        return 1.0
    if form == _BY_COUNT:
        return before + 1.0
    return 1.0 if before == 0 else 0.0


@kernel
def _start_value(gains, slots, depth, discounts, form, found):
    """The measure at the far left; ``found`` counts relevant ones by position."""
    value = 0.0
    found[0] = 0
    for p in range(depth):
        gain = gains[slots[p]]
        value += gain * _weight(form, found[p]) * discounts[p]
        found[p + 1] = found[p] + (gain > 0.0)
    return value


@kernel
def _note(time, change, count, times, changes):
    """Append a change of the value, in longer arrays if need be."""
    if count == len(times):
        more_times, more_changes = np.empty(2 * count), np.empty(2 * count)
        more_times[:count], more_changes[:count] = times, changes
        times, changes = more_times, more_changes
    times[count], changes[count] = time, change
    return count + 1, times, changes


@kernel
def _sweep_query(
    s, v, gains, discounts, form, depth, scratch, places, count, times, changes
):  # fmt: skip
    """Sweep one query; returns its value at the far left and the notes so far."""
    n = len(s)
    blocks = (depth + _BLOCK - 1) // _BLOCK
    waiting, arrivals = scratch[0, :n], scratch[1, :n]
    due, earliest = scratch[2, : blocks * _BLOCK], scratch[3]
    slots, found = places[0, : depth + 1], places[1]
    _first_order(s, v, depth, slots)
    value = _start_value(gains, slots, depth, discounts, form, found)
    waiting[:] = v
    due[:] = np.inf
    for p in range(depth):
        waiting[slots[p]] = -np.inf
    last = depth - 1
    for p in range(last):
        _set_time(due, earliest, p, _meeting(s, v, slots[p], slots[p + 1], -np.inf))
    comer = -1
    now = -np.inf
    if depth < n:
        a = slots[last]
        time, comer = _newcomer(s, waiting, s[a], v[a], now, arrivals)
        _set_time(due, earliest, last, time)
    else:
        _set_time(due, earliest, last, np.inf)
    while True:
        p = _next(due, earliest, blocks)
        now = due[p]
        if now == np.inf:
            return value, count, times, changes
        above = slots[p]
        below = comer if p == last else slots[p + 1]
        change = (
            (gains[below] - gains[above])
            * _weight(form, found[p])
            * (discounts[p] - discounts[p + 1])
        )
        if change != 0.0:
            count, times, changes = _note(now, change, count, times, changes)
        found[p + 1] += int(gains[below] > 0.0) - int(gains[above] > 0.0)
        slots[p] = below
        if p == last:
            waiting[above], waiting[below] = v[above], -np.inf
        else:
            slots[p + 1] = above
            _set_time(due, earliest, p, np.inf)
            if p + 1 < last:
                time = _meeting(s, v, above, slots[p + 2], now)
                _set_time(due, earliest, p + 1, time)
        if p > 0:
            time = _meeting(s, v, slots[p - 1], below, now)
            _set_time(due, earliest, p - 1, time)
        if depth < n and p + 1 >= last:
            a = slots[last]
            time, comer = _newcomer(s, waiting, s[a], v[a], now, arrivals)
            _set_time(due, earliest, last, time)


@kernel
def _in_order(times, changes):
    """Sort the changes by time, and join those of one time."""
    n = len(times)
    keys, spare = np.empty(n), np.empty(n)
    order, spare_order = np.arange(n), np.empty(n, dtype=np.int64)
    for i in range(n):
        times[i] = -times[i]
    sort_descending(times, order, keys, spare, spare_order)
    joined = -1
    last = np.nan
    for i in range(n):
        if -keys[i] == last:
            spare[joined] += changes[order[i]]
        else:
            joined += 1
            last = -keys[i]
            times[joined] = last
            spare[joined] = changes[order[i]]
    return times[: joined + 1], spare[: joined + 1]


@kernel
def step_function(s, v, gains, offsets, queries, discounts, form, depth):
    """The sum of a measure over queries as a function of t.

    Parameters
    ----------
    s, v : (n,) float64
        The scores are s + t v.
    gains : (n,) float64
    offsets : (q + 1,) int64
    queries : (p,) int64
        The queries to sum over.
    discounts : (longest + 1,) float64
        By position from 0; the last one is 0.
    form : int
        How relevant ones above count: 0 not at all, 1 by their number, 2 so that only
        the first relevant document counts.
    depth : int
        The number of positions that the discounts reach.

    Returns
    -------
    start : float
        The sum at the far left.
    times : (m,) float64
        Where it changes, strictly rising.
    changes : (m,) float64
        By how much.
    """
    longest = 0
    for q in queries:
        longest = max(longest, offsets[q + 1] - offsets[q])
    reach = min(depth, longest)
    scratch = np.empty((4, longest + reach + 2 * _BLOCK))
    places = np.empty((2, reach + 2), dtype=np.int64)
    times, changes = np.empty(1024), np.empty(1024)
    count, total = 0, 0.0
    for q in queries:
        lo, hi = offsets[q], offsets[q + 1]
        value, count, times, changes = _sweep_query(
            s[lo:hi], v[lo:hi], gains[lo:hi], discounts, form, min(depth, hi - lo),
            scratch, places, count, times, changes,
        )  # fmt: skip
        total += value
    times, changes = _in_order(times[:count], changes[:count])
    return total, times, changes


@kernel
def _edges(times, i, unit):
    """Interval i, between changes i - 1 and i; the outer two get a width as well."""
    n = len(times)
    left = times[i - 1] if i > 0 else times[0] - max(abs(times[0]), unit)
    right = times[i] if i < n else times[n - 1] + max(abs(times[n - 1]), unit)
    return left, right


@kernel
def best_interval(start, times, changes, unit):
    """The middle of the widest interval among those of the largest value.

    Intervals that rounding could miss do not count, and the outer two are taken to be
    as wide as they are away from 0, at least ``unit``.

    Returns
    -------
    value : float
    middle : float
    """
    value, best, middle, widest = start, -math.inf, 0.0, 0.0
    if len(times) == 0:
        return value, middle
    for i in range(len(times) + 1):
        if i > 0:
            value += changes[i - 1]
        left, right = _edges(times, i, unit)
        width = right - left
        if width <= _NARROW * max(abs(left), abs(right)):
            continue
        if value > best + 1e-12 or (value > best - 1e-12 and width > widest):
            best, widest, middle = max(value, best), width, left + 0.5 * width
    return best, middle
