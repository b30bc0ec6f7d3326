r"""Learning from clicks, each weighted by the inverse of its propensity.

The propensity-weighted RankSVM minimises

.. math::

    \min_w \frac12 \|w\|^2 + \frac{C}{n} \sum_{i=1}^n \frac{1}{p_i}
    \sum_{j \ne d_i} \max\big(0,\; 1 - w^\top (x_{d_i} - x_j)\big)

over n clicks, on :math:`d_i` of propensity :math:`p_i`, and all other documents of
their query: the propensity-weighted SVM-Rank of T. Joachims, A. Swaminathan, T.
Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017. If propensities
are correct, the sums of hinges bound, on average, the ranks of all relevant documents
that are shown, at any position.

It is solved as the hinge of `rankcore.algorithms.rank_svm`, divided by C, with its
certificate: the objective is within the duality gap of its minimum. The penalty
measures features in units of their range, as there.

RSRank, LambdaRank, ListNet, ApproxNDCG and SoftRank learn from clicks by weights of
documents, see `click_data`: the gain of a document is the sum of its clicks' weights,
so a sum of gains by rank is on average that of relevance, a DCG (A. Agarwal, K.
Takatsu, I. Zaitsev, T. Joachims, "A general framework for counterfactual
learning-to-rank", SIGIR 2019).

Where trust makes the probability of a click affine in relevance, inverse propensities
leave a bias, and :math:`(c - \beta_k) / \alpha_k` replaces :math:`c / p` (A.
Vardasbi, H. Oosterhuis, M. de Rijke, "When inverse propensity scoring does not work:
affine corrections for unbiased learning to rank", CIKM 2020), see `affine_weights`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.ranker import Ranker
from rankcore.algorithms.parts.scales import feature_ranges
from rankcore.algorithms.rank_svm import HingeProblem
from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import times_vector
from rankcore.measures import discounts, means

# The measure that selects C, and the candidates.
MEASURE = "nDCG@10"
PENALTIES = (0.01, 0.1, 1.0)
_ITERATIONS = 2000


class ClickModel(NamedTuple):
    """A linear model learnt from clicks.

    Attributes
    ----------
    coef : (d,) float64
    objective : float
        The value of the objective above.
    gap : float
        Upper bound on its distance from the minimum.
    """

    coef: Floats
    objective: float
    gap: float


class ClickedHinge:
    """The mean over clicks of weighted hinges; attributes as those of `HingeLoss`.

    Parameters
    ----------
    weights : (n,) float64
        For each document, the sum over its clicks of the inverse propensity.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        weights: Floats,
        n_clicks: int,
        width: float = 1.0,
    ) -> None:
        self._X, self._offsets = dataset.X, dataset.offsets
        self._weights, self._n_clicks = weights, n_clicks
        self.width, self.hinge, self.multipliers = width, 0.0, 0.0
        has_others = np.repeat(dataset.lengths > 1, dataset.lengths)
        self.informative = bool((weights[has_others] > 0.0).any())

    def __call__(self, w: Floats) -> tuple[float, Floats]:
        """Mean loss at ``w`` (d,) and its gradient (d,)."""
        from rankcore._kernels.losses.clicked_hinge import clicked_hinge_sums

        value, lack, slope, gradient = clicked_hinge_sums(
            self._X, self._offsets, self._weights, w, self.width
        )
        self.hinge = lack / self._n_clicks
        self.multipliers = slope / (self._n_clicks * self.width)
        scale = 0.5 / (self._n_clicks * self.width)
        return scale * value, scale * gradient


