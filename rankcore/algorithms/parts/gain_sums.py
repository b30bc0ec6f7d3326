r"""Measures that are sums of the gains of ranked documents, and their means over ties.

.. math:: \sum_i g_i\, c(a_i)\, D(\pi_i)

for the positions :math:`\pi_i` and the numbers :math:`a_i` of relevant documents above:
nDCG and P treat all documents alike, :math:`c = 1`; AP counts the relevant ones above,
:math:`c = a_i + 1`; RR counts only the first. So each measure can be tracked along a
line of models, and averaged over the orders of tied documents.
"""

from typing import NamedTuple

import numpy as np

from rankcore.data.dataset import RankingDataset
from rankcore.measures import Convention, Measure, Rules, discounts, parse
from rankcore.measures.cumulated_gain import NDCG
from rankcore.measures.precision import AveragePrecision, Precision, WinnerTakesAll
from rankcore.measures.reciprocal_rank import ReciprocalRank

SUMS_OF_GAINS = "nDCG, AP, RR, P and WTA"
# As in `rankcore._kernels.ordering.line_search`.
BY_POSITION, BY_COUNT, FIRST_ONLY = 0, 1, 2


class GainSum(NamedTuple):
    """A measure as a sum of gains.

    Attributes
    ----------
    form : int
        The effect of relevant documents above: BY_POSITION, BY_COUNT or FIRST_ONLY.
    discounts : (m,) float64
        Discounts of positions 1 … m, the longest query's length; 0 beyond the cutoff.
    gains : (n,) float64
        Gains of the documents, divided by the normaliser of their query; 0 for
        irrelevant ones.
    """

    form: int
    discounts: np.ndarray
    gains: np.ndarray


def gain_sum(
    dataset: RankingDataset, measure: Measure, convention: str = "standard"
) -> GainSum:
    """Return a measure of a data set as a sum of gains.

    Raises
    ------
    ValueError
        For a measure that is not such a sum, or an unknown convention.
    """
    rules = Rules(convention).definition
    form, weights = _shape(measure, rules, int(dataset.lengths.max()))
    return GainSum(form, weights, _gains(dataset, measure, rules, weights))


def _shape(measure: Measure, rules: Convention, longest: int) -> tuple[int, np.ndarray]:
    """Return the effect of relevant documents above, and the discounts by position."""
    positions = np.arange(1, longest + 1)
    cutoff = 1 if isinstance(measure, WinnerTakesAll) else measure.cutoff or longest
    within = positions <= cutoff
    if isinstance(measure, NDCG):
        return BY_POSITION, within * discounts(positions, rules.letor_discount)
    if isinstance(measure, AveragePrecision):
        return BY_COUNT, within / positions
    if isinstance(measure, ReciprocalRank):
        return FIRST_ONLY, within / positions
    if isinstance(measure, Precision | WinnerTakesAll):
        return BY_POSITION, within / cutoff
    raise ValueError(
        f"{measure} cannot be computed along a line; choose one of {SUMS_OF_GAINS}."
    )


def _gains(
    dataset: RankingDataset,
    measure: Measure,
    rules: Convention,
    weights: np.ndarray,
) -> np.ndarray:
    """Gain of each document (n,), divided by the normaliser of its query."""
    y, lengths, begins = dataset.y, dataset.lengths, dataset.offsets[:-1]
    short = lengths < (measure.cutoff or 0)
    if isinstance(measure, NDCG):
        gains = measure.gain(y)
        place = np.arange(len(y)) - np.repeat(begins, lengths)
        query = np.repeat(np.arange(len(lengths)), lengths)
        ideal = np.lexsort((-y, query))
        scale = np.add.reduceat(gains[ideal] * weights[place], begins)
        lost = short & (not rules.short_ndcg)
    else:
        gains = (y >= measure.rel).astype(np.float64)  # type: ignore[attr-defined]
        averaged = isinstance(measure, AveragePrecision)
        scale = np.add.reduceat(gains, begins) if averaged else np.ones(len(lengths))
        lost = short & (isinstance(measure, Precision) and not rules.short_precision)
    scale = np.where((scale > 0.0) & ~lost, scale, np.inf)
    return gains / np.repeat(scale, lengths)


class MeanOverTies:
    """A measure whose exact mean over the orders of tied documents is computed.

    So neither a discrete feature nor a zero model profits from the order of the rows.

    Parameters
    ----------
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff; standard convention.

    Attributes
    ----------
    queries : (m,) int64
        The queries that have relevant documents.
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
        """(m, 2 d) values of each feature as a score, ascending and then descending."""
        from rankcore._kernels.losses.weak_rankers import feature_quality

        return feature_quality(self._X, *self._problem)

    def of_scores(self, scores: np.ndarray) -> np.ndarray:
        """(m,) values of the measure for a ranking by scores (n,)."""
        from rankcore._kernels.losses.weak_rankers import ranking_quality

        return ranking_quality(scores, *self._problem, self._order)
