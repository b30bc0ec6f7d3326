r"""Sums of logistic losses over all pairs of a query.

For each pair of documents with :math:`y_i > y_j` the loss is :math:`\log(1 + r_{ij})`,
:math:`r_{ij} = e^{-(s_i - s_j)}`, and its slope :math:`r_{ij} / (1 + r_{ij})`. It has
no finite expansion, so all pairs are visited, but for little each:

- :math:`r_{ij} = E_j / E_i` with :math:`E_j = e^{s_j - c}`: one exponential a document,
  one division a pair. With the anchor :math:`c` amid the scores of a query nothing
  overflows up to a range of 600; where it is larger, each better document is the anchor
  of its own row;
- a sum of logarithms is the logarithm of a product: one logarithm for as many factors
  as certainly do not overflow. Where all factors of a row are within 1/1000 of 1, so
  that the product would lose digits, a power series replaces it.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ranks import longest_query
from rankcore._kernels.rows import add_rows, score_rows
from rankcore._kernels.vexp import vexp

_ONE_ANCHOR = 600.0
_LARGEST_EXPONENT = 700.0
_SERIES_BELOW = 1e-3


@kernel(fastmath={"reassoc", "contract"})
def _row(ratio, exps, force):
    """Loss of one document against all worse ones, and its pull; adds to theirs.

    ``exps`` are the worse documents' exponentials, ``ratio`` one over its own.
    """
    n = np.uint64(len(exps))
    largest = pull = 0.0
    for j in range(n):
        r = ratio * exps[j]
        slope = r * (1.0 / (1.0 + r))
        pull += slope
        force[j] += slope
        largest = r if r > largest else largest
    value = 0.0
    if largest < _SERIES_BELOW:
        for j in range(n):
            r = ratio * exps[j]
            value += r * (1.0 - r * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r * (1 / 5)))))
        return value, pull
    factors = max(int(_LARGEST_EXPONENT / math.log1p(largest)), 1)
    for begin in range(0, len(exps), factors):
        product = 1.0
        for j in range(np.uint64(begin), np.uint64(min(begin + factors, len(exps)))):
            product *= 1.0 + ratio * exps[j]
        value += math.log(product)
    return value, pull


@kernel
def _query(s, starts, exps, force):
    """Loss of one query with its force; ``s`` is by rising label from ``starts[0]``."""
    n, base = len(s), starts[0]
    low, high = s[0], s[0]
    for k in range(n):
        low, high, force[k] = min(low, s[k]), max(high, s[k]), 0.0
    shared = high - low <= _ONE_ANCHOR
    anchor = 0.5 * low + 0.5 * high
    if shared:
        for k in range(n):
            exps[k] = vexp(s[k] - anchor)
    value = 0.0
    for level in range(1, len(starts) - 1):
        worse = starts[level] - base
        for i in range(worse, starts[level + 1] - base):
            if shared:
                loss, pull = _row(1.0 / exps[i], exps[:worse], force[:worse])
            else:
                loss, pull = _wide_row(s[i], s[:worse], exps[:worse], force[:worse])
            value += loss
            force[i] -= pull
    return value


@kernel
def _wide_row(own, s, exps, force):
    """As `_row`, of a document that is its own anchor.

    A difference beyond any exponential counts as 700, and as its own loss.
    """
    beyond = 0.0
    for j in range(len(s)):
        difference = s[j] - own
        exps[j] = vexp(min(difference, _LARGEST_EXPONENT))
        beyond += max(difference - _LARGEST_EXPONENT, 0.0)
    value, pull = _row(1.0, exps, force)
    return value + beyond, pull


@kernel
def logistic_sums(X, offsets, order, starts, first, w):
    """Sum of the logistic losses of a linear model over all pairs of all queries.

    Parameters
    ----------
    X : (n, d) float64, read-only
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    order, starts, first : int64
        The documents of each query by rising label, see
        `rankcore.algorithms._levels.Levels`.
    w : (d,) float64

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    work = np.empty((4, longest_query(offsets)))
    gradient = np.zeros(len(w))
    value = 0.0
    for q in range(len(offsets) - 1):
        if first[q + 1] - first[q] < 2:
            continue
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        scores, s, exps, force = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
        score_rows(X, lo, hi, w, scores)
        for k in range(n):
            s[k] = scores[order[lo + k]]
        value += _query(s, starts[first[q] : first[q + 1] + 1], exps, force)
        for k in range(n):
            scores[order[lo + k]] = force[k]
        add_rows(X, lo, hi, scores, gradient)
    return value, gradient
