r"""Pairs of a clicked and an unclicked document, weighted by position biases.

The weights are those of unbiased LambdaMART (Z. Hu, Y. Wang, Q. Peng, H. Li, "Unbiased
LambdaMART: an unbiased pairwise learning-to-rank algorithm", WWW 2019): in a session
with a click on document i at position k and none on j at position l, the pair has the
loss

.. math:: \frac{1}{t^+_k t^-_l} \log\big(1 + e^{-w^\top (x_i - x_j)}\big),

and the biases follow from the losses L of pairs at the present model,

.. math:: t^+_k \propto \Big(\sum \frac{L}{t^-_l}\Big)^{a}, \qquad
    t^-_l \propto \Big(\sum \frac{L}{t^+_k}\Big)^{a}, \qquad t^+_1 = t^-_1 = 1,

with sums over all pairs whose clicked, or unclicked, document was at that position.
Model and biases are improved in turn.

This is a heuristic. The weights assume that unclicked documents are irrelevant with a
probability that is a function of their position, so the biases are not propensities,
the objective is not an estimate of a loss on labels, and the turns need not converge.
`rankcore.topics.clicks.learning` has estimators without bias.

Deviations from the paper: logistic pairs of a linear model with a penalty, as in
`rankcore.algorithms.rank_net`, in place of LambdaMART's trees and changes of NDCG.
"""

from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.scales import feature_ranges
from rankcore.algorithms.parts.smooth import Objective
from rankcore.base.arrays import Floats, Integers
from rankcore.base.errors import DataError
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp, log, logistic, softplus
from rankcore.mathematics.products import combination, dot, times_vector

_TOLERANCE = 1e-6


class PairModel(NamedTuple):
    """A linear model from weighted pairs, and the biases of positions.

    Attributes
    ----------
    coef : (d,) float64
    clicked, unclicked : (k,) float64
        The biases of positions; 1 at position 1 and where a position has no pair.
    """

    coef: Floats
    clicked: Floats
    unclicked: Floats


class ClickPairs(NamedTuple):
    """The distinct pairs of a log, with counts.

    Attributes
    ----------
    better, worse : (p,) int64
        The clicked and the unclicked document.
    above, below : (p,) int64
        Their positions, from 0.
    counts : (p,) float64
    """

    better: Integers
    worse: Integers
    above: Integers
    below: Integers
    counts: Floats

    @classmethod
    def of(cls, log: ClickLog) -> "ClickPairs":
        """Return the pairs of a log.

        Raises
        ------
        DataError
            If no session has a document that was clicked and one that was not.
        """
        ends = np.searchsorted(log.session, np.arange(log.n_sessions + 1))
        (clicks,) = np.nonzero(log.clicked)
        begins = ends[log.session[clicks]]
        lengths = ends[log.session[clicks] + 1] - begins
        first = np.repeat(clicks, lengths)
        within = np.arange(len(first)) - np.repeat(
            np.cumsum(lengths) - lengths, lengths
        )
        second = np.repeat(begins, lengths) + within
        unlike = ~log.clicked[second]
        if not unlike.any():
            raise DataError(
                "No session has a document that was clicked and one that was not",
                "Log all documents of each list, with clicked 0 or 1",
                log.name,
            )
        n_positions = int(log.position.max())
        cell = log.document * n_positions + log.position - 1
        cells, counts = np.unique(
            cell[first[unlike]] * (len(log.doc_ids) * n_positions)
            + cell[second[unlike]],
            return_counts=True,
        )
        better, worse = np.divmod(cells, len(log.doc_ids) * n_positions)
        return cls(
            better // n_positions,
            worse // n_positions,
            better % n_positions,
            worse % n_positions,
            counts.astype(np.float64),
        )


class ClickPairLoss:
    """The weighted mean of logistic losses of pairs.

    Parameters
    ----------
    X : (n, d) float64
    weights : (p,) float64
    """

    informative = True

    def __init__(self, X: Floats, pairs: ClickPairs, weights: Floats) -> None:
        self._X, self._pairs = X, pairs
        self._weights = weights / weights.sum()

    def __call__(self, w: Floats) -> tuple[float, Floats]:
        """Mean loss at ``w`` (d,) and its gradient (d,)."""
        pairs, n = self._pairs, len(self._X)
        lead = _leads(self._X, pairs, w)
        pull = self._weights * logistic(-lead)
        force = np.bincount(pairs.worse, pull, n) - np.bincount(pairs.better, pull, n)
        return dot(self._weights, softplus(-lead)), combination(force, self._X)


def _leads(X: Floats, pairs: ClickPairs, w: Floats) -> Floats:
    """Return the difference of scores of each pair (p,)."""
    scores = times_vector(X, w)
    return scores[pairs.better] - scores[pairs.worse]


def learn_pairs(
    dataset: RankingDataset,
    log: ClickLog,
    l2: float = 0.001,
    rounds: int = 10,
    power: float = 0.5,
) -> PairModel:
    """Improve the model and the biases of positions in turn.

    Parameters
    ----------
    log : ClickLog
        Its documents are rows of the data, see `ClickLog.numbered_as`.
    l2 : float
        Weight of half the squared coefficients, features in units of their ranges.
    rounds : int
        With 0 all biases stay 1, so pairs count equally.
    power : float
        The exponent a, from 0 to 1; a smaller one keeps the biases closer to 1.

    Raises
    ------
    DataError
        If no session has a document that was clicked and one that was not.
    """
    pairs = ClickPairs.of(log)
    size = int(log.position.max())
    above, below = np.ones(size), np.ones(size)
    ranges, origin = feature_ranges(dataset), np.zeros(dataset.n_features)
    u, coef = origin, origin
    for turn in range(rounds + 1):
        weights = pairs.counts / (above[pairs.above] * below[pairs.below])
        loss = ClickPairLoss(dataset.X, pairs, weights)
        objective = Objective(loss, ranges, l2, origin)
        *_, u = [u, *objective.descend(u, _TOLERANCE)]
        coef = objective.coefficients(u)
        if turn < rounds:
            lost = pairs.counts * softplus(-_leads(dataset.X, pairs, coef))
            above, below = (
                _biases(pairs.above, lost / below[pairs.below], size, power),
                _biases(pairs.below, lost / above[pairs.above], size, power),
            )
    return PairModel(coef, above, below)


def _biases(position: Integers, lost: Floats, size: int, power: float) -> Floats:
    """Return the bias of each position by the losses of its pairs."""
    sums = np.bincount(position, lost, size)
    usable = (sums > 0.0) & (sums[0] > 0.0)
    ratio = np.where(usable, sums, 1.0) / (sums[0] if sums[0] > 0.0 else 1.0)
    return np.where(usable, exp(power * log(ratio)), 1.0)
