"""Products of vectors and matrices, with the same bits on every processor.

They replace ``@``, `numpy.dot` and `numpy.linalg.norm` wherever a model or a figure
depends on the result: BLAS adds in an order that depends on the processor.
"""

import math
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]


def dot(a: Any, b: Any) -> float:
    """Return the sum of a * b, both (n,)."""
    from rankcore._kernels.arithmetic import products

    return float(products.dot(_floats(a), _floats(b)))


def norm(a: Any) -> float:
    """Return the Euclidean length of ``a`` (n,)."""
    return math.sqrt(dot(a, a))


def times_vector(matrix: Any, vector: Any) -> Floats:
    """Return ``matrix @ vector``, (n,), of (n, d) and (d,)."""
    from rankcore._kernels.arithmetic.rows import score_all

    values: Floats = score_all(_floats(matrix), _floats(vector))
    return values


def combination(weights: Any, rows: Any) -> Floats:
    """Return ``weights @ rows``, (d,), of (n,) and (n, d)."""
    from rankcore._kernels.arithmetic import products

    rows = _floats(rows)
    sums = np.zeros(rows.shape[1])
    products.combine(_floats(weights), rows, sums)
    return sums


def product(a: Any, b: Any) -> Floats:
    """Return ``a @ b``, (m, n), of (m, k) and (k, n)."""
    from rankcore._kernels.arithmetic import products

    values: Floats = products.multiply(_floats(a), _floats(b))
    return values


def _floats(array: Any) -> Floats:
    return np.ascontiguousarray(array, np.float64)
