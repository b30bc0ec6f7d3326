r"""ListMLE: the likelihood of the list in the order of its labels.

.. math::

    \min_w \frac{1}{|Q|} \sum_q \sum_{k=1}^{n} \Big[ \log \sum_{t \ge k} e^{s_{o_t}}
    - s_{o_k} \Big] + \frac{\lambda}{2} \|w\|^2,

minus the log likelihood that drawing documents without replacement, with probabilities
proportional to :math:`e^s`, gives the order :math:`o` of descending labels; the scores
:math:`s = X w` are linear. The mean is over the queries with two different labels.

Complexity: O(n d) and two exponentials per document; memory O(n) besides the data.

Deviations from the paper: linear scores; L-BFGS in place of stochastic steps. The
paper's lists are permutations. Labels have ties, so the order among documents of one
label must be chosen: it is drawn once at random, from the seed and the documents'
features but not from the order of the rows, or it is that of the input. Both require
the scores to make distinctions that the labels do not make, and the order of the input
may even be related to features: on MQ2008 it costs 0.09 of nDCG@10. For a query that
occurs twice, two orders are drawn, so it differs from a query of weight 2.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.scales import graded_queries
from rankcore.algorithms.parts.smooth import MeanLoss, SmoothRanker, l2_penalty
from rankcore.base.blocks import blocks
from rankcore.base.hyperparameters import choice
from rankcore.data.dataset import RankingDataset


class _PermutationBlock(NamedTuple):
    """The queries of a block, the target orders (n,), which queries count, and the
    weights of all."""

    X: np.ndarray
    offsets: np.ndarray
    order: np.ndarray
    queries: np.ndarray
    weights: np.ndarray

    def sums(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.listwise import list_mle_sums

        return list_mle_sums(
            self.X, self.offsets, self.order, self.queries, self.weights, w
        )


class PlackettLuceLoss(MeanLoss):
    """Mean over the queries of the negative log likelihood of their ideal order.

    Parameters
    ----------
    tie_breaker : (n,) array, optional
        Among documents of one label, the one with the smaller number comes first; by
        default, the one that is earlier in the input.
    """

    def __init__(
        self, dataset: RankingDataset, tie_breaker: np.ndarray | None = None
    ) -> None:
        lengths = dataset.lengths
        query = np.repeat(np.arange(dataset.n_queries), lengths)
        ties = np.arange(len(query)) if tie_breaker is None else tie_breaker
        rows = np.lexsort((ties, -dataset.y, query))
        order = rows - np.repeat(dataset.offsets[:-1], lengths)
        graded = graded_queries(dataset)
        parts = [
            _PermutationBlock(
                dataset.X[block.rows],
                block.offsets,
                order[block.rows],
                np.flatnonzero(graded[block.queries]),
                dataset.weights[block.queries],
            )
            for block in blocks(dataset.offsets, dataset.n_features)
        ]
        super().__init__(parts, float(dataset.weights[graded].sum()))


@dataclass(eq=False, repr=False, kw_only=True)
class ListMLE(SmoothRanker):
    """Linear ListMLE."""

    title = "ListMLE"
    family = "listwise"
    summary = (
        "Maximises the likelihood of drawing the documents in the order of their "
        "labels."
    )
    equation = (
        r"\min_w \frac{1}{|Q|} \sum_q \sum_k \Big[ \log \sum_{t \ge k} e^{s_{o_t}} "
        r"- s_{o_k} \Big] + \frac{\lambda}{2} \|w\|^2, \qquad "
        r"y_{o_1} \ge y_{o_2} \ge \dots"
    )
    paper = (
        "F. Xia, T.-Y. Liu, J. Wang, W. Zhang, H. Li: Listwise approach to learning to "
        "rank: theory and algorithm. ICML 2008."
    )
    presets = {
        "Ties as in the input": {"ties": "input"},
        **SmoothRanker.presets,
        "Strongly penalised": {"l2": 10.0},
    }

    l2: float = l2_penalty(0.1, (10.0, 1.0, 0.1, 0.01))
    ties: str = choice(
        "random",
        ("random", "input"),
        label="Order within a label",
        meaning="The target order of documents with the same label: drawn at random "
        "before training, or that of the input.",
    )

    def loss(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> PlackettLuceLoss:
        """Return the negative mean log likelihood."""
        if self.ties == "input":
            return PlackettLuceLoss(dataset)
        places = np.empty(dataset.n_documents)
        places[content_order(dataset).rows] = rng.permutation(dataset.n_documents)
        return PlackettLuceLoss(dataset, places)
