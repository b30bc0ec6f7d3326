"""LambdaRank's loss and forces: logistic pairs, weighted by |ΔNDCG|.

The logistic function does not separate into a finite set of sums, so all pairs of
different labels are visited, O(n^2) per query; but with the documents grouped by label
the worse ones are contiguous, and the compiler vectorises over them. No pair is stored.
As for RankNet (`rankcore._kernels.losses.pairwise_logistic`), the exponential of a
difference is a product of two exponentials of scores, unless these are far apart.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import log1p_of_share
from rankcore._kernels.arithmetic.lanes import total
from rankcore._kernels.arithmetic.rows import add_chosen, score_chosen
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.losses.rsrank import sizes
from rankcore._kernels.ordering.grouping import group_by_level
from rankcore._kernels.ordering.sorting import sort_descending

# Up to this range of a query's scores the exponential of a difference is a product.
_ONE_ANCHOR = 600.0


@kernel
def _fill_exponentials(s, exps):
    """Write e^(s - c) and its reciprocal, with c in the middle of the scores; return
    whether products of these cannot overflow."""
    low, high = np.inf, -np.inf
    for score in s:
        low, high = min(low, score), max(high, score)
    anchor = 0.5 * low + 0.5 * high
    shared = high - low <= _ONE_ANCHOR
    if shared:
        for k in range(len(s)):
            e = vexp(s[k] - anchor)
            exps[0, k], exps[1, k] = e, 1.0 / e
    return shared


@kernel
def _fill_odds(m, shared, s, exps, odds):
    """Write e^-|s_m - s_j| for the documents before m, by products if possible."""
    score, own_exp, inverse = s[m], exps[0, m], exps[1, m]
    for j in range(len(odds)):
        if shared:
            up, down = own_exp * exps[1, j], exps[0, j] * inverse
            odds[j] = up if up < down else down
        else:
            odds[j] = vexp(-abs(score - s[j]))


@kernel
def _press(own_s, own_a, own_b, s, a, b, odds, force, losses):
    """Return the force of worse documents on one; add the forces and the losses of its
    pairs to those of the worse documents.

    ``odds`` are e^-|difference| of scores on entry, and the slopes on exit.
    """
    for j in range(len(odds)):
        weight = (own_a - a[j]) * abs(own_b - b[j])
        v = own_s - s[j]
        e = odds[j]
        losses[j] += weight * ((0.0 if v >= 0.0 else -v) + log1p_of_share(e))
        slope = weight * (e if v >= 0.0 else 1.0) / (1.0 + e)
        odds[j] = slope
        force[j] += slope
    return total(odds, 0, len(odds))


@kernel
def logistic_loss_and_gradient(
    X, rows, gains, levels, offsets, discounts, w, order, forces
):
    """LambdaRank's loss, summed over the queries, and its gradient for frozen weights.

    Parameters and results as in `rankcore._kernels.losses.rsrank.loss_and_gradient`.
    """
    longest, n_levels = sizes(offsets, levels)
    scratch, exps = np.empty((6, longest)), np.empty((2, longest))
    places = np.empty((2, longest), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    gradient = np.zeros(len(w))
    loss = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        s, a, b = scratch[0, :n], scratch[1, :n], scratch[2, :n]
        scores, force, losses = scratch[3, :n], scratch[4, :n], scratch[5, :n]
        level, members, here = places[0, :n], places[1, :n], order[lo:hi]
        score_chosen(X, rows, lo, hi, w, scores, s)
        sort_descending(scores, here, s, a, level)
        for k in range(n):
            level[k] = levels[lo + here[k]]
        group_by_level(level, starts, members)
        for m in range(n):
            document = here[members[m]]
            s[m], a[m] = scores[document], gains[lo + document]
            b[m] = discounts[members[m]]
            force[m] = losses[m] = 0.0
        shared = _fill_exponentials(s, exps)
        for c in range(1, n_levels):
            worse = starts[c]
            for m in range(worse, starts[c + 1]):
                odds = scores[:worse]
                _fill_odds(m, shared, s, exps, odds)
                force[m] -= _press(s[m], a[m], b[m], s, a, b, odds, force, losses)
        loss += total(losses, 0, n)
        for m in range(n):
            forces[lo + here[members[m]]] = force[m]
        add_chosen(X, rows, lo, hi, forces[lo:hi], gradient)
    return loss, gradient
