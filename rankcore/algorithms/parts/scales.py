"""Ranges and spreads of features within queries, and reciprocals of ranges as
scales."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rankcore.base.arrays import owned
from rankcore.base.blocks import blocks
from rankcore.compute.executors import Placed, place
from rankcore.data.dataset import RankingDataset

# The ranges found so far, by the queries that count, and the spreads: several parts of
# an algorithm ask for the same, and each pass over large data takes a second.
_VALUES: WeakKeyDictionary[RankingDataset, dict[bytes, np.ndarray]] = (
    WeakKeyDictionary()
)
# Subsets of one data set's queries of which they are known.
_MOST = 64
# The key of the spreads, which no subset of queries has.
_SPREAD = b""
# A range beyond the largest number has this exponent at most.
_BEYOND = 1025


class _ScaleBlock(NamedTuple):
    """A block, and which of its queries count."""

    X: np.ndarray
    offsets: np.ndarray
    queries: np.ndarray

    def widest(self) -> np.ndarray:
        from rankcore._kernels.arithmetic import ranges

        return ranges.widest_ranges(self.X, self.offsets, self.queries)

    def variances(self, units: np.ndarray) -> np.ndarray:
        from rankcore._kernels.arithmetic import ranges

        return ranges.variance_sums(self.X, self.offsets, units)


def feature_ranges(dataset: RankingDataset) -> np.ndarray:
    """(d,) widest range of each feature within a query."""
    return widest_ranges(dataset, np.ones(dataset.n_queries, dtype=np.bool_))


def feature_spreads(dataset: RankingDataset) -> np.ndarray:
    """(d,) spread of each feature within queries: the square root of the mean over
    queries of its variance in the query.

    Missing values do not count, and a query without any value has the variance 0.
    Read-only.
    """
    values = _VALUES.setdefault(dataset, {})
    if _SPREAD not in values:
        every = np.ones(dataset.n_queries, dtype=np.bool_)
        ranges = widest_ranges(dataset, every)
        exponents = np.where(np.isinf(ranges), _BEYOND, np.frexp(ranges)[1])
        exponents = np.maximum(exponents, -_BEYOND + 3)
        units = np.ldexp(1.0, -exponents)
        sums = _placed(dataset, every).call("variances", units)
        root = np.sqrt(np.add.reduce(sums) / dataset.n_queries)
        values[_SPREAD] = owned(np.ldexp(root, exponents))
    return values[_SPREAD]


def _placed(dataset: RankingDataset, queries: np.ndarray) -> Placed:
    """Return the blocks of a data set where they are computed."""
    parts = [
        _ScaleBlock(dataset.X[block.rows], block.offsets, queries[block.queries])
        for block in blocks(dataset.offsets, dataset.n_features)
    ]
    return place(parts)


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
    values = _VALUES.setdefault(dataset, {})
    key = np.packbits(queries).tobytes()
    ranges = values.get(key)
    if ranges is None:
        parts = _placed(dataset, queries)
        for oldest in list(values)[: 1 - _MOST]:
            values.pop(oldest, None)
        ranges = values[key] = owned(np.maximum.reduce(parts.call("widest")))
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
