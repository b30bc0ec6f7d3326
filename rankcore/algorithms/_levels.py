"""The documents of each query grouped by label, as the pairwise kernels take them."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from rankcore.dataset import RankingDataset


@dataclass(frozen=True)
class Levels:
    """Where to find the documents of each label of each query.

    Attributes
    ----------
    order : (n,) int64
        The documents of each query by rising label, counted within the query.
    starts : (m + 1,) int64
        Where in ``order`` each of the m groups of one query and label begins.
    first : (q + 1,) int64
        Query i has the groups ``first[i]`` to ``first[i + 1]``.
    n_pairs : int
        Pairs of documents of one query with different labels.
    """

    order: np.ndarray
    starts: np.ndarray
    first: np.ndarray
    n_pairs: int

    @classmethod
    def of(cls, dataset: RankingDataset) -> Self:
        """Group the documents of ``dataset``; those of one label keep their order."""
        n, lengths = dataset.n_documents, dataset.lengths
        query = np.repeat(np.arange(dataset.n_queries), lengths)
        rows = np.lexsort((dataset.y, query))
        label = dataset.y[rows]
        begins = np.flatnonzero((np.diff(label) != 0) | (np.diff(query) != 0)) + 1
        starts = np.concatenate(([0], begins, [n])).astype(np.int64)
        first = np.searchsorted(starts, dataset.offsets).astype(np.int64)
        sizes = np.diff(starts).astype(np.float64)
        equal = np.add.reduceat(sizes**2, first[:-1])
        return cls(
            order=rows - np.repeat(dataset.offsets[:-1], lengths),
            starts=starts,
            first=first,
            n_pairs=int((lengths.astype(np.float64) ** 2 - equal).sum() / 2),
        )
