"""Exact computation of a measure of the first few positions along a line of models.

Along a line every score is s_i + t v_i, so documents change places only where two
scores cross, and a measure is a step function of t. Each query is swept from t = 0 in
both directions: the sweep keeps its first positions in order, with the time at which
each neighbouring pair will cross and the time at which a document from below will pass
the last one; the earliest of these events is next. A swap that changes the measure is
recorded as a time and a difference.

Few documents can reach the first k positions: those for which fewer than k others have
both a higher score at t = 0 and a larger slope. All others are left out.

A measure is the sum over documents of gain times a weight by the number of relevant
documents so far times a discount by position. The weight is 1 for nDCG and precision,
the number for average precision, and 1 for only the first for the reciprocal rank.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.sorting import sort_descending
from rankcore._kernels.ordering.step_functions import with_room

BY_POSITION, BY_COUNT, FIRST_ONLY = 0, 1, 2
_ROUNDING = 1e-13


@kernel
def counting_weight(form, before):
    """Weight of a relevant document with ``before`` relevant ones above it."""
    if form == BY_POSITION:
        return 1.0
    if form == BY_COUNT:
        return before + 1.0
    return 1.0 if before == 0 else 0.0


@kernel
def _candidates(order, s, v, side, gains, depth, steepest, own_s, own_v, own_g):
    """Write the documents that can reach the first positions for t > 0, in their order
    just after t = 0; return their number. ``side`` -1 is the direction t < 0.

    Going down the order at t = 0, the ``depth`` largest slopes so far qualify.
    """
    held = m = 0
    for i in order:
        slope = side * v[i]
        if held == depth and slope <= steepest[depth - 1]:
            continue
        p = min(held, depth - 1)
        while p > 0 and steepest[p - 1] < slope:
            steepest[p] = steepest[p - 1]
            p -= 1
        steepest[p] = slope
        held = min(held + 1, depth)
        p = m
        while p > 0 and own_s[p - 1] == s[i] and own_v[p - 1] < slope:
            own_s[p], own_v[p], own_g[p] = own_s[p - 1], own_v[p - 1], own_g[p - 1]
            p -= 1
        own_s[p], own_v[p], own_g[p] = s[i], slope, gains[i]
        m += 1
    return m


@kernel
def _meetings(s, waiting, s_last, v_last, times):
    """Compute when documents from below meet the last one; return the earliest time.

    ``waiting`` is the slope of documents below and minus infinity for the others.
    """
    earliest = np.inf
    for i in range(len(s)):
        rise = waiting[i] - v_last
        gains = rise > 0.0
        time = (s_last - s[i]) / (rise if gains else 1.0)
        times[i] = time if gains else np.inf
        earliest = min(earliest, times[i])
    return earliest


@kernel
def _newcomer(s, waiting, s_last, v_last, now, times):
    """Return when the last document is overtaken from below, and by which one.

    If several meet it at once, the one with the largest slope ends up above the others,
    and of equal slopes the first, as the measure breaks ties.
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
    """Time at which two neighbours swap; never if the lower one is not faster."""
    rise = v[below] - v[above]
    return max((s[above] - s[below]) / rise, now) if rise > 0.0 else np.inf


@kernel
def _first_value(gains, depth, discounts, form, counts):
    """Return the measure at the start of a sweep; ``counts`` receives the number of
    relevant documents above each position."""
    value = 0.0
    counts[0] = 0
    for p in range(depth):
        value += gains[p] * counting_weight(form, counts[p]) * discounts[p]
        counts[p + 1] = counts[p] + (gains[p] > 0.0)
    return value


