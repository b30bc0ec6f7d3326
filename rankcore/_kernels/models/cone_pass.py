"""One pass over all ordered pairs: fold in each and sum the update of a cone.

Differences are computed on the fly and never stored; memory beyond the data is the
number of a query's documents times the number of vectors. A vector is a row of
``basis``, in units of the features times ``inverse``.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import rows_product, squared_distance
from rankcore._kernels.models.folding_in import (
    begin_folding,
    fold_by_steps,
    fold_exactly,
    gradient_rate,
    measure_vectors,
)

_EXACT = 0
_LOSS, _ENERGY, _WEIGHT_SUM, _ACTIVE, _GAP, _PAIRS = range(6)


@kernel
def _fill(array, value):
    """Set every entry of a vector to a value."""
    for i in range(len(array)):
        array[i] = value


@kernel
def _clear(matrix):
    """Set every entry of a matrix to 0."""
    for i in range(len(matrix)):
        _fill(matrix[i], 0.0)


@kernel
def _add(matrix, total):
    """Add a matrix to ``total``, in place."""
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            total[i, k] += matrix[i, k]


@kernel
def distance(X, i, j, inverse):
    """Length of the difference of two rows, with features times ``inverse``."""
    return math.sqrt(squared_distance(X, i, j, inverse))


@kernel
def shrinkage(length, alpha, rho):
    """Return the factor rho / (alpha + ||z||) that normalises a difference z."""
    return rho / (alpha + length) if alpha + length > 0.0 else 0.0


@kernel
def _project(X, lo, hi, inverse, basis, projections):
    """Products of the documents with the vectors."""
    scaled = basis * inverse
    for i in range(lo, hi):
        for k in range(len(basis)):
            projections[i - lo, k] = rows_product(X, i, scaled, k)


@kernel
def _gram(basis, gram):
    """Write the Gram matrix of the basis vectors into ``gram`` (K, K)."""
    for i in range(len(basis)):
        for k in range(len(basis)):
            gram[i, k] = rows_product(basis, i, basis, k)


@kernel
def _take_in(weight, share, w, g, b, length, pulls, better, worse, second, sums):
    """Add a folded pair to the sums; ``share`` is the scale of its difference."""
    overlap, product, lowest, total = 0.0, 0.0, math.inf, 0.0
    for k in range(len(w)):
        overlap += w[k] * g[k]
        product += w[k] * b[k]
        lowest = min(lowest, g[k])
        total += w[k]
        if w[k] > 0.0:
            sums[_ACTIVE] += 1.0
            pull = weight * share * w[k]
            pulls[better, k] += pull
            pulls[worse, k] -= pull
            for i in range(k + 1):
                second[k, i] += weight * w[k] * w[i]
    # With g = G w - b, ||z - U w||^2 = ||z||^2 + w'g - w'b; the gap is that of
    # Frank-Wolfe for the present sum of weights.
    energy = (share * length) ** 2
    sums[_LOSS] += weight * max(energy + overlap - product, 0.0)
    sums[_ENERGY] += weight * energy
    sums[_WEIGHT_SUM] += total
    sums[_GAP] += 2.0 * (overlap - lowest * total)
    sums[_PAIRS] += 1.0


@kernel
def _fold_query(
    X, labels, lo, hi, begin, end, inverse, alpha, rho, unit, projections, gram,
    rule, low, high, rate, steps, tolerance, scratch, use, count, factor,
    pulls, second, sums,
):  # fmt: skip
    """Fold in and sum over the pairs of one query whose better document is in
    ``begin:end``."""
    # The compiler knows that rows taken one by one are contiguous.
    w, b, g, before = scratch[0], scratch[1], scratch[2], scratch[3]
    lengths, rest = scratch[4], scratch[5:]
    safe = gradient_rate(gram, rule)
    first = max(low, min(1.0, high)) / len(w)
    lift = measure_vectors(gram, low, high, lengths)
    begin_folding(gram, lift, low, w, use, count, factor, rest)
    least = labels[lo:hi].min()
    for better in range(begin - lo, end - lo):
        if labels[lo + better] == least:
            continue
        for worse in range(hi - lo):
            grade = labels[lo + better] - labels[lo + worse]
            if grade <= 0:
                continue
            length = distance(X, lo + better, lo + worse, inverse)
            share = shrinkage(length, alpha, rho)
            for k in range(len(b)):
                b[k] = share * (projections[better, k] - projections[worse, k])
            weight = unit * float(grade) if unit > 0.0 else 1.0
            if rule == _EXACT:
                fold_exactly(
                    gram, lengths, lift, b, low, high, tolerance,
                    w, g, use, count, factor, rest,
                )  # fmt: skip
            else:
                _fill(w, first)
                step = 2.0 * weight * rate if rate > 0.0 else safe
                fold_by_steps(
                    rule, gram, b, low, high, step, steps, tolerance, w, g, before
                )  # fmt: skip
            _take_in(
                weight, share, w, g, b, length, pulls, better, worse, second, sums
            )  # fmt: skip


@kernel
def cap_rows(basis, cap):
    """Shorten vectors longer than ``cap`` to that length; return their number."""
    shortened = 0
    for k in range(len(basis)):
        length = math.sqrt(rows_product(basis, k, basis, k))
        if length > cap:
            shortened += 1
            for c in range(basis.shape[1]):
                basis[k, c] *= cap / length
    return shortened


@kernel
def descend(basis, moment, second, rate, cap):
    """Move the vectors against the gradient of one query's risk; return the number
    shortened to ``cap``."""
    pull = np.empty_like(basis)
    for k in range(basis.shape[0]):
        for c in range(basis.shape[1]):
            total = moment[k, c]
            for i in range(basis.shape[0]):
                total -= second[max(i, k), min(i, k)] * basis[i, c]
            pull[k, c] = total
    for k in range(basis.shape[0]):
        for c in range(basis.shape[1]):
            basis[k, c] += 2.0 * rate * pull[k, c]
    return cap_rows(basis, cap)


@kernel
def _summarise(X, lo, hi, inverse, pulls, count, moment, second):
    """Means over a query's pairs, from the pulls of its documents."""
    for i in range(lo, hi):
        for k in range(pulls.shape[1]):
            for c in range(X.shape[1]):
                moment[k, c] += pulls[i - lo, k] / count * X[i, c] * inverse[c]
    for k in range(len(second)):
        for i in range(k + 1):
            second[k, i] /= count


