"""Ranges and spreads of features within queries, and scales, which are reciprocal
ranges."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rankcore.base.arrays import owned
from rankcore.base.blocks import blocks
from rankcore.compute.executors import Placed, place
from rankcore.data.dataset import RankingDataset

# Cache of the ranges, by the queries that count, and of the spreads: several parts of
# an algorithm need them, and each pass over large data takes a second.
_VALUES: WeakKeyDictionary[RankingDataset, dict[bytes, np.ndarray]] = (
    WeakKeyDictionary()
)
# Maximum number of cached subsets of a data set's queries.
_MOST = 64
# The key of the spreads, which no subset of queries has.
_SPREAD = b""
# A range that overflows has at most this exponent.
_BEYOND = 1025


class _ScaleBlock(NamedTuple):
    """A block, and the mask of its queries that count."""

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

    Missing values are ignored; a query without any value has variance 0. Read-only.
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
    """Return the blocks of a data set, placed on their workers."""
    parts = [
        _ScaleBlock(dataset.X[block.rows], block.offsets, queries[block.queries])
        for block in blocks(dataset.offsets, dataset.n_features)
    ]
    return place(parts)


def extremes(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest value within each query."""
    begins = offsets[:-1]
    return np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)


def graded_queries(dataset: RankingDataset) -> np.ndarray:
    """(q,) whether a query has two different labels, and so has pairs."""
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
    """Return the reciprocal of each range; 1 for a constant feature."""
    return 1.0 / np.where(ranges > 0.0, ranges, 1.0)


def reciprocal_or_zero(ranges: np.ndarray) -> np.ndarray:
    """Return the reciprocal of each range; 0 for a constant feature, which is not
    learnt."""
    return np.divide(1.0, ranges, out=np.zeros_like(ranges), where=ranges > 0.0)


def reciprocal_ranges(dataset: RankingDataset) -> np.ndarray:
    """(d,) reciprocal of the widest range of each feature within a query with pairs."""
    return reciprocal(widest_ranges(dataset, graded_queries(dataset)))
