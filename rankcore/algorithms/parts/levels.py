"""The documents of each query grouped by label, as the pairwise kernels take them."""

from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Levels:
    """Index of the documents by query and label.

    Attributes
    ----------
    order : (n,) int64
        The documents of each query by ascending label, counted within the query.
    starts : (m + 1,) int64
        The start in ``order`` of each of the m groups of one query and label.
    first : (q + 1,) int64
        Query i owns the groups ``first[i]`` to ``first[i + 1]``.
    n_pairs : int
        Pairs of documents of one query with different labels.
    """

    order: np.ndarray
    starts: np.ndarray
    first: np.ndarray
    n_pairs: int

    @classmethod
    def of(cls, y: np.ndarray, offsets: np.ndarray) -> Self:
        """Group documents by labels ``y``, keeping their order within a label."""
        from rankcore._kernels.ordering.grouping import group_by_label

        order, starts, first, n_pairs = group_by_label(y, offsets)
        return cls(order, starts, first, int(n_pairs))

    def weighted_pairs(self, weights: np.ndarray) -> float:
        """Return the sum over all pairs of their queries' weights (q,)."""
        sizes = np.diff(self.starts).astype(np.float64)
        of_group = np.repeat(np.arange(len(weights)), np.diff(self.first))
        squares = np.bincount(of_group, sizes**2, len(weights))
        lengths = np.bincount(of_group, sizes, len(weights))
        return float((weights * (0.5 * (lengths**2 - squares))).sum())
