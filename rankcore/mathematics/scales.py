"""Ranges of features within queries, and their reciprocals as scales."""

import numpy as np

from rankcore.dataset import RankingDataset


def feature_ranges(dataset: RankingDataset) -> np.ndarray:
    """(d,) widest range of each feature within a query."""
    return widest_ranges(dataset, np.ones(dataset.n_queries, dtype=np.bool_))


def extremes(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value within each query."""
    begins = offsets[:-1]
    return np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)


def graded_queries(dataset: RankingDataset) -> np.ndarray:
    """(q,) whether a query has two different labels; only then it has pairs."""
    low, high = extremes(dataset.y, dataset.offsets)
    return low < high


def widest_ranges(dataset: RankingDataset, queries: np.ndarray) -> np.ndarray:
    """(d,) widest range of each feature within one of the ``queries`` (q,) bool; 0 if
    there is none."""
    from rankcore._kernels import ranges

    return ranges.widest_ranges(dataset.X, dataset.offsets, queries)


def reciprocal(ranges: np.ndarray) -> np.ndarray:
    """One over each range, 1 where it is 0: the feature never varies."""
    return 1.0 / np.where(ranges > 0.0, ranges, 1.0)


def reciprocal_or_zero(ranges: np.ndarray) -> np.ndarray:
    """One over each range, 0 where it is 0: nothing is learnt about the feature."""
    return np.divide(1.0, ranges, out=np.zeros_like(ranges), where=ranges > 0.0)


def reciprocal_ranges(dataset: RankingDataset) -> np.ndarray:
    """(d,) one over the widest range of each feature within a query with pairs."""
    return reciprocal(widest_ranges(dataset, graded_queries(dataset)))