def propensities(log: ClickLog, examination: Floats | None = None) -> Floats:
    """Return the propensity of each impression, from its position or from the log.

    Parameters
    ----------
    examination : (k,) float64, optional
        Probabilities that positions are examined, or their estimates.

    Raises
    ------
    DataError
        If neither has the propensity of a click, or that of a position with clicks is
        not a finite number above 0.
    """
    if examination is None:
        if log.propensity is None:
            raise DataError(
                "The log has no propensities",
                "Estimate the examination of positions, or log propensities",
                log.name,
            )
        return log.propensity
    if len(examination) < log.position.max():
        raise DataError(
            f"Documents were shown at position {log.position.max()}, and examination "
            f"is known for {counted(len(examination), 'positions')}",
            "Estimate the examination of all positions",
            log.name,
        )
    each = np.asarray(examination, np.float64)[log.position - 1]
    wrong = log.clicked & ~(np.isfinite(each) & (each > 0.0))
    if wrong.any():
        at = int(wrong.argmax())
        raise DataError(
            f"Position {log.position[at]} has clicks, and its examination is "
            f"{each[at]:g}",
            "Give a finite number above 0 for each position that was clicked",
            log.name,
        )
    return each


def click_weights(
    log: ClickLog, examination: Floats | None = None, clip: float = 0.0
) -> Floats:
    """Return the sum over each document's clicks of the inverse propensity, (m,).

    Parameters
    ----------
    log : ClickLog
        It has m documents, those of different queries apart.
    examination : (k,) float64, optional
        Probabilities that positions 1 to k are examined, or their estimates; by default
        the propensities of the log.
    clip : float
        Lower limit of propensities, which reduces variance at the cost of bias.

    Raises
    ------
    DataError
        If the propensity of a click is unknown, or is not above 0.
    ValueError
        If ``clip`` is not finite or below 0.
    """
    check_clip(clip)
    clicked = log.clicked
    weights = 1.0 / np.maximum(propensities(log, examination)[clicked], clip)
    sums = np.bincount(log.document[clicked], weights, len(log.doc_ids))
    return sums.astype(np.float64)


def affine_weights(
    log: ClickLog, slope: Floats, base: Floats, clip: float = 0.0
) -> Floats:
    r"""Return the sum over each document's impressions of (c - beta) / alpha, (m,).

    On average this is the number of its impressions times its relevance, with noise,
    trust or both. Sums below 0 become 0, because a loss has no negative weights; this
    bias vanishes as impressions grow.

    Parameters
    ----------
    slope, base : (k,) float64
        alpha and beta of each position, see `rankcore.topics.clicks.simulation`.
    clip : float
        Lower limit of alpha.

    Raises
    ------
    DataError
        If a position has no alpha above 0, or no beta.
    """
    alpha, beta = affine_parameters(log, slope, base)
    check_clip(clip)
    alpha = np.maximum(alpha, clip)
    if not (alpha > 0.0).all():
        raise _no_affine(log)
    sums = np.bincount(log.document, (log.clicked - beta) / alpha, len(log.doc_ids))
    return np.maximum(sums, 0.0)


def affine_parameters(
    log: ClickLog, slope: Floats, base: Floats
) -> tuple[Floats, Floats]:
    """Return alpha and beta of each impression by its position.

    Raises
    ------
    DataError
        If a position lacks one of them, or it is not a finite number.
    """
    last = int(log.position.max())
    both = np.asarray(slope, np.float64)[:last], np.asarray(base, np.float64)[:last]
    if min(map(len, both)) < last or not np.isfinite(both).all():
        raise _no_affine(log)
    at = log.position - 1
    return both[0][at], both[1][at]


def _no_affine(log: ClickLog) -> DataError:
    return DataError(
        f"Documents were shown at position {log.position.max()}, and not all positions "
        "have an alpha above 0 and a beta",
        "Give both for each position, or clip alpha",
        log.name,
    )


def check_clip(clip: float) -> None:
    """Raise ValueError for a lower limit that is not finite or below 0."""
    if not 0.0 <= clip < np.inf:
        raise ValueError(f"The clip must be finite and at least 0, not {clip:g}.")


