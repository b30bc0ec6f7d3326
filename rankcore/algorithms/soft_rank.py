r"""SoftRank: the expected NDCG of uncertain scores.

Each score is the mean of a normal distribution with standard deviation :math:`\sigma`.
Document j then beats i with probability
:math:`p_{ij} = \Phi\big((s_j - s_i) / \sigma \sqrt 2\big)`, the rank of i is the number
of documents that beat it, and

.. math::

    \max_w \frac{1}{|Q|} \sum_q \frac{1}{N} \sum_i (2^{y_i} - 1)\, E[D(\pi_i)]
    - \frac{\lambda}{2} \|w\|^2, \qquad D(\pi) = \frac{1}{\log_2(1 + \pi)},

is a smooth function of the scores :math:`s = X w`, which tends to NDCG as
:math:`\sigma \to 0`. The mean is over the queries with relevant documents.

Complexity: O(n M) for a document with gain in a list of n, M about 30, for value and
gradient together, where the paper's recursion takes O(n^2) for the value alone: see
`rankcore._kernels.losses.soft_rank`. With a cutoff k, O(n k). Memory O(n) in addition
to the data; the exact method takes O(n^2), or O(n k), for the longest list.

Deviations and remarks

- The comparisons of a document are treated as independent, as in the paper, although
  they share its score. This is exact for two documents and an approximation for more.
- The discount is written as a sum of exponentials, exact to twelve digits;
  ``method="exact"`` uses the distribution of the rank instead. With a cutoff the
  discount is not such a sum, and the distribution is always used.
- Only :math:`w / \sigma` matters to the measure. So for linear scores :math:`\sigma`
  acts through the penalty: with a larger :math:`\sigma`, scores differ by fewer
  standard deviations, and ranks stay more uncertain.
- The objective is not concave; L-BFGS from zero, where all ranks are equally likely,
  finds one of its maxima.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.normalised_gains import (
    normalised_gains,
    relative_weights,
)
from rankcore.algorithms.parts.smooth import MeanLoss, SmoothRanker, l2_penalty
from rankcore.base.blocks import blocks
from rankcore.base.hyperparameters import choice, first_positions, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.discount_terms import discount_terms
from rankcore.mathematics.elementary import exp
from rankcore.measures import discounts


class _SoftRankBlock(NamedTuple):
    """The queries of a block, their gains, and the method."""

    X: np.ndarray
    gains: np.ndarray
    offsets: np.ndarray
    settings: tuple[float, int | None, bool]

    def sums(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.soft_rank import soft_ndcg_pass

        sigma, cutoff, exact = self.settings
        longest = int(np.diff(self.offsets).max())
        by_rank = np.zeros(longest + 2)
        ranks = np.arange(1.0, min(longest, cutoff or longest) + 1.0)
        by_rank[: len(ranks)] = discounts(ranks)
        rates, weights = discount_terms(longest)
        terms = np.stack([rates, exp(-rates), weights])
        return soft_ndcg_pass(
            self.X, self.gains, self.offsets, w, 0.5 / sigma, by_rank,
            exact or cutoff is not None, terms,
        )  # fmt: skip


class SoftNDCG(MeanLoss):
    """Mean SoftNDCG over the queries with relevant documents.

    Parameters
    ----------
    exact : bool
        Whether to use the distribution of the rank even without a cutoff.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        sigma: float,
        cutoff: int | None = None,
        exact: bool = False,
    ) -> None:
        offsets = dataset.offsets
        importance = relative_weights(dataset)
        gains = normalised_gains(dataset.y, offsets, cutoff, importance)
        gains = gains * np.repeat(dataset.weights, dataset.lengths)
        parts = [
            _SoftRankBlock(
                dataset.X[block.rows],
                gains[block.rows],
                block.offsets,
                (sigma, cutoff, exact),
            )
            for block in blocks(offsets, dataset.n_features)
        ]
        relevant = np.maximum.reduceat(gains, offsets[:-1]) > 0.0
        super().__init__(parts, float(dataset.weights[relevant].sum()))
        self.informative = bool((relevant & (dataset.lengths > 1)).any())


@dataclass(eq=False, repr=False, kw_only=True)
class SoftRank(SmoothRanker):
    """Linear SoftRank for NDCG."""

    title = "SoftRank"
    family = "direct"
    summary = "Treats scores as uncertain and maximises the expected NDCG."
    equation = (
        r"\max_w \frac{1}{|Q|} \sum_q \frac{1}{N} \sum_i (2^{y_i} - 1)\, E[D(\pi_i)] "
        r"- \frac{\lambda}{2} \|w\|^2, \qquad "
        r"P(j \text{ above } i) = \Phi\Big(\frac{s_j - s_i}{\sigma \sqrt 2}\Big)"
    )
    paper = (
        "M. Taylor, J. Guiver, S. Robertson, T. Minka: SoftRank: optimizing non-smooth "
        "rank metrics. WSDM 2008."
    )
    iteration_cost = 8
    maximises = True
    convex = False
    presets = {
        "Blurred (σ = 3)": {"sigma": 3.0},
        "Close to the measure (σ = 0.1)": {"sigma": 0.1},
        "Top of the list (k = 10)": {"cutoff": 10},
        "By the distribution of ranks": {"method": "exact"},
    }
    tuning_params = ("sigma",)
    exponential_gain = True
    document_weights_refusal = None

    sigma: float = logarithmic(
        1.0,
        (0.01, 10.0),
        minimum=1e-6,
        symbol=r"\sigma",
        label="Spread of the scores",
        meaning="Standard deviation of scores; a smaller one is closer to NDCG.",
        sweep=(0.1, 0.3, 1.0, 3.0),
        while_running=True,
    )
    cutoff: int | None = first_positions(
        None,
        "Maximise NDCG@k, or NDCG of the whole list.",
        (None, 5, 10),
    )
    method: str = choice(
        "exponential_sum",
        ("exponential_sum", "exact"),
        label="Distribution of ranks",
        meaning="Write the discount as a sum of exponentials, or use the exact "
        "distribution of every rank, which takes longer; a cutoff requires the latter.",
        advanced=True,
    )
    l2: float = l2_penalty(0.001, (0.01, 0.001, 0.0001))

    def loss(self, dataset: RankingDataset, rng: np.random.Generator) -> SoftNDCG:
        """Return the mean SoftNDCG."""
        return SoftNDCG(dataset, self.sigma, self.cutoff, self.method == "exact")
