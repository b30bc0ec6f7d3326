r"""ListNet: the documents' probabilities of being ranked first.

.. math::

    \min_w -\frac{1}{|Q|} \sum_q \sum_i P_i \log \hat P_i + \frac{\lambda}{2} \|w\|^2,
    \qquad P = \mathrm{softmax}(y), \quad \hat P = \mathrm{softmax}(s),

the cross entropy between the distributions over a query's documents that labels y and
scores :math:`s = X w` define. The mean is over all queries: a query whose labels are
all equal has its minimum at equal scores. Where documents have weights v, :math:`P_i`
is proportional to :math:`v_i e^{y_i}`.

Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li, *Learning to rank: from pairwise approach
to listwise approach*, ICML 2007, with the top one probabilities of its section 4.

Complexity: O(n d) and one exponential per document; memory O(n) besides the data.

Deviations from the paper: linear scores, as in its experiments; L-BFGS in place of
gradient descent with a fixed step.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.normalised_gains import relative_weights
from rankcore.algorithms.parts.scales import extremes
from rankcore.algorithms.parts.smooth import MeanLoss, SmoothRanker
from rankcore.base.blocks import blocks
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import Floats, exp


class _DistributionBlock(NamedTuple):
    """The queries of a block, the target distributions (n,), and the weights of the
    queries."""

    X: np.ndarray
    offsets: np.ndarray
    target: np.ndarray
    weights: np.ndarray

    def sums(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.listwise import list_net_sums

        return list_net_sums(self.X, self.offsets, self.target, self.weights, w)


class TopOneLoss(MeanLoss):
    """Mean over the queries of ListNet's cross entropy."""

    def __init__(self, dataset: RankingDataset) -> None:
        target = _chances(dataset)
        parts = [
            _DistributionBlock(
                dataset.X[block.rows],
                block.offsets,
                target[block.rows],
                dataset.weights[block.queries],
            )
            for block in blocks(dataset.offsets, dataset.n_features)
        ]
        super().__init__(parts, float(dataset.weights.sum()))
        low, high = extremes(target, dataset.offsets)
        self.informative = bool((low < high).any())


def _chances(dataset: RankingDataset) -> Floats:
    """Return the probability (n,) that each document is ranked first."""
    from rankcore._kernels.losses.listwise import label_softmax

    weights = relative_weights(dataset)
    if weights is None and dataset.has_fractions:
        weights = np.ones(dataset.n_documents)
    if weights is None:
        return label_softmax(dataset.y, dataset.offsets)
    begins, lengths = dataset.offsets[:-1], dataset.lengths
    labels = np.where(weights > 0.0, dataset.y, 0)
    below = labels - np.repeat(np.maximum.reduceat(labels, begins), lengths)
    chances = weights * exp(below.astype(np.float64))
    return chances / np.repeat(np.add.reduceat(chances, begins), lengths)


@dataclass(eq=False, repr=False, kw_only=True)
class ListNet(SmoothRanker):
    """Linear ListNet with top one probabilities."""

    title = "ListNet"
    family = "listwise"
    summary = "Matches the top-one probabilities of scores and of labels."
    equation = (
        r"\min_w -\frac{1}{|Q|} \sum_q \sum_i P_i \log \hat P_i "
        r"+ \frac{\lambda}{2} \|w\|^2, \qquad "
        r"P_i = \frac{e^{y_i}}{\sum_j e^{y_j}}, \quad "
        r"\hat P_i = \frac{e^{s_i}}{\sum_j e^{s_j}}"
    )
    paper = (
        "Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li: Learning to rank: from pairwise "
        "approach to listwise approach. ICML 2007."
    )
    gain_divisor = "sum"
    document_weights_refusal = None

    def loss(self, dataset: RankingDataset, rng: np.random.Generator) -> TopOneLoss:
        """Return the mean cross entropy."""
        return TopOneLoss(dataset)
