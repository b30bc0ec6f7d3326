"""Value and gradient of RSRank's loss in O(L n log n), fused with the pass over X.

For one query with gains a_i (divided by the ideal DCG), discounts b_i at the current
ranks and scores s_i, the loss is

    sum over a_i > a_j of (a_i - a_j) |b_i - b_j| phi(s_i - s_j),

    phi(v) = -4 v  for v < -1,    (v - 1)^2  for |v| <= 1,    0  for v > 1,

and the weights are constants in the gradient. phi is piecewise polynomial, so with the
documents in score order the terms of one document with all documents of other levels
follow from sums of (1, t, b, b t) over three ranges of positions: scores more than 1
above its own, within 1, and more than 1 below. Differences of running sums give these
without forming pairs.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import totals
from rankcore._kernels.arithmetic.rows import add_chosen, score_chosen
from rankcore._kernels.ordering.grouping import group_by_level
from rankcore._kernels.ordering.ranks import largest, longest_query
from rankcore._kernels.ordering.sorting import sort_descending

_FAR = 2.0
_PAIRS_ALWAYS, _PAIRS_PER_LEVEL = 20, 4


@kernel
def _pair_loop(s, a, b, lowest, force, losses, slopes):
    """Return the loss of one query, pair by pair; write its gradient to ``force``.

    All arrays are in score order; ``lowest`` is the smallest gain, ``losses`` and
    ``slopes`` are scratch.
    """
    n = len(s)
    force[:] = 0.0
    loss = 0.0
    for i in range(n):
        if a[i] <= lowest:
            continue
        for j in range(n):
            # Equation (3) of the paper; v is clipped to [-1, 1], beyond which phi is
            # linear or 0.
            weight = max(a[i] - a[j], 0.0) * abs(b[i] - b[j])
            v = min(s[i] - s[j], 1.0)
            near = max(v, -1.0)
            slope = 2.0 * weight * (near - 1.0)
            losses[j] = weight * ((near - 1.0) ** 2 - 4.0 * (v - near))
            slopes[j] = slope
            force[j] -= slope
        lost, pull = totals(losses, slopes, 0, n)
        loss += lost
        force[i] += pull
    return loss


@kernel
def close_gaps(s, t):
    """Write the descending scores ``s`` to ``t``, with gaps above 2 reduced to 2.

    Differences up to 1 are unchanged and no larger one drops to 1, so the ranges are
    the same, while sums over ``t`` stay accurate however large the scores are. Gaps
    next to scores that are not finite count as large, so that ``t`` always descends.
    """
    base_s, base_t = s[0], 0.0
    t[0] = 0.0
    for k in range(1, len(s)):
        if s[k - 1] - s[k] <= _FAR:
            t[k] = base_t - (base_s - s[k])
        else:
            base_s, base_t = s[k], t[k - 1] - _FAR
            t[k] = base_t


@kernel
def find_windows(t, above, below):
    """Compute the first position within 1 of each document, and the first after.

    ``t`` descends and ends with minus infinity. Two pointers move down it, and each
    step writes both. There is no branch, because half of its predictions would fail.
    """
    n = len(t) - 1
    k = d = 0
    for _ in range(2 * n - 1):
        within = t[d] >= t[k] - 1.0
        above[d], below[k] = k, d
        d += within
        k += not within
    below[n - 1] = n


@kernel
def _running_sums(score, side, a, b, t, sums):
    """Compute running sums of e (1, t, b, b t) before each k, with e = max(side (score
    - a), 0)."""
    e0 = e1 = e2 = e3 = 0.0
    for k in range(len(a)):
        sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3] = e0, e1, e2, e3
        e = max(side * (score - a[k]), 0.0)
        x, y = t[k], b[k]
        e0 += e
        e1 += e * x
        e2 += e * y
        e3 += e * (x * y)
    k = len(a)
    sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3] = e0, e1, e2, e3


@kernel
def _one_side(members, side, s, t, b, above, below, sums, force):
    """Add the forces of worse (side 1) or better documents (side -1) on a level.

    A document with score x and discount y has pairs of weight e_j |y - b_j| and, within
    1, of slope 2 (x - t_j - side); the sign of y - b_j changes at its own position.
    Worse documents further above have the slope -4, better ones further below 4, all
    others 0. The loss is slope . score for the linear part and half of this, minus half
    of the slopes, for the quadratic part.
    """
    loss = 0.0
    n = len(s)
    for k in members:
        x, y, u, d = t[k], b[k], above[k], below[k]
        # Sum over positions u to k minus sum over k to d: the sign of y - b_j changes
        # at k.
        e0 = 2.0 * sums[k, 0] - sums[u, 0] - sums[d, 0]
        e1 = 2.0 * sums[k, 1] - sums[u, 1] - sums[d, 1]
        e2 = 2.0 * sums[k, 2] - sums[u, 2] - sums[d, 2]
        e3 = 2.0 * sums[k, 3] - sums[u, 3] - sums[d, 3]
        near = 2.0 * ((x - side) * (e2 - y * e0) - (e3 - y * e1))
        if side > 0.0:
            far = -4.0 * (sums[u, 2] - y * sums[u, 0])
        else:
            far = 4.0 * (y * (sums[n, 0] - sums[d, 0]) - (sums[n, 2] - sums[d, 2]))
        force[k] += near + far
        # Forces sum to 0, so subtracting s[0] changes nothing but saves digits.
        loss += far * (s[k] - s[0]) + near * (0.5 * x - 0.25 * side)
    return loss


@kernel
def _prefix_sums(s, t, a, b, starts, members, above, below, sums, force):
    """Return the loss of one query by running sums, its gradient in ``force``."""
    n = len(s)
    force[:] = 0.0
    loss = 0.0
    for c in range(len(starts) - 1):
        level = members[starts[c] : starts[c + 1]]
        if len(level) == 0:
            continue
        first_sum = a[level[0]]
        if starts[c] > 0:
            _running_sums(first_sum, 1.0, a, b, t, sums)
            loss += _one_side(level, 1.0, s, t, b, above, below, sums, force)
        if starts[c + 1] < n:
            _running_sums(first_sum, -1.0, a, b, t, sums)
            loss += _one_side(level, -1.0, s, t, b, above, below, sums, force)
    return loss


@kernel
def _query(s, a, level, starts, b, order, force, scratch, places, sums):
    """Return the loss of one query, its gradient in ``force``, in input order."""
    n = len(s)
    sorted_s, sorted_a, sorted_force = scratch[0, :n], scratch[1, :n], scratch[2, :n]
    t = scratch[3, : n + 1]
    sorted_level, members = places[0, :n], places[1, :n]
    above, below = places[2, : n + 1], places[3, : n + 1]
    sort_descending(s, order, sorted_s, t, above)
    for k in range(n):
        sorted_a[k], sorted_level[k] = a[order[k]], level[order[k]]
    group_by_level(sorted_level, starts, members)
    lowest = members[0]
    graded = n - starts[sorted_level[lowest] + 1]
    # Measured: pairs are cheaper if few documents are above the lowest level.
    if graded <= _PAIRS_ALWAYS + _PAIRS_PER_LEVEL * (len(starts) - 1):
        loss = _pair_loop(
            sorted_s, sorted_a, b, sorted_a[lowest], sorted_force, t, scratch[5]
        )
    else:
        t[n] = -np.inf
        close_gaps(sorted_s, t)
        find_windows(t, above, below)
        loss = _prefix_sums(
            sorted_s, t, sorted_a, b, starts, members, above, below, sums, sorted_force
        )
    for k in range(n):
        force[order[k]] = sorted_force[k]
    return loss


@kernel
def sizes(offsets, levels):
    """Return the length of the longest query and the number of levels."""
    return longest_query(offsets), largest(levels) + 1


@kernel
def loss_and_gradient(X, rows, gains, levels, offsets, discounts, w, order, forces):
    """RSRank's loss, summed over the queries, and its gradient for frozen weights.

    Parameters
    ----------
    X : (n, d) float64, read-only
        Features.
    rows : (n,) int64
        The row of the document at each place; other arrays are indexed by place. Sums
        and documents of equal scores follow this order.
    gains : (n,) float64
        (2^y - 1) / ideal DCG of the query.
    levels : (n,) int64
        Rank of each document's label among the labels that occur, from 0.
    offsets : (q + 1,) int64
        Query i has the places ``offsets[i]`` to ``offsets[i + 1]``.
    discounts : (m,) float64
        Discounts of ranks 1 … m, m at least the length of the longest query.
    w : (d,) float64
        Coefficients.
    order : (n,) int64
        A permutation of each query's documents, counted within the query; sorted by
        descending score on exit. It affects the time but not the result.
    forces : (n,) float64
        On exit the derivative by each document's score.

    Returns
    -------
    loss : float
    gradient : (d,) float64
    """
    longest, n_levels = sizes(offsets, levels)
    scratch = np.empty((6, longest + 1))
    places = np.empty((4, longest + 1), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    sums = np.empty((longest + 1, 4))
    gradient = np.zeros(len(w))
    loss = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        s, b = scratch[4, : hi - lo], discounts[: hi - lo]
        score_chosen(X, rows, lo, hi, w, s, scratch[0])
        loss += _query(
            s,
            gains[lo:hi],
            levels[lo:hi],
            starts,
            b,
            order[lo:hi],
            forces[lo:hi],
            scratch,
            places,
            sums,
        )
        add_chosen(X, rows, lo, hi, forces[lo:hi], gradient)
    return loss, gradient


@kernel
def _weigh_differences(u, a, b, starts, members, result):
    """Write result_k = sum of |a_k - a_j| |b_k - b_j| (u_k - u_j), in O(L n)."""
    n = len(u)
    for c in range(len(starts) - 1):
        level = members[starts[c] : starts[c + 1]]
        if len(level) == 0:
            continue
        first = a[level[0]]
        all_e = all_eb = all_eu = all_ebu = 0.0
        for k in range(n):
            e = abs(first - a[k])
            all_e, all_eb = all_e + e, all_eb + e * b[k]
            all_eu, all_ebu = all_eu + e * u[k], all_ebu + e * b[k] * u[k]
        e0 = e1 = e2 = e3 = 0.0
        member = 0
        for k in range(n):
            if member < len(level) and level[member] == k:
                y = b[k]
                weight = 2.0 * e1 - all_eb - y * (2.0 * e0 - all_e)
                others = 2.0 * e3 - all_ebu - y * (2.0 * e2 - all_eu)
                result[k] = weight * u[k] - others
                member += 1
            e = abs(first - a[k])
            e0, e1 = e0 + e, e1 + e * b[k]
            e2, e3 = e2 + e * u[k], e3 + e * b[k] * u[k]


@kernel
def curvature_times(X, rows, gains, levels, offsets, discounts, order, v):
    """Product of the largest Hessian at the weights of ``order`` with ``v``.

    The Hessian is 2 times the sum of w_ij (x_i - x_j)(x_i - x_j)^T over all pairs:
    phi'' is 2 within 1 and 0 elsewhere. Parameters as in `loss_and_gradient`, whose
    ``order`` on exit is used here; ``v`` is (d,) float64.

    Returns
    -------
    product : (d,) float64
    """
    longest, n_levels = sizes(offsets, levels)
    scratch = np.empty((5, longest))
    places = np.empty((2, longest), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    product = np.zeros(len(v))
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        u, force = scratch[0, :n], scratch[1, :n]
        sorted_u, sorted_a, sorted_force = (
            scratch[2, :n],
            scratch[3, :n],
            scratch[4, :n],
        )
        level, members = places[0, :n], places[1, :n]
        score_chosen(X, rows, lo, hi, v, u, force)
        for k in range(n):
            i = order[lo + k]
            sorted_u[k], sorted_a[k], level[k] = u[i], gains[lo + i], levels[lo + i]
        group_by_level(level, starts, members)
        _weigh_differences(
            sorted_u, sorted_a, discounts[:n], starts, members, sorted_force
        )
        for k in range(n):
            force[order[lo + k]] = 2.0 * sorted_force[k]
        add_chosen(X, rows, lo, hi, force, product)
    return product
