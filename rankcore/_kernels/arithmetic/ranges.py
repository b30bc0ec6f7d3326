"""Ranges and variances of features within queries."""

import numpy as np

from rankcore._kernels import kernel


@kernel
def widest_ranges(X, offsets, queries):
    """Largest range of each feature within any of the chosen queries.

    Parameters
    ----------
    X : (n, d) float64, read-only
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    queries : (q,) bool
        Which of the queries count.

    Returns
    -------
    (d,) float64
        0 where no query counts. Missing values (NaN) are ignored.
    """
    d = X.shape[1]
    widest = np.zeros(d)
    low, high = np.empty(d), np.empty(d)
    for q in range(len(offsets) - 1):
        if not queries[q]:
            continue
        for j in range(d):
            low[j], high[j] = np.inf, -np.inf
        for i in range(offsets[q], offsets[q + 1]):
            for j in range(d):
                x = X[i, j]
                low[j] = x if x < low[j] else low[j]
                high[j] = x if x > high[j] else high[j]
        for j in range(d):
            widest[j] = max(widest[j], high[j] - low[j])
    return widest


@kernel
def variance_sums(X, offsets, units):
    """Sum over queries of the variance of each feature within the query.

    Parameters
    ----------
    X : (n, d) float64 or float32, read-only
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    units : (d,) float64
        Powers of two that multiply the values so that no square overflows.

    Returns
    -------
    (d,) float64
        Sums for the multiplied values. Missing values (NaN) are ignored.
    """
    d = X.shape[1]
    sums = np.zeros(d)
    low, mean, squares, counts = np.empty((4, d))
    for q in range(len(offsets) - 1):
        for j in range(d):
            low[j], mean[j], squares[j], counts[j] = np.inf, 0.0, 0.0, 0.0
        for i in range(offsets[q], offsets[q + 1]):
            for j in range(d):
                x = X[i, j] * units[j]
                low[j] = x if x < low[j] else low[j]
        # Differences from the least value give equal values a variance of exactly 0.
        for i in range(offsets[q], offsets[q + 1]):
            for j in range(d):
                x = X[i, j] * units[j] - low[j]
                mean[j] += x if x >= 0.0 else 0.0
                counts[j] += 1.0 if x >= 0.0 else 0.0
        for j in range(d):
            mean[j] /= max(counts[j], 1.0)
        for i in range(offsets[q], offsets[q + 1]):
            for j in range(d):
                x = X[i, j] * units[j] - low[j]
                squares[j] += (x - mean[j]) ** 2 if x >= 0.0 else 0.0
        for j in range(d):
            sums[j] += squares[j] / max(counts[j], 1.0)
    return sums
