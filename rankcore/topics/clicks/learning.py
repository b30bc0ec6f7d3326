r"""RankSVM on clicks, each weighted by the inverse of its propensity.

.. math::

    \min_w \frac12 \|w\|^2 + \frac{C}{n} \sum_{i=1}^n \frac{1}{p_i}
    \sum_{j \ne d_i} \max\big(0,\; 1 - w^\top (x_{d_i} - x_j)\big)

over n clicks, on :math:`d_i` of propensity :math:`p_i`, and all other documents of
their query: the propensity-weighted SVM-Rank of T. Joachims, A. Swaminathan, T.
Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017. If
propensities are right, the sums of hinges bound, on average, the ranks of all relevant
documents that are shown, wherever they are.

It is solved as the hinge of `rankcore.algorithms.rank_svm`, divided by C, with its
certificate: the objective is within the duality gap of its minimum. Features are taken
in units of their range in the penalty, as there.
"""

from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.scales import feature_ranges
from rankcore.algorithms.rank_svm import HingeProblem
from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset

_ITERATIONS = 2000


class ClickModel(NamedTuple):
    """A linear model that was learnt from clicks.

    Attributes
    ----------
    coef : (d,) float64
    objective : float
        The value of the objective above.
    gap : float
        The most that it is above its minimum.
    """

    coef: Floats
    objective: float
    gap: float


class ClickedHinge:
    """The mean over clicks of weighted hinges; attributes as those of `HingeLoss`.

    Parameters
    ----------
    dataset : RankingDataset
    weights : (n,) float64
        For each document, the sum over its clicks of the inverse propensity.
    n_clicks : int
    width : float
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
        from rankcore._kernels.clicked_hinge import clicked_hinge_sums

        value, lack, slope, gradient = clicked_hinge_sums(
            self._X, self._offsets, self._weights, w, self.width
        )
        self.hinge = lack / self._n_clicks
        self.multipliers = slope / (self._n_clicks * self.width)
        scale = 0.5 / (self._n_clicks * self.width)
        return scale * value, scale * gradient


def propensities(log: ClickLog, examination: Floats | None = None) -> Floats:
    """Return the propensity of each impression: by its position, or that of the log.

    Parameters
    ----------
    log : ClickLog
    examination : (k,) float64, optional
        Probabilities that positions are examined, or their estimates.

    Raises
    ------
    DataError
        If neither tells the propensity of a click, or that of a position with clicks is
        no finite number above 0.
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
            f"is given of {len(examination)} positions",
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

    Propensities below ``clip`` count as ``clip``: less variance, for some bias.
    """
    clicked = log.clicked
    weights = 1.0 / np.maximum(propensities(log, examination)[clicked], clip)
    sums = np.bincount(log.document[clicked], weights, len(log.doc_ids))
    return sums.astype(np.float64)


def learn(
    dataset: RankingDataset,
    weights: Floats,
    n_clicks: int,
    C: float = 1.0,
    tolerance: float = 1e-4,
) -> ClickModel:
    """Minimise the objective, until the gap is below ``tolerance`` times C.

    Parameters
    ----------
    dataset : RankingDataset
    weights : (n,) float64
        Of `click_weights`; numbers of clicks for learning that ignores position, and 1
        for each relevant document for learning from labels.
    n_clicks : int
        The number of clicks, or of relevant documents.
    C : float
        Above 0.
    tolerance : float

    Raises
    ------
    DataError
        If there is no click.
    ValueError
        If weights are not one for each document, or C is not above 0.
    """
    if weights.shape != (dataset.n_documents,):
        raise ValueError(
            f"There are {dataset.n_documents} documents and weights of shape "
            f"{weights.shape}; give one for each document."
        )
    if not C > 0.0:
        raise ValueError(f"C must be above 0, not {C:g}.")
    if n_clicks < 1:
        raise DataError("There is no click to learn from", "Log more sessions")
    loss = ClickedHinge(dataset, weights, n_clicks)
    origin = np.zeros(dataset.n_features)
    problem = HingeProblem(loss, feature_ranges(dataset), 1.0 / C, origin)
    coef, objective = origin, np.inf
    for step in problem.steps(tolerance):
        if step.objective <= objective:
            coef, objective = step.coef, step.objective
        if step.iteration >= _ITERATIONS:
            break
    return ClickModel(coef, C * objective, C * (objective - problem.lower))
