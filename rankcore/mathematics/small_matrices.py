"""Systems of linear equations, eigenvalues and singular values of small matrices.

LAPACK's results depend on the processor; these have the same bits on all. A system's
matrix is positive semidefinite. An unknown whose equation nearly follows from those
before it depends on them: it is in no way determined by the data.
"""

import math
from typing import Any

import numpy as np

from rankcore.mathematics.products import combination, product, times_vector

_MOST_SWEEPS = 30
_OFF_DIAGONAL = 1e-15

Floats = np.ndarray[Any, np.dtype[np.float64]]


def symmetric(upper: Floats) -> Floats:
    """Return the matrix (n, n) that has this upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def solution(matrix: Floats, right: Floats, share: float = 1e-12) -> Floats:
    """Return the x (n,) nearest to solving ``matrix @ x = right``, the shortest if
    there are many.

    Parameters
    ----------
    matrix : (n, n) float64
        Symmetric and positive semidefinite.
    right : (n,) float64
    share : float
        An unknown depends on those before it if they leave less than this share of its
        diagonal element.
    """
    from rankcore._kernels.arithmetic.small_matrices import factorise, substitute

    factor = np.array(matrix, np.float64)
    pivots = factorise(factor, share)
    null = _null_space(factor, pivots)
    x = _across(null, np.array(right, np.float64))
    substitute(factor, pivots, x)
    return _across(null, x)


def inverse(matrix: Floats) -> Floats:
    """Return the inverse (n, n) of a symmetric positive definite matrix."""
    from rankcore._kernels.arithmetic.small_matrices import factorise, substitute

    factor = np.array(matrix, np.float64)
    pivots = factorise(factor, 0.0)
    columns = np.eye(len(factor))
    for column in columns:
        substitute(factor, pivots, column)
    return 0.5 * (columns + columns.T)


def largest_eigenvalue(matrix: Floats) -> float:
    """Return the largest eigenvalue of a symmetric matrix."""
    return float(_diagonal(matrix, np.empty((len(matrix), 0))).max())


def eigenvectors(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues (n,) of a symmetric matrix, falling, and eigenvectors
    (n, n) of length 1, one a row."""
    rows = np.eye(len(matrix))
    values = _diagonal(matrix, rows)
    order = np.argsort(-values, kind="stable")
    return values[order], rows[order]


def singular_vectors(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the lengths (d,) of a matrix (n, d) along its right singular vectors, and
    these (d, d), one a row; the first is the longest."""
    rows = eigenvectors(product(matrix.T, matrix))[1]
    # An eigenvalue would be a length's square, which has half of its digits.
    lengths = np.sqrt((product(matrix, rows.T) ** 2).sum(axis=0))
    order = np.argsort(-lengths, kind="stable")
    return lengths[order], rows[order]


def spectral_norm(matrix: Floats) -> float:
    """Return the largest singular value of a matrix."""
    return math.sqrt(max(largest_eigenvalue(product(matrix.T, matrix)), 0.0))


def pseudo_inverse(matrix: Floats) -> Floats:
    """Return the (d, n) that takes any right side to the shortest least-squares
    solution of a matrix (n, d), dependent columns being those of `solution`."""
    gram = product(matrix.T, matrix)
    return np.column_stack([solution(gram, row) for row in matrix])


def _diagonal(matrix: Floats, rows: Floats) -> Floats:
    from rankcore._kernels.arithmetic.small_matrices import diagonalise

    square = np.array(matrix, np.float64, order="C")
    diagonalise(square, rows, _MOST_SWEEPS, _OFF_DIAGONAL)
    return np.diag(square)


def _null_space(factor: Floats, pivots: Floats) -> Floats:
    """Vectors (m, n), one for each unknown that depends on others, that the matrix
    takes to nearly 0."""
    from rankcore._kernels.arithmetic.small_matrices import back_substitute

    dependent = np.flatnonzero(pivots == 0.0)
    vectors = np.zeros((len(dependent), len(pivots)))
    for vector, k in zip(vectors, dependent.tolist(), strict=True):
        vector[:k] = -factor[:k, k]
        back_substitute(factor, pivots, vector)
        vector[k] = 1.0
    return vectors


def _across(null: Floats, x: Floats) -> Floats:
    """Return the part of ``x`` (n,) at right angles to independent vectors (m, n)."""
    if not len(null):
        return x
    shares = inverse(product(null, null.T))
    return x - combination(times_vector(shares, times_vector(null, x)), null)
