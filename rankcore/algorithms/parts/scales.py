"""Ranges of features within queries, and their reciprocals as scales."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rankcore.base.arrays import owned
from rankcore.base.blocks import blocks
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset

# The ranges found so far, by the queries that count: several parts of an algorithm ask
# for the same, and each pass over large data takes a second.
_FOUND: WeakKeyDictionary[RankingDataset, dict[bytes, np.ndarray]] = WeakKeyDictionary()
# Subsets of one data set's queries of which they are known.
_MOST = 64


class _ScaleBlock(NamedTuple):
    """A block, and which of its queries count."""

    X: np.ndarray
    offsets: np.ndarray
    queries: np.ndarray

    def widest(self) -> np.ndarray:
        from rankcore._kernels import ranges

        return ranges.widest_ranges(self.X, self.offsets, self.queries)


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
    there is none. Read-only."""
    found = _FOUND.setdefault(dataset, {})
    key = np.packbits(queries).tobytes()
    ranges = found.get(key)
    if ranges is None:
        parts = place(
            [
                _ScaleBlock(
                    dataset.X[block.rows], block.offsets, queries[block.queries]
                )
                for block in blocks(dataset.offsets, dataset.n_features)
            ]
        )
        for oldest in list(found)[: 1 - _MOST]:
            found.pop(oldest, None)
        ranges = found[key] = owned(np.maximum.reduce(parts.call("widest")))
    return ranges


def reciprocal(ranges: np.ndarray) -> np.ndarray:
    """One over each range, 1 where it is 0: the feature never varies."""
    return 1.0 / np.where(ranges > 0.0, ranges, 1.0)


def reciprocal_or_zero(ranges: np.ndarray) -> np.ndarray:
    """One over each range, 0 where it is 0: nothing is learnt about the feature."""
    return np.divide(1.0, ranges, out=np.zeros_like(ranges), where=ranges > 0.0)


def reciprocal_ranges(dataset: RankingDataset) -> np.ndarray:
    """(d,) one over the widest range of each feature within a query with pairs."""
    return reciprocal(widest_ranges(dataset, graded_queries(dataset)))
