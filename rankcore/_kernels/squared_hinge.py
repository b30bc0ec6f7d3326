"""Squared hinge over all pairs along a line of scores, in O(L n) after a sort.

For one query of weight c with scores s_i the loss and the sum of the hinges are

    c * sum over y_i > y_j of h_ij^2  and  c * sum of h_ij,

with h_ij = max(0, 1 - s_i + s_j).

The worse documents that press on i are those above s_i - 1. Walk down the list: this
border falls, documents enter and each distance to the border grows, so their number,
the sum of the distances and that of their squares follow by additions of positive
numbers alone. Nothing cancels, however large the scores are. Better documents press on
the worse ones likewise on the way up.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.grouping import group_by_level
from rankcore._kernels.sorting import sort_descending


@kernel
def _walk(better, s, t, level, members, first, last, force):
    """Add what one level bears from all worse (``better``) or all better levels.

    ``members[first:last]`` are the positions of the level, walked down for a better
    level and up for a worse one. Returns the sums of squares, of hinges, and of squared
    differences of ``t`` over the pressing pairs.
    """
    n = len(s)
    own = level[members[first]]
    squares = hinges = curvature = 0.0
    count = reach = reach2 = moved = moved2 = 0.0
    side = 1.0 if better else -1.0
    at = 0 if better else n - 1
    border = 0.0
    for m in range(first, last):
        k = members[m] if better else members[first + last - 1 - m]
        new = side * s[k] - 1.0
        if m > first:
            fallen = border - new
            reach2 += fallen * (2.0 * reach + count * fallen)
            reach += count * fallen
        border = new
        while 0 <= at < n and side * s[at] > border:
            if side * (own - level[at]) > 0.0:
                distance = side * s[at] - border
                count += 1.0
                reach += distance
                reach2 += distance * distance
                moved += t[at]
                moved2 += t[at] * t[at]
            at += 1 if better else -1
        force[k] -= side * 2.0 * reach
        squares += reach2
        hinges += reach
        curvature += t[k] * (count * t[k] - 2.0 * moved) + moved2
    return squares, hinges, curvature


@kernel
def along(scores, direction, eta, levels, offsets, weights, order, forces):
    """Loss at ``scores + eta * direction``, its gradient, and both along the line.

    Parameters
    ----------
    scores, direction : (n,) float64
    eta : float
    levels : (n,) int64
        Number of the label of each document among those that occur, from 0.
    offsets : (q + 1,) int64, read-only
        Query i owns the documents from ``offsets[i]`` to ``offsets[i + 1]``.
    weights : (q,) float64
        What each pair of a query counts.
    order : (n,) int64
        A permutation of each query's documents, counted within the query; on exit the
        one by falling score. The result does not depend on it, the time does.
    forces : (n,) float64
        On exit the derivative by each document's score.

    Returns
    -------
    loss, hinges : float
        Weighted sums of squared and of plain hinges.
    slope, noise, curvature : float
        First derivative of the loss along the line, the sum of the sizes of its terms,
        and second derivative (at a kink that of one side).
    """
    longest, n_levels = 0, 0
    for q in range(len(offsets) - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    for c in levels:
        n_levels = max(n_levels, c + 1)
    scratch = np.empty((4, longest))
    places = np.empty((3, longest), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    loss = hinges = slope = noise = curvature = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        if weights[q] == 0.0:
            forces[lo:hi] = 0.0
            continue
        keys, moved, force = scratch[0, :n], scratch[1, :n], scratch[2, :n]
        level, members, here = places[0, :n], places[1, :n], order[lo:hi]
        for i in range(n):
            force[i] = scores[lo + i] + eta * direction[lo + i]
        sort_descending(force, here, keys, moved, level)
        for k in range(n):
            level[k] = levels[lo + here[k]]
            moved[k] = direction[lo + here[k]] - direction[lo]
            force[k] = 0.0
        group_by_level(level, starts, members)
        for c in range(n_levels):
            first, last = starts[c], starts[c + 1]
            if first == last:
                continue
            if first > 0:
                a, b, d = _walk(True, keys, moved, level, members, first, last, force)
                loss += weights[q] * a
                hinges += weights[q] * b
                curvature += 2.0 * weights[q] * d
            if last < n:
                _walk(False, keys, moved, level, members, first, last, force)
        for k in range(n):
            pull = weights[q] * force[k]
            forces[lo + here[k]] = pull
            slope += pull * moved[k]
            noise += abs(pull * moved[k])
    return loss, hinges, slope, noise, curvature
