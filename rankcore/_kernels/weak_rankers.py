"""How well each single feature ranks each query, upwards and downwards.

Each feature of a query is sorted once. The opposite order is the same list read
backwards, but for tied documents, which keep the given order either way.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ranks import longest_query
from rankcore._kernels.sorting import sort_descending


@kernel
def _value(order, gains, discounts, by_precision):
    """Quality of one ranking: the sum of gain times discount, or average precision.

    For precision, ``gains`` are 1 over the number of relevant documents, or 0.
    """
    total, seen = 0.0, 0.0
    if by_precision:
        for place in range(len(order)):
            gain = gains[order[place]]
            seen += gain > 0.0
            total += gain * seen / (place + 1.0)
        return total
    for place in range(min(len(order), len(discounts))):
        total += gains[order[place]] * discounts[place]
    return total


@kernel
def _upwards(order, keys, reverse):
    """Turn a falling order into the rising one, tied documents as they are."""
    n = len(order)
    end = n
    place = 0
    while end > 0:
        begin = end - 1
        while begin > 0 and keys[begin - 1] == keys[begin]:
            begin -= 1
        for k in range(begin, end):
            reverse[place] = order[k]
            place += 1
        end = begin


@kernel
def feature_quality(X, rows, gains, offsets, queries, discounts, by_precision):
    """Quality of every feature as a ranker of its own.

    Parameters
    ----------
    X : (n, d) float64, read-only
    rows : (n,) int64
        The documents of each query in the order that ties keep.
    gains : (n,) float64
        In that order, the gain of each document over the ideal DCG of its query; for
        average precision 1 over the query's relevant documents, 0 for others.
    offsets : (q + 1,) int64, read-only
    queries : (m,) int64
        The queries wanted.
    discounts : (k,) float64
        Discounts of ranks 1 … k; later ranks count nothing. Average precision takes
        none.
    by_precision : bool
        Whether average precision is meant.

    Returns
    -------
    (m, 2 d) float64
        By the feature's value first, by its negative behind.
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
        own = gains[begin:end]
        for feature in range(d):
            for i in range(n):
                column[i], order[i] = X[rows[begin + i], feature], i
            falling, rising = order[:n], spare_order[:n]
            sort_descending(column[:n], falling, keys[:n], spare[:n], rising)
            quality[at, feature] = _value(falling, own, discounts, by_precision)
            _upwards(falling, keys[:n], rising)
            quality[at, d + feature] = _value(rising, own, discounts, by_precision)
    return quality


@kernel
def ranking_quality(scores, gains, offsets, queries, discounts, by_precision, order):
    """Quality of the ranking by given scores (n,), as `feature_quality`.

    ``order`` is (n,) int64: any permutation of each query's documents, counted within
    the query; on exit the one by falling score, which the next call sorts from.

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
        own = order[begin:end]
        sort_descending(scores[begin:end], own, keys[:n], spare[:n], spare_order[:n])
        quality[at] = _value(own, gains[begin:end], discounts, by_precision)
    return quality
