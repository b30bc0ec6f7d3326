"""A measure per query that no order of tied documents can change."""

import numpy as np

from rankcore.algorithms._gain_sums import gain_sum
from rankcore.dataset import RankingDataset
from rankcore.measures import Measure, parse


class MeanOverTies:
    """A measure in which tied documents count by the mean over their orders, exactly.

    So neither a discrete feature nor a model without coefficients gains by the order of
    the rows.

    Parameters
    ----------
    dataset : RankingDataset
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff; standard convention.

    Attributes
    ----------
    queries : (m,) int64
        Those that have relevant documents.
    """

    def __init__(self, dataset: RankingDataset, measure: str | Measure) -> None:
        form, discounts, gains = gain_sum(dataset, parse(measure))
        begins = dataset.offsets[:-1]
        self.queries = np.flatnonzero(np.maximum.reduceat(gains, begins) > 0.0)
        depth = int(np.flatnonzero(discounts)[-1]) + 1
        self._problem = gains, dataset.offsets, self.queries, discounts[:depth], form
        self._order = np.arange(len(gains)) - np.repeat(begins, dataset.lengths)
        self._X = dataset.X

    def of_features(self) -> np.ndarray:
        """(m, 2 d) values of each feature as a score, upwards and then downwards."""
        from rankcore._kernels.weak_rankers import feature_quality

        return feature_quality(self._X, *self._problem)

    def of_scores(self, scores: np.ndarray) -> np.ndarray:
        """(m,) values of the ranking by scores (n,)."""
        from rankcore._kernels.weak_rankers import ranking_quality

        return ranking_quality(scores, *self._problem, self._order)
