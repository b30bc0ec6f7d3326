r"""Sums of logistic losses over all pairs of a query.

For each pair of documents with :math:`y_i > y_j` the loss is :math:`\log(1 + r_{ij})`,
:math:`r_{ij} = e^{-(s_i - s_j)}`, and its slope :math:`r_{ij} / (1 + r_{ij})`. It has
no finite expansion, so all pairs are visited, but for little each:

- :math:`r_{ij} = E_j / E_i` with :math:`E_j = e^{s_j - c}`: one exponential a document,
  one division a pair. With the anchor :math:`c` amid the scores of a query nothing
  overflows up to a range of 600; where it is larger, each better document is the anchor
  of its own row;
- a sum of logarithms is the logarithm of a product: each worse document has one of its
  own, whose logarithm is taken before it may overflow. Where all factors of a better
  document are within 1/1000 of 1, so that the products would lose digits, a power
  series replaces them.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog, vlog1p
from rankcore._kernels.arithmetic.lanes import total
from rankcore._kernels.arithmetic.rows import add_rows, scale, score_rows
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.ordering.ranks import largest, longest_query

_ONE_ANCHOR = 600.0
_LARGEST_EXPONENT = 700.0
_SERIES_BELOW = 1e-3


@kernel
def _row(ratio, exps, slopes, force, products):
    """Return the pull of all worse documents on one; add to the force on each of them,
    and multiply its product by its factor.

    ``exps`` are the worse documents' exponentials, ``ratio`` one over its own;
    ``slopes`` is scratch.
    """
    for j in range(len(exps)):
        r = ratio * exps[j]
        factor = 1.0 + r
        slopes[j] = slope = r / factor
        force[j] += slope
        products[j] *= factor
    return total(slopes, 0, len(exps))


@kernel
def _close_row(ratio, exps, slopes, force, losses):
    """As `_row`, of factors near 1; adds to the losses instead of multiplying."""
    for j in range(len(exps)):
        r = ratio * exps[j]
        slopes[j] = slope = r / (1.0 + r)
        force[j] += slope
        losses[j] += r * (1.0 - r * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r * (1 / 5)))))
    return total(slopes, 0, len(exps))


@kernel
def _take_logarithms(products, losses):
    """Add to the losses the logarithms of the products, which begin again at 1."""
    for j in range(len(products)):
        losses[j] += vlog(products[j])
        products[j] = 1.0


@kernel
def _query(s, starts, force, scratch):
    """Loss of one query with its force; ``s`` is by rising label from ``starts[0]``."""
    n, base = len(s), starts[0]
    exps, slopes, products, losses = scratch[0], scratch[1], scratch[2], scratch[3]
    low, high = s[0], s[0]
    for k in range(n):
        low, high = min(low, s[k]), max(high, s[k])
        force[k], losses[k], products[k] = 0.0, 0.0, 1.0
    shared = high - low <= _ONE_ANCHOR
    anchor = 0.5 * low + 0.5 * high
    if shared:
        for k in range(n):
            exps[k] = vexp(s[k] - anchor)
    most = beyond = exponent = 0.0
    for level in range(1, len(starts) - 1):
        worse = starts[level] - base
        if shared:
            most = max(most, largest(exps[starts[level - 1] - base : worse]))
        for i in range(worse, starts[level + 1] - base):
            ratio = 1.0
            if shared:
                ratio = 1.0 / exps[i]
            else:
                beyond += _anchor(s[i], s[:worse], exps)
                most = largest(exps[:worse])
            if ratio * most < _SERIES_BELOW:
                pull = _close_row(ratio, exps[:worse], slopes, force, losses)
            else:
                growth = vlog1p(ratio * most)
                if exponent + growth > _LARGEST_EXPONENT:
                    _take_logarithms(products[:n], losses)
                    exponent = 0.0
                exponent += growth
                pull = _row(ratio, exps[:worse], slopes, force, products)
            force[i] -= pull
    _take_logarithms(products[:n], losses)
    return total(losses, 0, n) + beyond


@kernel
def _anchor(score, s, exps):
    """Fill in the exponentials of s - own.

    A difference beyond any exponential counts as 700, and as its own loss: the sum of
    what is beyond is returned.
    """
    beyond = 0.0
    for j in range(len(s)):
        difference = s[j] - score
        exps[j] = vexp(min(difference, _LARGEST_EXPONENT))
        beyond += max(difference - _LARGEST_EXPONENT, 0.0)
    return beyond


@kernel
def logistic_sums(X, offsets, order, starts, first, weights, w):
    """Sum of the logistic losses of a linear model over all pairs of all queries.

    Parameters
    ----------
    X : (n, d) float64, read-only
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    order, starts, first : int64
        The documents of each query by rising label, see
        `rankcore.algorithms.parts.levels.Levels`.
    weights : (q,) float64, read-only
        What the losses of each query are multiplied by.
    w : (d,) float64

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    work = np.empty((7, longest_query(offsets)))
    gradient = np.zeros(len(w))
    value = 0.0
    for q in range(len(offsets) - 1):
        if first[q + 1] - first[q] < 2:
            continue
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        scores, s, force = work[0, :n], work[1, :n], work[2, :n]
        score_rows(X, lo, hi, w, scores)
        for k in range(n):
            s[k] = scores[order[lo + k]]
        levels = starts[first[q] : first[q + 1] + 1]
        value += weights[q] * _query(s, levels, force, work[3:])
        scale(force, weights[q])
        for k in range(n):
            scores[order[lo + k]] = force[k]
        add_rows(X, lo, hi, scores, gradient)
    return value, gradient
