"""Ranks of documents within their queries, from scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcore.measures._measure import (
    Floats,
    Integers,
    checked_values,
    numbered_levels,
    read_only,
)


def exact_ranks(scores: ArrayLike, offsets: ArrayLike) -> Floats:
    """Rank the documents of each query by descending score.

    Parameters
    ----------
    scores : (n,) float64
        Higher is better; equal scores keep their order, so ranks are always a strict
        order 1 … n. Infinite scores are allowed, NaN is not.
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.

    Returns
    -------
    (n,) float64
        Rank within the query, 1 = best.

    Raises
    ------
    ValueError
        For NaN, or offsets that do not fit the scores.

    Examples
    --------
    >>> exact_ranks([0.3, 0.7, 0.3, 5.0], [0, 3, 4]).tolist()
    [2.0, 1.0, 3.0, 1.0]
    """
    keys, starts = checked_values(scores, offsets, "scores")
    if len(starts) == 2:
        # NumPy suffices for one query, which a page needs at once: compiling takes
        # seconds.
        ranks = np.empty(len(keys))
        ranks[np.argsort(-keys, kind="stable")] = np.arange(1.0, len(keys) + 1.0)
        return ranks
    from rankcore._kernels.ordering.ranks import rank_all

    return rank_all(keys, starts)


def worst_first(labels: ArrayLike, offsets: ArrayLike) -> Integers:
    """Rows of the documents, query by query, each query by ascending label.

    Ties keep the order of the documents, so ranking scores and labels in this order
    puts every tie in its worst order, for any measure.

    Parameters
    ----------
    labels : (n,) int64 or float64
        Relevance labels, 0 = irrelevant.
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.

    Returns
    -------
    (n,) int64
        Documents of one query and label keep their order.

    Examples
    --------
    >>> worst_first([2, 0, 1, 1], [0, 3, 4]).tolist()
    [1, 2, 0, 3]
    """
    from rankcore._kernels.ordering.grouping import group_by_label

    grades = read_only(numbered_levels(labels)[0], np.int64)
    starts = read_only(offsets, np.int64)
    order, *_ = group_by_label(grades, starts)
    return order + np.repeat(starts[:-1], np.diff(starts))


def last_names_first(
    names: Sequence[Any], scores: ArrayLike, offsets: ArrayLike
) -> Integers:
    """Rows of the documents, query by query, with documents of equal score by
    descending name, as in trec_eval.

    Parameters
    ----------
    names : sequence of n str or bytes
        Names of the documents; bytes in UTF-8.
    scores : (n,) float
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.

    Returns
    -------
    (n,) int64
        Only documents of equal score change places.

    Examples
    --------
    >>> last_names_first(["a", "c", "b", "d"], [1, 0, 1, 1], [0, 3, 4]).tolist()
    [2, 1, 0, 3]
    """
    keys, starts = np.asarray(scores), np.asarray(offsets, dtype=np.int64)
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.arange(len(keys))
    if ((keys[1:] > keys[:-1]) & (query[1:] == query[:-1])).any():
        order = np.lexsort((-keys, query))
    one, other = order[:-1], order[1:]
    tied = (keys[one] == keys[other]) & (query[one] == query[other])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], tied, [False]])))
    rows = np.arange(len(keys))
    # trec_eval compares bytes; code points have the same order as UTF-8 bytes.
    for begin, end in edges.reshape(-1, 2).tolist():
        group = order[begin : end + 1].tolist()
        rows[group] = sorted(group, key=names.__getitem__, reverse=True)
    return rows


def soft_ranks(scores: ArrayLike, offsets: ArrayLike, alpha: float) -> Floats:
    r"""Smooth ranks :math:`1+\sum_{j\ne i}\sigma(-\alpha(s_i-s_j))`.

    Eq. (12) of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct
    optimization of information retrieval measures*, Information Retrieval 13, 2010.
    Equal scores share their mid-rank, the ranks of a query sum to n (n + 1) / 2, and
    for distinct scores they tend to `exact_ranks` as alpha grows.

    Parameters
    ----------
    scores : (n,) float64
        Finite; higher is better.
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.
    alpha : float
        Sharpness, above 0 and finite.

    Returns
    -------
    (n,) float64
        Values from 1 to the number of the query's documents.

    Raises
    ------
    ValueError
        For scores that are not finite, an alpha out of range, or offsets that do not
        fit.
    """
    from rankcore._kernels.ordering.ranks import soft_rank_all

    if not 0 < alpha < np.inf:
        raise ValueError(f"alpha is {alpha}; give a finite number above 0.")
    keys, starts = checked_values(scores, offsets, "scores")
    if not np.isfinite(keys).all():
        raise ValueError("Soft ranks need finite scores, and some are infinite.")
    return soft_rank_all(keys, starts, float(alpha))
