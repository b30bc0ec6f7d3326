r"""Gram matrices, and symmetric systems of some hundred unknowns.

LAPACK's results depend on the processor; these are the same to the last bit on all.
Each sum grows element by element along a row of the matrix, which needs no
reassociation to be fast.
"""

import numpy as np

from rankcore._kernels import kernel


@kernel
def add_gram(rows, gram):
    """Add rows.T @ rows to the upper triangle of ``gram`` (d, d), four rows (n, d) at a
    time."""
    n, d = rows.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        for j in range(d):
            f0, f1, f2, f3 = rows[i, j], rows[i + 1, j], rows[i + 2, j], rows[i + 3, j]
            for k in range(j, d):
                gram[j, k] += (
                    f0 * rows[i, k]
                    + f1 * rows[i + 1, k]
                    + f2 * rows[i + 2, k]
                    + f3 * rows[i + 3, k]
                )
    for i in range(whole, n):
        for j in range(d):
            for k in range(j, d):
                gram[j, k] += rows[i, j] * rows[i, k]


@kernel
def factorise(matrix, share):
    r"""Factorise a symmetric positive semidefinite matrix as :math:`U^\top D^{-1} U`.

    Parameters
    ----------
    matrix : (n, n) float64
        The upper triangle counts; U on exit.
    share : float
        An unknown is left out, as it depends on those before it, if they leave less
        than this share of its diagonal element.

    Returns
    -------
    (n,) float64
        D; 0 for an unknown left out.
    """
    n = len(matrix)
    pivots, least = np.zeros(n), np.empty(n)
    for j in range(n):
        least[j] = share * matrix[j, j]
    for j in range(n):
        pivot = matrix[j, j]
        if not pivot > least[j]:
            continue
        pivots[j] = pivot
        for i in range(j + 1, n):
            factor = matrix[j, i] / pivot
            if factor != 0.0:
                for k in range(i, n):
                    matrix[i, k] -= factor * matrix[j, k]
    return pivots


@kernel
def substitute(factor, pivots, x):
    """Put the solution of a factorised system into ``x`` (n,), its right side on entry;
    0 for an unknown left out."""
    n = len(x)
    for j in range(n):
        if pivots[j] == 0.0:
            x[j] = 0.0
            continue
        share = x[j] / pivots[j]
        for i in range(j + 1, n):
            x[i] -= share * factor[j, i]
    for j in range(n - 1, -1, -1):
        if pivots[j] != 0.0:
            rest = x[j]
            for i in range(j + 1, n):
                rest -= factor[j, i] * x[i]
            x[j] = rest / pivots[j]
