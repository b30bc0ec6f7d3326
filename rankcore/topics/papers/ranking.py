"""Rankings as ordered labels, the only input of measures."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcore.measures import by_query

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset


class Ranking(NamedTuple):
    """A model's rankings of queries, for any measure.

    Attributes
    ----------
    labels : bytes
        The label of each document, query after query, the first rank first.
    lengths : tuple of int
        Number of documents of each query.
    """

    labels: bytes
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, dataset: "RankingDataset", scores: np.ndarray) -> "Ranking":
        """Return the queries of a data set by descending scores; ties keep order."""
        lengths = np.diff(dataset.offsets)
        query = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((-np.asarray(scores, np.float64), query))
        labels = dataset.y[order].astype(np.uint8).tobytes()
        return cls(labels, tuple(lengths.tolist()))

    def values(self, measure: str, convention: str) -> np.ndarray:
        """(q,) the measure of each query, tied documents in the order of the data."""
        return _values(self, measure, convention)


class _Listed(NamedTuple):
    """Labels and offsets of a ranking, in the form that measures read."""

    y: np.ndarray
    offsets: np.ndarray


@lru_cache(maxsize=512)
def _listed(ranking: Ranking) -> _Listed:
    labels = np.frombuffer(ranking.labels, np.uint8).astype(np.int64)
    return _Listed(labels, np.concatenate([[0], np.cumsum(ranking.lengths)]))


@lru_cache(maxsize=4096)
def _values(ranking: Ranking, measure: str, convention: str) -> np.ndarray:
    listed = _listed(ranking)
    # All scores are equal, so the ranking's order is kept.
    (values,) = by_query(
        listed, np.zeros(len(listed.y)), measure, convention, ties="input"
    ).values()
    return values


def weighted(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return the values of all folds, weighted so that their mean is that of the
    folds."""
    total = sum(map(len, arrays))
    return np.concatenate([v * (total / len(arrays) / len(v)) for v in arrays])