@kernel
def _sweep(
    s,
    v,
    gains,
    side,
    discounts,
    form,
    depth,
    rows,
    slots,
    counts,
    count,
    times,
    changes,
):
    """Sweep one query in one direction; return the values at both ends, and the number
    of changes so far, for which there is room for one per pair."""
    waiting, arrivals, due = rows[0, : len(s)], rows[1, : len(s)], rows[2, :depth]
    first = value = _first_value(gains, depth, discounts, form, counts)
    last, now, comer = depth - 1, 0.0, -1
    for i in range(len(s)):
        waiting[i] = v[i] if i >= depth else -np.inf
    for p in range(depth):
        slots[p] = p
        due[p] = _meeting(s, v, p, p + 1, now) if p < last else np.inf
    due[last], comer = _newcomer(s, waiting, s[last], v[last], now, arrivals)
    while True:
        p = 0
        for i in range(1, depth):
            if due[i] < due[p]:
                p = i
        now = due[p]
        if now == np.inf:
            return first, value, count
        above = slots[p]
        below = comer if p == last else slots[p + 1]
        gained = gains[below] - gains[above]
        if gained != 0.0:
            drop = discounts[p] - discounts[p + 1]
            change = gained * counting_weight(form, counts[p]) * drop
            counts[p + 1] += int(gains[below] > 0.0) - int(gains[above] > 0.0)
            if change != 0.0:
                value += change
                times[count], changes[count] = side * now, side * change
                count += 1
        slots[p] = below
        if p == last:
            waiting[above], waiting[below] = v[above], -np.inf
        else:
            slots[p + 1] = above
            due[p] = np.inf
            if p + 1 < last:
                due[p + 1] = _meeting(s, v, above, slots[p + 2], now)
        if p > 0:
            due[p - 1] = _meeting(s, v, slots[p - 1], below, now)
        if p + 1 >= last:
            a = slots[last]
            due[last], comer = _newcomer(s, waiting, s[a], v[a], now, arrivals)


@kernel
def note_changes(s, v, order, gains, offsets, queries, discounts, form, depth):
    """Return the sum of a measure over queries as a function of t.

    Parameters
    ----------
    s, v : (n,) float64
        The scores are s + t v.
    order : (n,) int64
        The documents of each query, counted within it, by descending s; any permutation
        on entry, ideally almost sorted, and sorted on exit.
    gains : (n,) float64
    offsets : (q + 1,) int64
    queries : (p,) int64
        The queries to sum over.
    discounts : (longest + 1,) float64
        By position from 0; 0 from ``depth`` on.
    form : int
        Effect of relevant documents above: 0 none, 1 by their number, 2 only the first
        relevant document counts.
    depth : int
        The number of positions that the discounts reach.

    Returns
    -------
    start : float
        The sum at the left end.
    times, changes : (m,) float64
        The unsorted times of changes, and their amounts.
    """
    longest = 0
    for q in queries:
        longest = max(longest, offsets[q + 1] - offsets[q])
    rows, current = np.empty((4, longest + depth)), np.empty((4, longest))
    spare = np.empty(longest, dtype=np.int64)
    slots, stops = np.empty(depth, dtype=np.int64), np.empty(depth + 1, dtype=np.int64)
    times, changes = np.empty(1024), np.empty(1024)
    count, total = 0, 0.0
    for q in queries:
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        reach = min(depth, n)
        own_order = order[lo:hi]
        sort_descending(s[lo:hi], own_order, rows[0], rows[1], spare)
        before = 0.0
        for side in (-1.0, 1.0):
            m = _candidates(
                own_order, s[lo:hi], v[lo:hi], side, gains[lo:hi], reach,
                rows[3], current[0], current[1], current[2],
            )  # fmt: skip
            times, changes = with_room(times, changes, count, m * (m - 1) // 2 + 1)
            first, last, count = _sweep(
                current[0, :m], current[1, :m], current[2, :m], side, discounts, form,
                reach, rows, slots, stops, count, times, changes,
            )  # fmt: skip
            if side < 0.0:
                total += last
                before = first
            elif abs(first - before) > _ROUNDING:
                times[count], changes[count] = 0.0, first - before
                count += 1
    return total, times[:count], changes[:count]
