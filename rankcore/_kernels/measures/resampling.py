"""Sums over resampled queries, in the same order on every processor."""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import row_product


@kernel
def weighted_sums(values, weights, sums):
    """Write values @ weights.T to ``sums``.

    Parameters
    ----------
    values : (k, q) float64, C-contiguous
    weights : (n, q) of Booleans or whole numbers
        Number of occurrences of each query in each resample.
    sums : (k, n) float64
    """
    row = np.empty(values.shape[1])
    for i in range(len(weights)):
        for j in range(len(row)):
            row[j] = weights[i, j]
        for k in range(len(values)):
            sums[k, i] = row_product(values, k, row)
