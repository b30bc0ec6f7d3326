"""Systems of linear equations, eigenvalues and singular values of small matrices.

LAPACK's results depend on the processor; these have the same bits on all. The matrix of
a system is positive semidefinite. An unknown is dependent if its equation nearly
follows from the previous ones: the data do not determine it.
"""

import math
from typing import Any

import numpy as np

from rankcore.mathematics.products import combination, product, times_vector

_MOST_SWEEPS = 30
_OFF_DIAGONAL = 1e-15

Floats = np.ndarray[Any, np.dtype[np.float64]]


def symmetric(upper: Floats) -> Floats:
    """Return the symmetric matrix (n, n) with this upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def solution(matrix: Floats, right: Floats, share: float = 1e-12) -> Floats:
    """Return the least-squares solution x (n,) of ``matrix @ x = right`` of least
    length.

    Parameters
    ----------
    matrix : (n, n) float64
        Symmetric and positive semidefinite.
    right : (n,) float64
    share : float
        An unknown is dependent if elimination leaves less than this share of its
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
    """Return the eigenvalues (n,) of a symmetric matrix, in descending order, and unit
    eigenvectors (n, n), one per row."""
    rows = np.eye(len(matrix))
    values = _diagonal(matrix, rows)
    order = np.argsort(-values, kind="stable")
    return values[order], rows[order]


def singular_vectors(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the singular values (d,) of a matrix (n, d), in descending order, and its
    right singular vectors (d, d), one per row."""
    rows = eigenvectors(product(matrix.T, matrix))[1]
    # The square root of an eigenvalue would have only half of the digits.
    lengths = np.sqrt((product(matrix, rows.T) ** 2).sum(axis=0))
    order = np.argsort(-lengths, kind="stable")
    return lengths[order], rows[order]


def spectral_norm(matrix: Floats) -> float:
    """Return the largest singular value of a matrix."""
    return math.sqrt(max(largest_eigenvalue(product(matrix.T, matrix)), 0.0))


def pseudo_inverse(matrix: Floats) -> Floats:
    """Return the pseudoinverse (d, n) of a matrix (n, d), with dependent columns as in
    `solution`."""
    gram = product(matrix.T, matrix)
    return np.column_stack([solution(gram, row) for row in matrix])


def _diagonal(matrix: Floats, rows: Floats) -> Floats:
    from rankcore._kernels.arithmetic.small_matrices import diagonalise

    square = np.array(matrix, np.float64, order="C")
    diagonalise(square, rows, _MOST_SWEEPS, _OFF_DIAGONAL)
    return np.diag(square)


def _null_space(factor: Floats, pivots: Floats) -> Floats:
    """Vectors (m, n), one for each dependent unknown, that the matrix maps to nearly
    0."""
    from rankcore._kernels.arithmetic.small_matrices import back_substitute

    dependent = np.flatnonzero(pivots == 0.0)
    vectors = np.zeros((len(dependent), len(pivots)))
    for vector, k in zip(vectors, dependent.tolist(), strict=True):
        vector[:k] = -factor[:k, k]
        back_substitute(factor, pivots, vector)
        vector[k] = 1.0
    return vectors


def _across(null: Floats, x: Floats) -> Floats:
    """Return the component of ``x`` (n,) orthogonal to independent vectors (m, n)."""
    if not len(null):
        return x
    shares = inverse(product(null, null.T))
    return x - combination(times_vector(shares, times_vector(null, x)), null)
