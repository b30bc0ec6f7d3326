r"""RSRank: sparse ranking for NDCG, AP or RR by importance-weighted pairs.

The weight of a pair of documents is the change of NDCG if the two swapped places. With
gains :math:`a_i = 2^{y_i} - 1`, discounts :math:`b_i = 1 / \log_2(1 + \pi_i)` at the
current ranks :math:`\pi_i`, and :math:`N` the DCG of the ideal order of the query,

.. math::

    \min_\beta \sum_q \sum_{y_i > y_j} w_{ij}\, \phi(\beta^\top (x_i - x_j))
    + g \|\beta\|_1, \qquad
    w_{ij} = \tfrac{1}{N} |(a_i - a_j)(b_i - b_j)|,

where the modified Huber loss :math:`\phi(v)` is :math:`-4v` below -1,
:math:`(v - 1)^2` from -1 to 1 and 0 above. Each step sorts all queries, takes the
gradient with the weights held fixed, and descends; after every K-th step the
coefficients shrink towards zero, and those that reach it stay exactly zero (truncated
gradient). The objective is a sum over queries, not a mean, and g is on that scale.

Paper
-----
Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse rank learning for non-smooth ranking
measures", SIGIR 2009, equations (3), (13), (14) and Algorithm 1. The shrinkage goes
back to J. Langford, L. Li, T. Zhang, "Sparse online learning via truncated gradient",
JMLR 10, 2009.

Signs of features
-----------------
Where coefficients may not be negative, a step ends with :math:`\max(0, \cdot)`: after
shrinkage by either rule, this is the proximal step of the penalty with these bounds;
likewise where they may not be positive. Between the K-th steps it is a projection.

Other measures
--------------
The paper leaves other measures to future work. With ``importance="AP"`` or ``"RR"`` the
pairs of a relevant document (label 1 or more) and an irrelevant one are weighted
exactly by the change :math:`|\Delta\mathrm{AP}|` or :math:`|\Delta\mathrm{RR}|` of
their swap; the rest is the same.

Complexity
----------
O(L n log n + n d) for a query of n documents with L labels and d features, and O(n)
memory in addition to the data: see `rankcore._kernels.losses.rsrank`. The weights of AP
and RR do not factorise over the two documents of a pair, but are sums of two such
products on either side of a document; this still allows O(n log n + n d), see
`rankcore._kernels.losses.binary_deltas`.

Deviations from the paper
-------------------------
- All ordered pairs with :math:`y_i > y_j` count, as in (14); equation (4), taken
  literally, sums over i < j only and misses half of them.
- The weight is the absolute value of equation (3). The signed form printed below (12)
  turns negative for a pair in correct order and would reward a smaller margin.
- For K > 1 Algorithm 1 shrinks by :math:`\eta g` every K steps, where Langford et al.
  shrink by :math:`K \eta g`: the paper's rule (``shrinkage="paper"``) acts like the
  penalty g / K. Both rules are available and agree for K = 1.
- The strict inequalities of Lemma 1 and Theorem 1 do not hold, and the bound on the
  regret fails for random labels with three documents or more. The valid bound, for any
  ranking, is :math:`1 - \mathrm{NDCG} \le \sum w_{ij} \phi(s_i - s_j)`.
- The paper fixes :math:`\eta = 0.001`, which is beyond the stability limit on OHSUMED:
  NDCG oscillates forever. The default ``"auto"`` takes the step from the curvature of
  the loss and the ranges of the features, see `RSRank.step_lengths`.
- The paper does not specify the start. At zero all scores tie and the first weights
  depend on an arbitrary order, so the default is a small random start.
- Documents of equal scores are ranked, and sums taken, in an order derived from their
  features, so that the order of the rows has no influence, see
  `rankcore.algorithms.parts.content_order`.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.delta_weights import (
    BinaryLoss,
    DeltaWeightedLoss,
    PairwiseLoss,
)
from rankcore.algorithms.parts.lambda_descent import LambdaDescent
from rankcore.algorithms.parts.ranker import BINARY_LOSS, FeatureUnits
from rankcore.base.hyperparameters import choice, integer, logarithmic
from rankcore.data.dataset import RankingDataset


def soft_threshold(beta: np.ndarray, threshold: np.ndarray | float) -> np.ndarray:
    """Move every coefficient towards zero by ``threshold``, at most to zero."""
    return np.sign(beta) * np.maximum(np.abs(beta) - threshold, 0.0)


@dataclass(eq=False, repr=False, kw_only=True)
class RSRank(LambdaDescent):
    """Robust sparse rank learning for NDCG, AP or RR."""

    title = "RSRank"
    summary = (
        "Weights each pair of documents by the change of NDCG (or AP, or RR) if they "
        "were swapped, and removes features with small coefficients."
    )
    equation = (
        r"\min_\beta \sum_q \sum_{y_i > y_j} w_{ij}\,"
        r"\phi\big(\beta^\top(x_i - x_j)\big) + g\,\|\beta\|_1,"
        r"\quad w_{ij} = |\Delta\mathrm{NDCG}_{ij}|"
    )
    paper = (
        "Z. Sun, T. Qin, Q. Tao, J. Wang: Robust sparse rank learning for non-smooth "
        "ranking measures. SIGIR 2009."
    )
    other_gain = "pairs weighed by AP or RR"
    whole_labels = BINARY_LOSS
    presets = {
        "Dense (g = 0)": {"g": 0.0},
        "Sparse (g = 10)": {"g": 10.0},
        "Few features (g = 250)": {"g": 250.0},
        "Shrink every 5 steps": {"g": 50.0, "truncation_interval": 5},
        "As in the paper (η = 0.001)": {"learning_rate": 0.001},
        "For average precision": {"importance": "AP"},
        "For the first relevant document": {"importance": "RR"},
    }

    sparsity = "g"
    comparisons = {
        "K = 1": {"truncation_interval": 1, "shrinkage": "paper"},
        "K = 10, as in the paper": {"truncation_interval": 10, "shrinkage": "paper"},
        "K = 10, Langford’s": {"truncation_interval": 10, "shrinkage": "langford"},
    }
    tuning_params = ("g",)

    g: float = logarithmic(
        0.0,
        (0.0, 250.0),
        symbol="g",
        label="Sparsity",
        meaning="Weight of the l1 penalty, relative to the sum over queries; a larger "
        "g keeps fewer features.",
        sweep=(0.0, 10.0, 50.0),
        while_running=True,
    )
    truncation_interval: int = integer(
        1,
        low=1,
        high=50,
        symbol="K",
        meaning="Coefficients shrink after every K-th step.",
        sweep=(1, 5, 10),
        while_running=True,
    )
    importance: str = choice(
        "nDCG",
        ("nDCG", "AP", "RR"),
        label="Weight pairs by",
        meaning="The measure whose change by swapping a pair is its weight.",
    )
    shrinkage: str = choice(
        "paper",
        ("paper", "langford"),
        label="Shrinkage rule",
        meaning="Shrink by ηg every K steps, as in the paper, which acts like a "
        "penalty of g/K, or by Kηg, as in Langford et al.",
        while_running=True,
    )

    @property
    def exponential_gain(self) -> bool:
        return self.importance == "nDCG"

    @property
    def weights_refusal(self) -> str | None:
        if self.importance == "nDCG":
            return super().weights_refusal
        return f"Pairs weighted by {self.importance} cannot have query weights."

    @property
    def document_weights_refusal(self) -> str | None:
        if self.importance == "nDCG":
            return super().document_weights_refusal
        return f"{self.importance} has no gains: a document is relevant or not."

    @property
    def feature_units(self) -> FeatureUnits | None:
        return FeatureUnits("the l1 penalty") if self.g > 0.0 else super().feature_units

    def loss(self, dataset: RankingDataset) -> DeltaWeightedLoss:
        if self.importance == "nDCG":
            return PairwiseLoss(dataset)
        return BinaryLoss(dataset, self.importance)

    def _penalty(self, beta: np.ndarray) -> float:
        return self.g * float(np.abs(beta).sum())

    def _after_step(
        self, iteration: int, beta: np.ndarray, eta: np.ndarray
    ) -> np.ndarray:
        if iteration % self.truncation_interval:
            return beta
        steps = self.truncation_interval if self.shrinkage == "langford" else 1
        return soft_threshold(beta, eta * self.g * steps)
