r"""Gram matrices, and symmetric systems of up to some hundred unknowns.

LAPACK's results depend on the processor; these are identical to the last bit on all.
The inner loops run along a row of the matrix, over independent sums, so they are fast
without reassociation.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.tiles import HEIGHT, WIDTH, add_tile


@kernel
def add_products(first, right, sums):
    """Add left.T @ right to the upper triangle of ``sums`` (d, d), four rows (n, d) of
    each at a time."""
    d = first.shape[1]
    if d < WIDTH:
        _add_narrow(first, right, sums)
        return
    tile = np.empty((HEIGHT, WIDTH))
    for j in range(0, d, HEIGHT):
        for k in range(j, d, WIDTH):
            # The last tiles of a row and a column begin earlier and overlap others.
            top, begin = min(j, d - HEIGHT), min(k, d - WIDTH)
            if top == j and begin == k and k > j:
                add_tile(first, right, j, k, sums, j, k)
                continue
            for a in range(HEIGHT):
                for b in range(WIDTH):
                    tile[a, b] = sums[top + a, begin + b]
            add_tile(first, right, top, begin, tile, 0, 0)
            for row in range(j, top + HEIGHT):
                for column in range(max(k, row), begin + WIDTH):
                    sums[row, column] = tile[row - top, column - begin]


@kernel
def _add_narrow(first, right, sums):
    """Add products as `add_products` does, for matrices too narrow for a tile."""
    n, d = right.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        for j in range(d):
            f0, f1, f2, f3 = (
                first[i, j],
                first[i + 1, j],
                first[i + 2, j],
                first[i + 3, j],
            )
            for k in range(j, d):
                sums[j, k] += (
                    f0 * right[i, k]
                    + f1 * right[i + 1, k]
                    + f2 * right[i + 2, k]
                    + f3 * right[i + 3, k]
                )
    for i in range(whole, n):
        for j in range(d):
            for k in range(j, d):
                sums[j, k] += first[i, j] * right[i, k]


@kernel
def factorise(matrix, share):
    r"""Factorise a symmetric positive semidefinite matrix as :math:`U^\top D^{-1} U`.

    Parameters
    ----------
    matrix : (n, n) float64
        Only the upper triangle is read; U on exit.
    share : float
        An unknown is left out as linearly dependent if elimination leaves less than
        this share of its diagonal element.

    Returns
    -------
    (n,) float64
        D; 0 for unknowns left out.
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
    """Solve a factorised system in place: ``x`` (n,) is the right side on entry;
    unknowns left out are 0."""
    n = len(x)
    for j in range(n):
        if pivots[j] == 0.0:
            x[j] = 0.0
            continue
        share = x[j] / pivots[j]
        for i in range(j + 1, n):
            x[i] -= share * factor[j, i]
    back_substitute(factor, pivots, x)


@kernel
def back_substitute(factor, pivots, x):
    """Solve ``factor @ solution = x`` in place; unknowns left out are 0."""
    n = len(x)
    for j in range(n - 1, -1, -1):
        if pivots[j] != 0.0:
            rest = x[j]
            for i in range(j + 1, n):
                rest -= factor[j, i] * x[i]
            x[j] = rest / pivots[j]


@kernel
def diagonalise(matrix, rows, sweeps, share):
    """Diagonalise a symmetric ``matrix`` (n, n) in place by Jacobi rotations.

    It ends after ``sweeps`` sweeps over all pairs, or once no off-diagonal element
    exceeds ``share`` of the largest element. ``rows`` (n, m) are rotated too: the
    identity becomes the eigenvectors.
    """
    n, m = rows.shape
    for _ in range(sweeps):
        largest, off = 0.0, 0.0
        for i in range(n):
            largest = max(largest, abs(matrix[i, i]))
            for j in range(i):
                off = max(off, abs(matrix[i, j]))
        if off <= share * max(largest, off):
            break
        for i in range(n):
            for j in range(i):
                if matrix[i, j] == 0.0:
                    continue
                ratio = (matrix[j, j] - matrix[i, i]) / (2.0 * matrix[i, j])
                size = 1.0 / (abs(ratio) + np.sqrt(ratio * ratio + 1.0))
                tangent = size if ratio >= 0.0 else -size
                cosine = 1.0 / np.sqrt(tangent * tangent + 1.0)
                sine = tangent * cosine
                for k in range(n):
                    a, b = matrix[i, k], matrix[j, k]
                    matrix[i, k] = cosine * a - sine * b
                    matrix[j, k] = sine * a + cosine * b
                for k in range(n):
                    a, b = matrix[k, i], matrix[k, j]
                    matrix[k, i] = cosine * a - sine * b
                    matrix[k, j] = sine * a + cosine * b
                for k in range(m):
                    a, b = rows[i, k], rows[j, k]
                    rows[i, k] = cosine * a - sine * b
                    rows[j, k] = sine * a + cosine * b
