"""The two products with one query's rows of X, while these are in the cache."""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import row_product, two_row_products
from rankcore._kernels.arithmetic.prefetching import prefetch

_ROWS_AHEAD, _LINE = 8, 8


@kernel
def _score_rows(X, lo, hi, wanted, w, s):
    """Score as `score_rows` does; prefetch rows up to ``wanted``, the next ones."""
    d = X.shape[1]
    for i in range(lo, hi - 1, 2):
        for ahead in range(i + _ROWS_AHEAD, min(i + _ROWS_AHEAD + 2, wanted)):
            for j in range(0, d, _LINE):
                prefetch(X, ahead, j)
        s[i - lo], s[i - lo + 1] = two_row_products(X, i, w)
    if (hi - lo) % 2 == 1:
        s[hi - 1 - lo] = row_product(X, hi - 1, w)


@kernel
def score_rows(X, lo, hi, w, s):
    """Write X[lo:hi] @ w to s."""
    _score_rows(X, lo, hi, len(X), w, s)


@kernel
def score_all(X, w):
    """X @ w, (n,) float64: equal rows have bitwise equal scores at any position.

    In BLAS, sums depend on the position of a row, which would separate documents that a
    model ties.
    """
    s = np.empty(len(X))
    score_rows(X, 0, len(X), w, s)
    return s


@kernel
def scale(values, factor):
    """Multiply values by a factor, unless it is 1."""
    if factor != 1.0:
        for i in range(np.uint64(len(values))):
            values[i] *= factor


@kernel
def add_rows(X, lo, hi, force, gradient):
    """Add force @ X[lo:hi] to the gradient, four rows at a time."""
    d = X.shape[1]
    n = hi - lo
    whole = n - n % 4
    for k in range(0, whole, 4):
        i = lo + k
        f0, f1, f2, f3 = force[k], force[k + 1], force[k + 2], force[k + 3]
        for j in range(d):
            gradient[j] += (
                f0 * X[i, j] + f1 * X[i + 1, j] + f2 * X[i + 2, j] + f3 * X[i + 3, j]
            )
    for k in range(whole, n):
        for j in range(d):
            gradient[j] += force[k] * X[lo + k, j]


@kernel
def score_queries(X, offsets, queries, w, scores):
    """Write X @ w to ``scores`` for the documents of some queries."""
    for q in queries:
        a, b = offsets[q], offsets[q + 1]
        score_rows(X, a, b, w, scores[a:b])


@kernel
def add_queries(X, offsets, queries, force):
    """Return force @ X over the documents of some queries."""
    gradient = np.zeros(X.shape[1])
    for q in queries:
        a, b = offsets[q], offsets[q + 1]
        add_rows(X, a, b, force[a:b], gradient)
    return gradient


@kernel
def score_chosen(X, rows, lo, hi, w, s, spare):
    """Write X[rows[lo:hi]] @ w to s; the rows are all rows of one query.

    They are read in memory order, which is faster than in the requested order.
    """
    first = rows[lo]
    for k in range(lo, hi):
        first = min(first, rows[k])
    _score_rows(X, first, first + hi - lo, first + hi - lo, w, spare)
    for k in range(lo, hi):
        s[k - lo] = spare[rows[k] - first]


@kernel
def add_chosen(X, rows, lo, hi, force, gradient):
    """Add force @ X[rows[lo:hi]] to the gradient, four rows at a time."""
    d = X.shape[1]
    n = hi - lo
    whole = n - n % 4
    for k in range(0, whole, 4):
        i0, i1 = rows[lo + k], rows[lo + k + 1]
        i2, i3 = rows[lo + k + 2], rows[lo + k + 3]
        f0, f1, f2, f3 = force[k], force[k + 1], force[k + 2], force[k + 3]
        for j in range(d):
            gradient[j] += f0 * X[i0, j] + f1 * X[i1, j] + f2 * X[i2, j] + f3 * X[i3, j]
    for k in range(whole, n):
        for j in range(d):
            gradient[j] += force[k] * X[rows[lo + k], j]


@kernel
def sum_chosen(X, rows, offsets, queries, force):
    """Return force @ X[rows] for each of some queries, one row per query."""
    sums = np.zeros((len(queries), X.shape[1]))
    for k in range(len(queries)):
        lo, hi = offsets[queries[k]], offsets[queries[k] + 1]
        add_chosen(X, rows, lo, hi, force[lo:hi], sums[k])
    return sums
