"""Disagreement of raters on queries, discounted as DCG discounts ranks."""

import numpy as np

from rankcore.measures.cumulated_gain import discounts


def query_disagreement(
    query: np.ndarray, labels: np.ndarray, variances: np.ndarray
) -> np.ndarray:
    """Return the disagreement of raters on each query, (q,) float64.

    It is the sum of the variances of its documents, discounted as in DCG in the order
    of the labels; documents of one label share their mean discount.

    Parameters
    ----------
    query : (m,) int
        Query of each item, counted from 0.
    labels : (m,) float64
        Labels of a `Consensus`.
    variances : (m,) float64
        As returned by `ordinal_variances`.
    """
    order = np.lexsort((-labels, query))
    queries = query[order]
    begins = np.searchsorted(queries, queries)
    weights = discounts(1.0 + np.arange(len(order)) - begins)
    new = np.diff(queries, prepend=-1) != 0
    new[1:] |= np.diff(labels[order]) != 0.0
    group = np.cumsum(new) - 1
    means = np.bincount(group, weights) / np.bincount(group)
    return np.bincount(queries, variances[order] * means[group])
