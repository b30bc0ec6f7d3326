"""Quality of each single feature as a ranker of each query, ascending and descending.

Each feature of a query is sorted once; the opposite order is the same list read
backwards. Tied documents are averaged exactly over their orders.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.ranks import longest_query
from rankcore._kernels.ordering.sorting import sort_descending
from rankcore._kernels.ordering.ties import tied_value


@kernel
def _value(order, keys, gains, discounts, form, step):
    """Return a measure of the documents in ``order``, sorted by ``keys``; the step -1
    reads it backwards."""
    n = len(order)
    depth = min(n, len(discounts))
    value, above = 0.0, 0.0
    begin = 0
    while begin < depth:
        at = begin if step > 0 else n - 1 - begin
        key, total, good, end = keys[at], 0.0, 0.0, begin
        while end < n and keys[at] == key:
            gain = gains[order[at]]
            total += gain
            good += gain > 0.0
            end += 1
            at += step if end < n else 0
        if good > 0.0:
            block = discounts[begin : min(end, depth)]
            value += tied_value(form, total, good, end - begin, above, block)
        above += good
        begin = end
    return value


@kernel
def feature_quality(X, gains, offsets, queries, discounts, form):
    """Quality of every feature as a ranker by itself.

    Parameters
    ----------
    X : (n, d) float64, read-only
    gains, discounts, form
        As `rankcore.algorithms.parts.gain_sums.GainSum`, the discounts up to the
        cutoff.
    offsets : (q + 1,) int64, read-only
    queries : (m,) int64
        The queries to evaluate.

    Returns
    -------
    (m, 2 d) float64
        First for the features, then for their negatives.
    """
    d = X.shape[1]
    longest = longest_query(offsets)
    column, keys, spare = np.empty(longest), np.empty(longest), np.empty(longest)
    order = np.empty(longest, dtype=np.int64)
    spare_order = np.empty(longest, dtype=np.int64)
    quality = np.empty((len(queries), 2 * d))
    for at in range(len(queries)):
        begin, end = offsets[queries[at]], offsets[queries[at] + 1]
        n = end - begin
        grades = gains[begin:end]
        for feature in range(d):
            for i in range(n):
                column[i], order[i] = X[begin + i, feature], i
            falling, key = order[:n], keys[:n]
            sort_descending(column[:n], falling, key, spare[:n], spare_order[:n])
            quality[at, feature] = _value(falling, key, grades, discounts, form, 1)
            quality[at, d + feature] = _value(falling, key, grades, discounts, form, -1)
    return quality


@kernel
def ranking_quality(scores, gains, offsets, queries, discounts, form, order):
    """Quality of the ranking by scores (n,), as in `feature_quality`.

    ``order`` is (n,) int64: any permutation of each query's documents, counted within
    the query; sorted by descending score on exit, from which the next call starts.

    Returns
    -------
    (m,) float64
    """
    longest = longest_query(offsets)
    keys, spare = np.empty(longest), np.empty(longest)
    spare_order = np.empty(longest, dtype=np.int64)
    quality = np.empty(len(queries))
    for at in range(len(queries)):
        begin, end = offsets[queries[at]], offsets[queries[at] + 1]
        n = end - begin
        rows = order[begin:end]
        key = keys[:n]
        sort_descending(scores[begin:end], rows, key, spare[:n], spare_order[:n])
        quality[at] = _value(rows, key, gains[begin:end], discounts, form, 1)
    return quality
