"""LambdaRank's loss and forces: logistic pairs, weighted by |ΔNDCG|.

There is no finite set of sums for the logistic function, so all pairs of different
labels are visited, O(n^2) a query; but with the documents grouped by label the worse
ones are a block, which the compiler takes four at a time. None is stored.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.grouping import group_by_level
from rankcore._kernels.rows import add_chosen, score_chosen
from rankcore._kernels.rsrank import sizes
from rankcore._kernels.sorting import sort_descending
from rankcore._kernels.vexp import vexp

_TERMS = 18


@kernel(fastmath={"contract"})
def vlog1p(x: float) -> float:
    """log(1 + x) for x from 0 to 1, to a few units in the last place.

    As 2 artanh(x / (2 + x)), whose argument is at most 1/3, by the first 18 terms of
    its series; the rest is below 1e-17. Compilers can vectorise it.
    """
    y = x / (2.0 + x)
    z = y * y
    total = 1.0 / (2 * _TERMS - 1)
    for k in range(_TERMS - 2, -1, -1):
        total = 1.0 / (2 * k + 1) + z * total
    return 2.0 * y * total


@kernel(fastmath={"reassoc", "contract"})
def _press(own_s, own_a, own_b, s, a, b, force):
    """Loss of one document's pairs with worse ones, and the force on it."""
    loss = pull = 0.0
    for j in range(len(s)):
        weight = (own_a - a[j]) * abs(own_b - b[j])
        v = own_s - s[j]
        e = vexp(-abs(v))
        loss += weight * (max(-v, 0.0) + vlog1p(e))
        slope = weight * (e if v >= 0.0 else 1.0) / (1.0 + e)
        pull += slope
        force[j] += slope
    return loss, pull


@kernel
def logistic_loss_and_gradient(
    X, rows, gains, levels, offsets, discounts, w, order, forces
):
    """LambdaRank's loss, summed over the queries, and its gradient for frozen weights.

    Parameters and results as in `rankcore._kernels.rsrank.loss_and_gradient`.
    """
    longest, n_levels = sizes(offsets, levels)
    scratch = np.empty((5, longest))
    places = np.empty((2, longest), dtype=np.int64)
    starts = np.empty(n_levels + 1, dtype=np.int64)
    gradient = np.zeros(len(w))
    loss = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        s, a, b = scratch[0, :n], scratch[1, :n], scratch[2, :n]
        scores, force = scratch[3, :n], scratch[4, :n]
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
            force[m] = 0.0
        for c in range(1, n_levels):
            worse = starts[c]
            for m in range(worse, starts[c + 1]):
                part, pull = _press(
                    s[m], a[m], b[m], s[:worse], a[:worse], b[:worse], force[:worse]
                )
                loss += part
                force[m] -= pull
        for m in range(n):
            forces[lo + here[members[m]]] = force[m]
        add_chosen(X, rows, lo, hi, forces[lo:hi], gradient)
    return loss, gradient