@kernel
def cone_pass(
    X, labels, offsets, pieces, n_pairs, inverse, basis, alpha, rho, unit,
    rule, low, high, rate, steps, tolerance, basis_rate, cap,
):  # fmt: skip
    """Fold in the pairs of some queries, or of a piece of one.

    Parameters
    ----------
    X : (n, d) float64
    labels : (n,) int64
    offsets : (q + 1,) int64
    pieces : (p, 3) int64
        The queries to visit, each with the first row, and the row after the last, of
        the better documents.
    n_pairs : (q,) int64
        Number of ordered pairs of each query, nonzero for visited queries.
    inverse : (d,) float64
        Factors by which the features are multiplied.
    basis : (K, d) float64
        The vectors; updated after each piece if ``basis_rate`` is above 0.
    alpha, rho : float
        Normalisation of the differences.
    unit : float
        The factor from a pair's difference of labels to its weight; 0 to count each
        pair once.
    rule, low, high, rate, steps, tolerance
        The method of folding in, see `rankcore._kernels.models.folding_in`; a ``rate``
        of 0 means the longest safe step.
    basis_rate : float
        Step length of a stochastic update; 0 keeps the vectors.
    cap : float
        Maximum length of a vector.

    Returns
    -------
    sums : (6,) float64
        Sums over queries of the risk, and of the risk with all weights 0; sums over
        pairs of the sum of weights, of the number of weights above 0 and of the gap;
        number of pairs.
    moment : (K, d) float64
        Sum over queries of the mean of weight w z'.
    second : (K, K) float64
        The same for weight w w', lower triangle only.
    shortened : int
        Number of vectors shortened to the maximum length.
    """
    n_vectors, d = basis.shape
    longest = 0
    for q in pieces[:, 0]:
        longest = max(longest, offsets[q + 1] - offsets[q])
    projections, pulls = np.empty((longest, n_vectors)), np.empty((longest, n_vectors))
    gram, factor = np.empty((n_vectors, n_vectors)), np.empty((n_vectors, n_vectors))
    use, count = np.empty((2, n_vectors), np.int64), np.empty(1, np.int64)
    scratch = np.empty((7, n_vectors))
    moment, own_moment = np.zeros((n_vectors, d)), np.empty((n_vectors, d))
    second, own_second = np.zeros((n_vectors, n_vectors)), np.empty_like(gram)
    answer, sums, shortened = np.zeros(6), np.empty(6), 0
    _gram(basis, gram)
    for q, begin, end in pieces:
        lo, hi = offsets[q], offsets[q + 1]
        _clear(pulls)
        _clear(own_second)
        _clear(own_moment)
        _fill(sums, 0.0)
        _project(X, lo, hi, inverse, basis, projections)
        _fold_query(
            X, labels, lo, hi, begin, end, inverse, alpha, rho, unit,
            projections, gram, rule, low, high, rate, steps, tolerance,
            scratch, use, count, factor, pulls, own_second, sums,
        )  # fmt: skip
        sums[_LOSS] /= n_pairs[q]
        sums[_ENERGY] /= n_pairs[q]
        _summarise(X, lo, hi, inverse, pulls, n_pairs[q], own_moment, own_second)
        _add(own_moment, moment)
        _add(own_second, second)
        for i in range(6):
            answer[i] += sums[i]
        if basis_rate > 0.0:
            shortened += descend(basis, own_moment, own_second, basis_rate, cap)
            _gram(basis, gram)
    return answer, moment, second, shortened


@kernel
def second_moment(X, labels, offsets, queries, inverse, alpha, rho, weighted):
    """Mean over queries of the weighted mean of z z' over their pairs, (d, d).

    The pairs of each document are summed first: the sum over pairs of c (x - x') (x -
    x')' equals the sum over documents of x times its c-weighted sum of x - x'.
    """
    d = X.shape[1]
    total, moment, pull = np.zeros((d, d)), np.empty((d, d)), np.empty(d)
    for q in queries:
        lo, hi = offsets[q], offsets[q + 1]
        _clear(moment)
        pairs = 0
        for i in range(lo, hi):
            _fill(pull, 0.0)
            for j in range(lo, hi):
                grade = abs(labels[i] - labels[j])
                if grade == 0:
                    continue
                pairs += 1
                share = shrinkage(distance(X, i, j, inverse), alpha, rho)
                weight = share * share * (float(grade) if weighted else 1.0)
                for c in range(d):
                    pull[c] += weight * (X[i, c] - X[j, c]) * inverse[c]
            for c in range(d):
                for e in range(d):
                    moment[c, e] += (X[i, c] - X[lo, c]) * inverse[c] * pull[e]
        for c in range(d):
            for e in range(d):
                total[c, e] += 2.0 * moment[c, e] / pairs
    for c in range(d):
        for e in range(d):
            total[c, e] /= len(queries)
    return total