def click_data(
    learner: Ranker, dataset: RankingDataset, weights: Floats
) -> RankingDataset:
    """Return the data from which a learner learns from clicks.

    Documents with a weight have the label 1, and their weights as gains; queries
    without such documents are left out. The learner's loss divides by the ideal of each
    query's clicks; weights of queries undo that, so that the loss is a sum over clicks.

    Parameters
    ----------
    learner : Ranker
        A learner that supports weights of documents; others refuse the data.
    weights : (n,) float64
        From `click_weights` or `affine_weights`.

    Raises
    ------
    DataError
        If no document has a weight.
    """
    _check_weights(dataset, weights)
    is_clicked = np.maximum.reduceat(weights, dataset.offsets[:-1]) > 0.0
    if not is_clicked.any():
        raise DataError("There are no clicks to learn from", "Log more sessions")
    gains = weights[np.repeat(is_clicked, dataset.lengths)]
    clicked = dataset.subset(np.flatnonzero(is_clicked))
    ideals = np.array([
        _ideal(learner, gains[begin:end]) for begin, end in pairwise(clicked.offsets)
    ])  # fmt: skip
    labelled = replace(clicked, y=(gains > 0.0).astype(np.int64), judged=None)
    return labelled.with_document_weights(gains).with_query_weights(
        ideals / ideals.mean()
    )


def _ideal(learner: Ranker, gains: Floats) -> float:
    """Return the divisor of a query's gains in the learner's loss."""
    if learner.gain_divisor == "sum":
        return float(gains.sum())
    best = np.sort(gains)[::-1][: getattr(learner, "cutoff", None)]
    return float((best * discounts(np.arange(1.0, len(best) + 1.0))).sum())


def _check_weights(dataset: RankingDataset, weights: Floats) -> None:
    if weights.shape != (dataset.n_documents,):
        raise ValueError(
            f"There are {dataset.n_documents} documents and weights of shape "
            f"{weights.shape}; give one for each document."
        )
    wrong = ~((weights >= 0.0) & (weights < np.inf))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            "Weights must be finite and at least 0, but document "
            f"{row}, counted from 0, has {weights[row]:g}."
        )


def learn(
    dataset: RankingDataset,
    weights: Floats,
    n_clicks: int,
    C: float = 1.0,
    tolerance: float = 1e-4,
    watch: Callable[[Floats], None] | None = None,
) -> ClickModel:
    """Minimise the objective, until the gap is below ``tolerance`` times C.

    Parameters
    ----------
    weights : (n,) float64
        From `click_weights`; the number of clicks for learning that ignores positions,
        or 1 for each relevant document for learning from labels.
    n_clicks : int
        The number of clicks, or of relevant documents.
    C : float
        Above 0.
    watch : callable, optional
        Called with the coefficients (d,) of each step.

    Raises
    ------
    DataError
        If there is no click.
    ValueError
        If weights are not one for each document from 0, or C is not above 0.
    """
    _check_weights(dataset, weights)
    if not C > 0.0:
        raise ValueError(f"C must be above 0, not {C:g}.")
    if n_clicks < 1:
        raise DataError("There are no clicks to learn from", "Log more sessions")
    loss = ClickedHinge(dataset, weights, n_clicks)
    origin = np.zeros(dataset.n_features)
    problem = HingeProblem(loss, feature_ranges(dataset), 1.0 / C, origin)
    coef, objective = origin, np.inf
    for step in problem.steps(tolerance):
        if watch is not None:
            watch(step.coef)
        if step.objective <= objective:
            coef, objective = step.coef, step.objective
        if step.iteration >= _ITERATIONS:
            break
    return ClickModel(coef, C * objective, C * (objective - problem.lower))


def quality(dataset: RankingDataset, coef: Floats) -> float:
    """Return the mean of the measure on data with labels."""
    return means(dataset, times_vector(dataset.X, coef), MEASURE)[MEASURE]


def best_of(models: Sequence[Floats], dataset: RankingDataset) -> int:
    """Return the index of the best of some models' coefficients on data with labels,
    the first of equal ones."""
    return int(np.argmax([quality(dataset, coef) for coef in models]))
