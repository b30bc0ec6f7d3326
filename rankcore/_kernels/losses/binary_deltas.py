"""RSRank's loss with pairs weighted by the change of AP or RR when they swap places.

Both measures use binary relevance. With m relevant documents, R(k) of them at ranks up
to k, and H(k) the sum of 1 / rank over these, swapping a relevant document at rank p
with an irrelevant one at rank q changes AP by

    ((R(q) + 1) / q - H(q)) / m - (R(p) / p - H(p - 1)) / m    for q < p,
    (R(p) / p - H(p)) / m - (R(q) / q - H(q)) / m              for p < q,

where the first case moves the relevant document down and the second up. With f and g
the ranks of the first and the second relevant document, RR changes by

    max(1 / q - 1 / f, 0)                       for q < p,
    1 / f - 1 / min(q, g)  if p = f, else 0     for p < q.

Unlike those of nDCG, the weights are not products of one factor per document, but each
is x_p + z_p e_q on either side. That suffices for running sums over the documents in
score order: of (1, t, e, e t) over irrelevant and of (x, x t, z, z t) over relevant
ones. So the loss and its gradient take O(n log n), as for nDCG, with the score ranges
of `rankcore._kernels.losses.rsrank`.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.rows import add_chosen, score_chosen
from rankcore._kernels.losses.rsrank import close_gaps, find_windows
from rankcore._kernels.ordering.ranks import longest_query
from rankcore._kernels.ordering.sorting import sort_descending


@kernel
def _ap_factors(relevant, m, factors):
    """Write the factors of AP: of a relevant document x and z for irrelevant ones
    above, then below; of an irrelevant one, e above and e below."""
    above = 0.0
    harmonic = 0.0
    for k in range(len(relevant)):
        rank = k + 1.0
        if relevant[k]:
            above += 1.0
            factors[k, 0] = (harmonic - above / rank) / m
            harmonic += 1.0 / rank
            factors[k, 2] = (above / rank - harmonic) / m
            factors[k, 1] = factors[k, 3] = 1.0
        else:
            factors[k, 0] = ((above + 1.0) / rank - harmonic) / m
            factors[k, 1] = (harmonic - above / rank) / m


@kernel
def _rr_factors(relevant, factors):
    """Write the factors of RR, in the layout of those of AP."""
    first = second = np.inf
    for k in range(len(relevant) - 1, -1, -1):
        if relevant[k]:
            first, second = k + 1.0, first
    for k in range(len(relevant)):
        rank = k + 1.0
        if relevant[k]:
            factors[k, 0] = factors[k, 2] = 0.0
            factors[k, 1] = 1.0
            factors[k, 3] = 1.0 if rank == first else 0.0
        else:
            factors[k, 0] = max(1.0 / rank - 1.0 / first, 0.0)
            factors[k, 1] = max(1.0 / first - 1.0 / min(rank, second), 0.0)


@kernel
def _fill(relevant, reciprocal, factors):
    """Fill in the factors of one query; return its number of relevant documents."""
    m = 0
    for flag in relevant:
        m += flag
    if 0 < m < len(relevant):
        if reciprocal:
            _rr_factors(relevant, factors)
        else:
            _ap_factors(relevant, float(m), factors)
    return m


@kernel
def _running_sums(relevant, t, factors, worse, better):
    """Compute running sums over irrelevant and over relevant documents before each
    place."""
    n = len(relevant)
    worse[0, :] = 0.0
    better[0, :] = 0.0
    for k in range(n):
        is_better = relevant[k]
        one = 0.0 if is_better else 1.0
        worse[k + 1, 0] = worse[k, 0] + one
        worse[k + 1, 1] = worse[k, 1] + one * t[k]
        for c in range(2):
            e = 0.0 if is_better else factors[k, c]
            worse[k + 1, 2 + 2 * c] = worse[k, 2 + 2 * c] + e
            worse[k + 1, 3 + 2 * c] = worse[k, 3 + 2 * c] + e * t[k]
        for c in range(4):
            e = factors[k, c] if is_better else 0.0
            better[k + 1, 2 * c] = better[k, 2 * c] + e
            better[k + 1, 2 * c + 1] = better[k, 2 * c + 1] + e * t[k]


@kernel
def _add(far, near, s, t, side, k, force):
    """Set a force from its two parts; return its share of the loss."""
    force[k] = far + near
    # Summed over documents, far terms give slope times score; s[0] cancels because
    # forces sum to 0. Near terms give half of that, less a quarter of the slope, at
    # each end of a pair.
    return far * (s[k] - s[0]) + near * (0.5 * t[k] - 0.25 * side)


@kernel
def _forces(relevant, margin, s, t, above, below, factors, worse, better, force):
    """Loss of one query, and its gradient in ``force``.

    A pair within 1 has the slope 2 (t_i - t_j - margin); with a margin of 0 and all
    documents within 1, this gives the product of the Hessian with ``t``.
    """
    n = len(relevant)
    loss = 0.0
    for k in range(n):
        x, u, d = t[k], above[k], below[k]
        if relevant[k]:
            p, r = factors[k, 0], factors[k, 1]
            weight = p * (worse[k, 0] - worse[u, 0]) + r * (worse[k, 2] - worse[u, 2])
            moment = p * (worse[k, 1] - worse[u, 1]) + r * (worse[k, 3] - worse[u, 3])
            far = -4.0 * (p * worse[u, 0] + r * worse[u, 2])
            p, r = factors[k, 2], factors[k, 3]
            weight += p * (worse[d, 0] - worse[k, 0]) + r * (worse[d, 4] - worse[k, 4])
            moment += p * (worse[d, 1] - worse[k, 1]) + r * (worse[d, 5] - worse[k, 5])
            near = 2.0 * ((x - margin) * weight - moment)
            loss += _add(far, near, s, t, 1.0, k, force)
        else:
            e = factors[k, 1]
            weight = better[k, 4] - better[u, 4] + e * (better[k, 6] - better[u, 6])
            moment = better[k, 5] - better[u, 5] + e * (better[k, 7] - better[u, 7])
            e = factors[k, 0]
            weight += better[d, 0] - better[k, 0] + e * (better[d, 2] - better[k, 2])
            moment += better[d, 1] - better[k, 1] + e * (better[d, 3] - better[k, 3])
            # Beyond a difference of 1 the slope of phi is the constant -4.
            far = better[n, 0] - better[d, 0] + e * (better[n, 2] - better[d, 2])
            near = 2.0 * ((x + margin) * weight - moment)
            loss += _add(4.0 * far, near, s, t, -1.0, k, force)
    return loss


@kernel
def binary_loss_and_gradient(X, rows, relevant, offsets, reciprocal, w, order, forces):
    """RSRank's loss, summed over the queries, and its gradient for frozen weights.

    Parameters
    ----------
    X : (n, d) float64, read-only
    rows, offsets, w, order, forces
        As in `rankcore._kernels.losses.rsrank.loss_and_gradient`.
    relevant : (n,) bool
        Indexed by place.
    reciprocal : bool
        Whether the weights are those of RR rather than AP.

    Returns
    -------
    loss : float
    gradient : (d,) float64
    """
    longest = longest_query(offsets)
    scratch = np.empty((4, longest + 1))
    places = np.empty((2, longest + 1), dtype=np.int64)
    flags = np.empty(longest, dtype=np.bool_)
    factors = np.empty((longest, 4))
    worse, better = np.empty((longest + 1, 6)), np.empty((longest + 1, 8))
    gradient = np.zeros(len(w))
    loss = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        forces[lo:hi] = 0.0
        here, flag = order[lo:hi], flags[:n]
        s, keys, force, t = (
            scratch[0, :n],
            scratch[1, :n],
            scratch[2, :n],
            scratch[3, : n + 1],
        )
        above, below = places[0, : n + 1], places[1, : n + 1]
        score_chosen(X, rows, lo, hi, w, s, keys)
        sort_descending(s, here, keys, t, above)
        for k in range(n):
            flag[k] = relevant[lo + here[k]]
        m = _fill(flag, reciprocal, factors)
        if m == 0 or m == n:
            continue
        t[n] = -np.inf
        close_gaps(keys, t)
        find_windows(t, above, below)
        _running_sums(flag, t, factors, worse, better)
        loss += _forces(flag, 1.0, keys, t, above, below, factors, worse, better, force)
        for k in range(n):
            forces[lo + here[k]] = force[k]
        add_chosen(X, rows, lo, hi, forces[lo:hi], gradient)
    return loss, gradient


@kernel
def binary_curvature_times(X, rows, relevant, offsets, reciprocal, order, v):
    """Product of the largest Hessian at the weights of ``order`` with ``v`` (d,).

    Parameters as in `binary_loss_and_gradient`, whose ``order`` on exit this takes.
    """
    longest = longest_query(offsets)
    scratch = np.empty((3, longest))
    places = np.zeros((2, longest), dtype=np.int64)
    flags = np.empty(longest, dtype=np.bool_)
    factors = np.empty((longest, 4))
    worse, better = np.empty((longest + 1, 6)), np.empty((longest + 1, 8))
    product = np.zeros(len(v))
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        here, flag = order[lo:hi], flags[:n]
        u, t, force = scratch[0, :n], scratch[1, :n], scratch[2, :n]
        score_chosen(X, rows, lo, hi, v, u, t)
        for k in range(n):
            t[k] = u[here[k]]
            flag[k] = relevant[lo + here[k]]
        m = _fill(flag, reciprocal, factors)
        if m == 0 or m == n:
            continue
        places[1, :n] = n
        _running_sums(flag, t, factors, worse, better)
        _forces(
            flag, 0.0, t, t, places[0, :n], places[1, :n], factors, worse, better, force
        )
        for k in range(n):
            u[here[k]] = force[k]
        add_chosen(X, rows, lo, hi, u, product)
    return product
