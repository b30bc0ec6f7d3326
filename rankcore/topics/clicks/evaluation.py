r"""The value of a ranking, estimated from clicks on other rankings.

The value of a ranker is :math:`\Delta = \sum_d \lambda(r_d) \gamma_d`, the mean over
queries, where document d has rank :math:`r_d` and is relevant with probability
:math:`\gamma_d`; for DCG, :math:`\lambda(r) = 1 / \log_2(1 + r)` up to a cutoff. NDCG
cannot be computed from clicks, as its ideal depends on unknown relevance.

- Inverse propensity scoring weights each click by 1/p (Joachims et al., WSDM 2017,
  with the utility in place of the rank); clipped, by 1/max(p, clip). With
  `square_root_clip` the bias of clipping vanishes as clicks grow.
- Self-normalised, the sum is divided by that of the weights: the mean of
  :math:`\lambda` over relevant documents (A. Swaminathan, T. Joachims, "The
  self-normalized estimator for counterfactual learning", NIPS 2015).
- Doubly robust (H. Oosterhuis, "Doubly robust estimation for correcting position bias
  in click feedback for unbiased learning to rank", TOIS 41(3), 2023): the value by
  predicted relevance :math:`\hat\gamma`, corrected in each session by
  :math:`\sum_d \frac{\lambda(r_d)}{\rho_d} (c_d - \alpha_{k_d} \hat\gamma_d -
  \beta_{k_d})`, with :math:`\rho_d` the mean of :math:`\alpha` over the positions at
  which the query's sessions showed d, 0 where they did not.

The two disagree on propensities: Joachims et al. take the position of the click, and
Oosterhuis the mean over logged rankings. Each is followed in its estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.data.clicks import ClickLog
from rankcore.measures import discounts
from rankcore.topics.clicks.examination import NORMAL_95
from rankcore.topics.clicks.learning import affine_parameters, check_clip, propensities

# With fewer effective clicks, neither the estimate nor its interval is reliable.
FEWEST_CLICKS = 30.0


@dataclass(frozen=True)
class ValueEstimate:
    """An estimated value with its uncertainty.

    Attributes
    ----------
    value, deviation : float
        The estimate and its standard deviation.
    effective : float
        Effective number of clicks, (sum of weights)^2 / (sum of squared weights).
    """

    value: float
    deviation: float
    effective: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval; None if there are too few clicks."""
        if self.effective < FEWEST_CLICKS:
            return None
        reach = NORMAL_95 * self.deviation
        return self.value - reach, self.value + reach

    @property
    def numbers(self) -> dict[str, float | None]:
        """The estimate as columns of a table; the value is left out without an
        interval."""
        low, high = self.interval or (None, None)
        return {
            "value": self.value if self.interval else None,
            "lower end": low,
            "upper end": high,
            "effective clicks": self.effective,
        }

    @property
    def verdict(self) -> str:
        """The estimate as a sentence."""
        if self.interval is None:
            return (
                f"Cannot say: the clicks count as {self.effective:.0f} of equal "
                f"weight, fewer than {FEWEST_CLICKS:.0f}. Log more sessions, or clip "
                "weights."
            )
        low, high = self.interval
        return f"The value is {self.value:.3g}, 95% interval {low:.3g} to {high:.3g}."


def utilities(
    log: ClickLog, scores: Floats, utility: Callable[[int], Floats], cutoff: int = 10
) -> Floats:
    """Return the utility of each document's rank, (m,), 0 below the cutoff.

    Parameters
    ----------
    log : ClickLog
        A log of m documents; each belongs to one query.
    scores : (m,) float64
        Scores of the ranker to evaluate; ties keep the order of the log.
    utility : callable
        Returns the utilities of ranks 1 to ``cutoff``; `discounted` for DCG.
    cutoff : int
        The last rank that counts.
    """
    order = np.lexsort((-scores, log.document_query))
    query = log.document_query[order]
    begins = np.searchsorted(query, query)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - begins
    values = np.append(utility(cutoff), 0.0)
    return values[np.minimum(ranks, cutoff)]


def discounted(cutoff: int) -> Floats:
    """Return the discounts of DCG at ranks 1 to ``cutoff``."""
    return discounts(np.arange(1.0, cutoff + 1.0))


