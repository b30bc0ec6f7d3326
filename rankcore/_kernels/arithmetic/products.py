"""Products of small arrays, with sums in the same order on every processor.

BLAS chooses its code, and so the order of its sums, by processor.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic import lanes


@kernel
def dot(a, b):
    """Sum of a * b, both (n,)."""
    return lanes.product(a, b, len(a))


@kernel
def combine(weights, rows, sums):
    """Add weights @ rows to ``sums`` (d,); ``weights`` is (n,), ``rows`` (n, d)."""
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            sums[j] += weights[i] * rows[i, j]


@kernel
def multiply(a, b):
    """Return a @ b, (m, n), of ``a`` (m, k) and ``b`` (k, n)."""
    product = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        combine(a[i], b, product[i])
    return product
