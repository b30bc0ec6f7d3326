r"""Sums of logistic losses over all pairs of a query.

For each pair of documents with :math:`y_i > y_j` the loss is :math:`\log(1 + r_{ij})`,
:math:`r_{ij} = e^{-(s_i - s_j)}`, and its slope :math:`r_{ij} / (1 + r_{ij})`. It does
not separate into a finite set of sums, so all pairs are visited, but each is cheap:

- :math:`r_{ij} = E_j / E_i` with :math:`E_j = e^{s_j - c}`: one exponential per
  document, one division per pair. With the anchor :math:`c` in the middle of a query's
  scores nothing overflows up to a range of 600; beyond that, each better document is
  the anchor of its own row;
- a sum of logarithms is the logarithm of a product: each worse document accumulates one
  product, whose logarithm is taken before it can overflow. Where all factors of a
  better document are within 1/1000 of 1, so that the products would lose digits, a
  power series replaces them.
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
    """Return the force of all worse documents on one; add the slopes to their forces,
    and multiply their products by the factors.

    ``exps`` are the worse documents' exponentials, ``ratio`` is the reciprocal of its
    own; ``slopes`` is scratch.
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
    """Do the same as `_row` for factors near 1, adding a series to the losses."""
    for j in range(len(exps)):
        r = ratio * exps[j]
        slopes[j] = slope = r / (1.0 + r)
        force[j] += slope
        losses[j] += r * (1.0 - r * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r * (1 / 5)))))
    return total(slopes, 0, len(exps))


@kernel
def _take_logarithms(products, losses):
    """Add the logarithms of the products to the losses; reset the products to 1."""
    for j in range(len(products)):
        losses[j] += vlog(products[j])
        products[j] = 1.0


@kernel
def _query(s, starts, force, scratch):
    """Return the loss of one query; ``s`` is by ascending label from ``starts[0]``."""
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
                # An upper bound on the logarithm of any product tells when one might
                # overflow.
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
    """Write the exponentials of s - score.

    Differences are capped at 700; beyond, the loss is linear, so the sum of the excess
    is returned.
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
        The factor of each query's losses.
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
