"""How far features spread within queries."""

import numpy as np

from rankcore._kernels import kernel


@kernel
def widest_ranges(X, offsets, queries):
    """Largest range of each feature within one of some queries.

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
        0 where no query counts. Missing values, which are NaN, do not.
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
