"""Squared hinge over all pairs along a line of scores, without storing any.

For one query of weight c with scores s_i the loss and the sum of the hinges are

    c * sum over y_i > y_j of h_ij^2  and  c * sum of h_ij,

with h_ij = max(0, 1 - s_i + s_j).

The worse documents with a positive hinge against i are those above s_i - 1. Moving down
the list, this border falls, documents enter and each distance to the border grows, so
their number, the sum of their distances and that of the squares are updated by adding
positive numbers only. Nothing cancels, however large the scores are. The way up treats
better documents likewise. This takes O(L n) after a sort; for queries with few pairs,
visiting all pairs is faster.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import moments
from rankcore._kernels.losses.rsrank import sizes
from rankcore._kernels.ordering.grouping import group_by_level
from rankcore._kernels.ordering.sorting import sort_descending


@kernel
def _walk(better, s, t, level, members, first, last, force):
    """Add the forces of all worse (``better``) or all better levels on one level.

    ``members[first:last]`` are the positions of the level, visited downwards for a
    better level and upwards for a worse one. Returns the sums of squares, of hinges,
    and of squared differences of ``t`` over the pairs with a positive hinge.
    """
    n = len(s)
    label = level[members[first]]
    squares = hinges = curvature = 0.0
    count = reach = reach2 = t_sum = t2_sum = 0.0
    side = 1.0 if better else -1.0
    at = 0 if better else n - 1
    border = 0.0
    for m in range(first, last):
        k = members[m] if better else members[first + last - 1 - m]
        new = side * s[k] - 1.0
        if m > first:
            fallen = border - new
            # All distances grow by the fall f of the border: (x + f)^2 = x^2 + f (2 x +
            # f).
            reach2 += fallen * (2.0 * reach + count * fallen)
            reach += count * fallen
        border = new
        while 0 <= at < n and side * s[at] > border:
            if side * (label - level[at]) > 0.0:
                distance = side * s[at] - border
                count += 1.0
                reach += distance
                reach2 += distance * distance
                t_sum += t[at]
                t2_sum += t[at] * t[at]
            at += 1 if better else -1
        force[k] -= side * 2.0 * reach
        squares += reach2
        hinges += reach
        curvature += t[k] * (count * t[k] - 2.0 * t_sum) + t2_sum
    return squares, hinges, curvature


@kernel
def _press(own_s, own_t, s, t, force, hinge, gaps):
    """Return loss, hinges and curvature of one document's pairs with worse ones.

    ``hinge`` and ``gaps`` are scratch.
    """
    n = len(s)
    for j in range(n):
        h = max(1.0 - (own_s - s[j]), 0.0)
        hinge[j] = h
        force[j] += 2.0 * h
        gaps[j] = own_t - t[j] if h > 0.0 else 0.0
    hinges, squares, curvature = moments(hinge, gaps, n)
    return squares, hinges, curvature


@kernel
def _pair_loop(s, t, starts, force, hinge, gaps):
    """Return sums over all pairs of one query, whose documents are grouped by ascending
    label."""
    squares = hinges = curvature = 0.0
    force[:] = 0.0
    for c in range(1, len(starts) - 1):
        worse = starts[c]
        for i in range(worse, starts[c + 1]):
            a, b, d = _press(
                s[i], t[i], s[:worse], t[:worse], force[:worse], hinge, gaps
            )
            force[i] -= 2.0 * b
            squares, hinges, curvature = squares + a, hinges + b, curvature + d
    return squares, hinges, curvature


@kernel
def _sorted_sums(s, t, level, starts, members, force):
    """Return the same sums for documents in score order, from sums along the list."""
    squares = hinges = curvature = 0.0
    n = len(s)
    force[:] = 0.0
    for c in range(len(starts) - 1):
        first, last = starts[c], starts[c + 1]
        if first == last:
            continue
        if first > 0:
            a, b, d = _walk(True, s, t, level, members, first, last, force)
            squares, hinges, curvature = squares + a, hinges + b, curvature + d
        if last < n:
            _walk(False, s, t, level, members, first, last, force)
    return squares, hinges, curvature


@kernel
def along(
    scores, direction, eta, levels, grouped, offsets, sorting, weights, order, forces
):
    """Loss at ``scores + eta * direction``, its gradient, and its slope on the line.

    Parameters
    ----------
    scores, direction : (n,) float64
    eta : float
    levels : (n,) int64
        Rank of each document's label among the labels that occur, from 0.
    grouped : (n,) int64
        The documents of each query by ascending label, counted within the query.
    offsets : (q + 1,) int64, read-only
        Query i owns the documents from ``offsets[i]`` to ``offsets[i + 1]``.
    sorting : (q,) bool
        Which queries to sort; the others are visited pair by pair.
    weights : (q,) float64
        Weight of each pair of a query; 0 skips the query.
    order : (n,) int64
        A permutation of each query's documents, counted within the query, ideally close
        to descending score; on exit sorted queries have that order. It affects the time
        but not the result.
    forces : (n,) float64
        On exit the derivative by each document's score.

    Returns
    -------
    loss, hinges : float
        Weighted sums of squared and of plain hinges.
    slope, noise, curvature : float
        First derivative of the loss along the line, the sum of the absolute values of
        its terms, and second derivative (one-sided at a kink).
    """
    longest, n_levels = sizes(offsets, levels)
    scratch = np.empty((5, longest))
    places = np.empty((3, longest), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    loss = hinges = slope = noise = curvature = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        if weights[q] == 0.0:
            forces[lo:hi] = 0.0
            continue
        s, t, force, spare = (
            scratch[0, :n],
            scratch[1, :n],
            scratch[2, :n],
            scratch[3, :n],
        )
        level, members = places[0, :n], places[1, :n]
        here = order[lo:hi] if sorting[q] else grouped[lo:hi]
        if sorting[q]:
            for i in range(n):
                force[i] = scores[lo + i] + eta * direction[lo + i]
            sort_descending(force, here, s, spare, members)
        for k in range(n):
            i = lo + here[k]
            level[k] = levels[i]
            s[k] = scores[i] + eta * direction[i]
            t[k] = direction[i] - direction[lo]
        group_by_level(level, starts, members)
        if sorting[q]:
            a, b, d = _sorted_sums(s, t, level, starts, members, force)
        else:
            a, b, d = _pair_loop(s, t, starts, force, spare, scratch[4])
        weight = weights[q]
        loss += weight * a
        hinges += weight * b
        curvature += 2.0 * weight * d
        for k in range(n):
            pull = weight * force[k]
            forces[lo + here[k]] = pull
            slope += pull * t[k]
            noise += abs(pull * t[k])
    return loss, hinges, slope, noise, curvature
