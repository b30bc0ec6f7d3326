r"""RankNet: the probability that the better document of a pair is ranked first.

.. math::

    \min_w \frac{1}{|P|} \sum_{(i, j) \in P} \log\big(1 + e^{-(s_i - s_j)}\big)
    + \frac{\lambda}{2} \|w\|^2, \qquad
    P = \{(i, j) \text{ of one query}: y_i > y_j\},

minus the mean log likelihood if document i beats j with probability
:math:`\sigma(s_i - s_j)`; here the scores :math:`s = X w` are linear. The mean is over
all pairs of all queries.

Complexity: all pairs, with one division each and no exponential, plus O(n d): see
`rankcore._kernels.losses.pairwise_logistic`. Memory O(n) in addition to the data.

Deviations from the paper: linear scores in place of a neural network; the full gradient
and L-BFGS in place of stochastic steps; pairs of equal labels do not count.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.levels import Levels
from rankcore.algorithms.parts.ranker import MEAN_OVER_PAIRS
from rankcore.algorithms.parts.smooth import MeanLoss, SmoothRanker
from rankcore.base.blocks import blocks
from rankcore.data.dataset import RankingDataset


class _LogisticBlock(NamedTuple):
    """The queries of a block, their documents grouped by label, and their weights."""

    X: np.ndarray
    offsets: np.ndarray
    levels: Levels
    weights: np.ndarray

    def sums(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.pairwise_logistic import logistic_sums

        levels = self.levels
        return logistic_sums(
            self.X,
            self.offsets,
            levels.order,
            levels.starts,
            levels.first,
            self.weights,
            w,
        )


class LogisticLoss(MeanLoss):
    """Mean logistic loss over all pairs."""

    def __init__(self, dataset: RankingDataset) -> None:
        X, y = dataset.X, dataset.grades
        parts = [
            _LogisticBlock(
                X[block.rows],
                block.offsets,
                Levels.of(y[block.rows], block.offsets),
                dataset.weights[block.queries],
            )
            for block in blocks(dataset.offsets, dataset.n_features)
        ]
        pairs = (part.levels.weighted_pairs(part.weights) for part in parts)
        super().__init__(parts, sum(pairs))


@dataclass(eq=False, repr=False, kw_only=True)
class RankNet(SmoothRanker):
    """Linear RankNet: logistic regression on the differences of all pairs."""

    title = "RankNet"
    family = "pairwise"
    summary = "Maximises the likelihood that the better document of each pair wins."
    equation = (
        r"\min_w \frac{1}{|P|} \sum_{y_i > y_j} \log\big(1 + e^{-(s_i - s_j)}\big) "
        r"+ \frac{\lambda}{2} \|w\|^2"
    )
    paper = (
        "C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton, G. "
        "Hullender: Learning to rank using gradient descent. ICML 2005."
    )
    query_weights = MEAN_OVER_PAIRS

    def loss(self, dataset: RankingDataset, rng: np.random.Generator) -> LogisticLoss:
        """Return the mean logistic loss."""
        return LogisticLoss(dataset)
