r"""AdaRank: boosting of single features for a ranking measure.

A weak ranker is one feature, ascending or descending. With :math:`E(q, h)` the value of
the measure on query q when ranked by h, each round chooses the weak ranker that is best
on the queries weighted by P, and adds it with the weight

.. math::

    h_t = \arg\max_h \sum_q P_q E(q, h), \qquad
    \alpha_t = \frac12 \ln
    \frac{\sum_q P_q \big(1 + E(q, h_t)\big)}{\sum_q P_q \big(1 - E(q, h_t)\big)},
    \qquad f_t = f_{t-1} + \alpha_t h_t, \qquad
    P_q \propto e^{-E(q, f_t)}:

queries that the ensemble ranks badly count more in the next round. It lowers
:math:`\sum_q e^{-E(q, f)}`, which bounds :math:`\sum_q (1 - E(q, f))`. The model is
linear. The objective reported is the mean of :math:`E(q, f_t)` over the queries with
relevant documents; the others are left out.

Before the first round every feature is sorted once per query, O(d n log n); a round
then costs O(q d + n log n), and stores 2 q d numbers in addition to the data.

Deviations and readings

- As published, a round may choose a feature again, and one feature soon outweighs all
  others in the ensemble. By default each feature is used once, in the better of its two
  directions; ``reuse="allowed"`` is the paper's rule.
- A weak ranker with E = 1 on every query would get an infinite weight; the mean of
  1 - E is taken to be at least 1e-6, so no weight exceeds 7.25.
- The paper assumes features on one scale. Here a weak ranker is the feature divided by
  its largest range within a query, which is 1 for features scaled within each query;
  features that are constant within every query are left out.
- Documents that a ranker ties are averaged over all their orders, so that neither a
  discrete feature nor the model before the first round profits from row order.
- Training ends when no gain is left: every feature is used, every query is ranked
  perfectly, or the objective has had no new best value for ``patience`` rounds.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.algorithms.parts.ranker import (
    BINARY_LOSS,
    NOTHING_TO_LEARN,
    LinearRanker,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import graded_queries, reciprocal, widest_ranges
from rankcore.base.hyperparameters import choice, first_positions, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp, log
from rankcore.mathematics.products import combination, dot
from rankcore.training.steps import Start, Step, Steps

_SMALLEST_LOSS = 1e-6
_PERFECT = 1.0 - 1e-12
_DIGITS = 12


def ranker_weight(P: np.ndarray, E: np.ndarray) -> float:
    """Return the weight of a weak ranker with quality E (q,) on queries weighted by P
    (q,)."""
    right, wrong = dot(P, 1.0 + E), dot(P, 1.0 - E)
    return 0.5 * float(log(right / max(wrong, _SMALLEST_LOSS)))


def query_weights(E: np.ndarray) -> np.ndarray:
    """Return the weights of queries (q,) on which the ensemble has quality E (q,)."""
    P = exp(-E)
    return P / P.sum()


@dataclass(eq=False, repr=False, kw_only=True)
class AdaRank(LinearRanker):
    """AdaRank on single features, for NDCG or average precision.

    Each round adds the feature that is best on the queries that the previous features
    rank badly.
    """

    title = "AdaRank"
    family = "boosting"
    summary = (
        "Adds one feature per round: the one that ranks best those queries that the "
        "ensemble still ranks badly."
    )
    equation = (
        r"\max_f \frac1{|Q|} \sum_q E(q, f), \quad f = \sum_t \alpha_t h_t, \quad "
        r"\alpha_t = \frac12 \ln \frac{\sum_q P_q (1 + E(q, h_t))}"
        r"{\sum_q P_q (1 - E(q, h_t))}, \quad P_q \propto e^{-E(q, f_{t-1})}"
    )
    paper = (
        "J. Xu, H. Li: AdaRank: a boosting algorithm for information retrieval. "
        "SIGIR 2007."
    )
    other_gain = "average precision"
    whole_labels = BINARY_LOSS
    maximises = True
    query_weights = QueryWeights(
        False, "Boosting sets the weights of queries itself, starting from equal ones."
    )
    presets = {
        "AdaRank.NDCG": {"criterion": "ndcg"},
        "AdaRank.MAP": {"criterion": "average_precision"},
        "As published: it stalls on one feature": {"reuse": "allowed"},
    }
    tuning_params = ("criterion",)

    criterion: str = choice(
        "ndcg",
        ("ndcg", "average_precision"),
        symbol="E",
        label="Measure to boost",
        meaning="The measure that sets the weights of rankers and queries.",
        sweep=("ndcg", "average_precision"),
    )
    cutoff: int | None = first_positions(
        10,
        "NDCG counts the first k positions; without a cutoff, the whole list.",
        (5, 10, None),
        shown_when={"criterion": ("ndcg",)},
    )
    reuse: str = choice(
        "never",
        ("never", "allowed"),
        label="Use of a feature again",
        meaning="Whether a feature may be chosen more than once, as in the paper.",
        sweep=("never", "allowed"),
        while_running=True,
    )
    patience: int | None = logarithmic(
        50,
        (1, 500),
        optional=True,
        label="Rounds without a gain",
        meaning="Rounds without a new best objective before training ends.",
        advanced=True,
        while_running=True,
    )

    @property
    def exponential_gain(self) -> bool:
        return self.criterion == "ndcg"

    @property
    def _measure(self) -> str:
        if self.criterion == "average_precision":
            return "AP"
        return "nDCG" if self.cutoff is None else f"nDCG@{self.cutoff}"

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, then the coefficients after each round.

        Diagnostics are the weight of the last weak ranker, its own quality on the
        weighted queries, and the largest weight of a query divided by the mean weight.
        """
        quality = MeanOverTies(dataset, self._measure)
        d, graded = dataset.n_features, graded_queries(dataset)
        ranges = widest_ranges(dataset, graded)
        units = reciprocal(ranges)
        w = np.zeros(d) if start is None else self.checked_start(start, dataset)
        scores = self.scores(dataset.X, w)
        E = quality.of_scores(scores)
        P = (
            query_weights(E)
            if start is not None
            else np.full_like(E, 1.0 / max(len(E), 1))
        )
        yield _step(0, w, E, P, 0.0, 0.0)
        if not graded.any():
            return NOTHING_TO_LEARN
        if not ranges.any():
            return "Every feature is constant within each query; the start is kept."
        candidates, usable = quality.of_features(), np.tile(ranges > 0.0, 2)
        best, best_at, iteration = E.mean(), 0, 0
        while True:
            expected = np.where(usable, combination(P, candidates), -1.0)
            # Take the first of equal rankers, so that rounding does not decide.
            chosen = int(np.argmax(np.round(expected, _DIGITS)))
            measure_value = float(expected[chosen])
            reason = self._finished(measure_value, E, iteration - best_at)
            if reason:
                return reason
            alpha, feature = ranker_weight(P, candidates[:, chosen]), chosen % d
            if self.reuse == "never":
                usable[[feature, d + feature]] = False
            w = w.copy()
            change = (alpha if chosen < d else -alpha) * units[feature]
            w[feature] += change
            scores += dataset.X[:, feature] * change
            E = quality.of_scores(scores)
            P = query_weights(E)
            iteration += 1
            yield _step(iteration, w, E, P, alpha, measure_value)
            if E.mean() > best:
                best, best_at = E.mean(), iteration

    def _finished(self, expected: float, E: np.ndarray, stale: int) -> str | None:
        """Return the reason to stop boosting, or None."""
        if E.min() > _PERFECT:
            return "Every query is ranked perfectly."
        if expected < 0.0:
            return "Every feature that varies within a query has been used."
        if expected == 0.0:
            return "No feature left ranks a relevant document within the cutoff."
        if self.patience is not None and stale >= self.patience:
            return f"The objective has not improved for {stale} rounds."
        return None


def _step(
    iteration: int,
    w: np.ndarray,
    E: np.ndarray,
    P: np.ndarray,
    alpha: float,
    measure: float,
) -> Step:
    diagnostics = {
        "weight of the last": alpha,
        "quality of the last": measure,
        "heaviest query": float(P.max(initial=0.0)) * len(P),
    }
    return Step(iteration, w, float(E.mean()) if len(E) else 0.0, diagnostics)
