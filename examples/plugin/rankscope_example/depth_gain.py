"""An example of a measure."""

from dataclasses import dataclass

import numpy as np

from rankcore.measures import Convention, Lists, Measure


@dataclass(frozen=True)
class DepthGain(Measure):
    """Mean height of the documents in the list, weighted by their labels.

    The first of n positions has height 1, the last one 1/n.
    """

    name = "DepthGain"
    title = "Depth gain"
    meaning = "Mean height of documents, weighted by their labels."
    cutoffs = "never"

    def values(self, lists: Lists, convention: Convention, beta: float) -> np.ndarray:
        ranks = lists.ranks
        if len(lists.spans):
            # Heights are linear, so the mean rank of tied documents gives the mean over
            # orders.
            ranks = ranks + (lists.spans - 1) / 2
        query = np.repeat(np.arange(len(lists.sizes)), np.diff(lists.offsets))
        gains = np.maximum(lists.labels, 0)
        heights = np.where(np.isfinite(ranks), 1 - (ranks - 1) / lists.sizes[query], 0)
        many = len(lists.sizes)
        total = np.bincount(query, gains, many)
        with np.errstate(invalid="ignore"):
            return np.bincount(query, gains * heights, many) / total