def square_root_clip(log: ClickLog) -> float:
    r"""Return the clip :math:`1 / \sqrt n` for n clicks, so that no weight is larger
    than :math:`\sqrt n`.

    E. L. Ionides, "Truncated importance sampling", Journal of Computational and
    Graphical Statistics 17(2), 2008.
    """
    return 1.0 / float(np.sqrt(max(log.n_clicks, 1)))


def inverse_propensity(
    log: ClickLog, utility: Floats, examination: Floats | None = None, clip: float = 0.0
) -> ValueEstimate:
    """Estimate the mean value over sessions by inverse propensity scoring.

    Parameters
    ----------
    utility : (m,) float64
        Utility of each document at its rank, see `utilities`.
    examination : (k,) float64, optional
        Probabilities that positions are examined; by default the log's propensities.
    clip : float
        Lower limit of propensities, which reduces variance at the cost of bias.
    """
    weights = _weights(log, examination, clip)
    values = weights * utility[log.document]
    sums = np.bincount(log.session, values, log.n_sessions)
    return _mean(sums.astype(np.float64), weights)


def self_normalised(
    log: ClickLog, utility: Floats, examination: Floats | None = None, clip: float = 0.0
) -> ValueEstimate:
    """Estimate the mean utility of a relevant document; parameters as
    `inverse_propensity`."""
    weights = _weights(log, examination, clip)
    total = weights.sum()
    if not total:
        raise DataError("The log has no clicks", "Log more sessions", log.name)
    value = (weights * utility[log.document]).sum() / total
    rest = np.bincount(
        log.session, weights * (utility[log.document] - value), log.n_sessions
    )
    deviation = np.sqrt((rest**2).sum()) / total
    return ValueEstimate(float(value), float(deviation), effective_clicks(weights))


def doubly_robust(
    log: ClickLog,
    utility: Floats,
    predicted: Floats,
    slope: Floats,
    base: Floats,
    clip: float = 0.0,
) -> ValueEstimate:
    """Estimate the mean value over sessions by predictions, corrected by clicks.

    Unbiased if alpha and beta are correct and, for each document with a utility, so is
    the prediction or rho, which is 0 for documents that were not shown.

    Parameters
    ----------
    utility : (m,) float64
    predicted : (m,) float64
        Predicted relevance.
    slope, base : (k,) float64
        alpha and beta of each position.
    clip : float
        Lower limit of rho.

    Raises
    ------
    DataError
        If a position lacks alpha or beta.
    """
    check_clip(clip)
    alpha, beta = affine_parameters(log, slope, base)
    m = len(log.doc_ids)
    begins = np.flatnonzero(np.diff(log.session, prepend=-1))
    query = log.document_query[log.document[begins]]
    sessions = np.bincount(query, minlength=len(log.query_ids))[log.document_query]
    rho = np.bincount(log.document, alpha, m) / np.maximum(sessions, 1)
    rho = np.maximum(rho, clip)
    inverse = np.divide(1.0, rho, out=np.zeros(m), where=rho > 0.0)
    weight = inverse[log.document]
    rest = log.clicked - alpha * predicted[log.document] - beta
    direct = np.bincount(log.document_query, utility * predicted, len(log.query_ids))
    sums = direct[query] + np.bincount(
        log.session, weight * utility[log.document] * rest, log.n_sessions
    )
    return _mean(sums.astype(np.float64), weight * log.clicked)


def _weights(log: ClickLog, examination: Floats | None, clip: float) -> Floats:
    """Return the weight of each impression, 0 without a click."""
    check_clip(clip)
    p = np.where(log.clicked, propensities(log, examination), 1.0)
    return log.clicked / np.maximum(p, clip)


def _mean(sums: Floats, weights: Floats) -> ValueEstimate:
    """Return the mean of the sessions' values."""
    n = len(sums)
    deviation = float(sums.std()) / np.sqrt(max(n - 1, 1))
    return ValueEstimate(
        float(sums.mean()), float(deviation), effective_clicks(weights)
    )


def effective_clicks(weights: Floats) -> float:
    """Return the effective number of clicks: as many of equal weight are as good."""
    largest = weights.max(initial=0.0)
    if not largest:
        return 0.0
    scaled = weights / largest
    return float(scaled.sum()) ** 2 / float((scaled * scaled).sum())
