r"""DORM: direct optimisation of NDCG with graded labels by linear assignment.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q \quad\text{with}\quad
    w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big)
    \ge 1 - \mathrm{NDCG@}k(y) - \xi_q \text{ for all orders } y,

.. math::

    \phi(x, y) = \frac1\nu \sum_i x_i A(\pi_i), \qquad
    A(r) = \max(k + 1 - r, 0) \;\text{ or }\; (r + 1)^{-1/4},

with :math:`\pi_i` the rank of document i. Gains are :math:`2^{\text{label}} - 1`, so
all grades are used. As the order by :math:`w^\top x` maximises :math:`w^\top \phi`, the
slack is at least its loss.

Papers
------
Q. V. Le, A. Smola, "Direct optimization of ranking measures", arXiv:0704.3359, 2007;
O. Chapelle, Q. Le, A. Smola, "Large margin optimization of ranking measures", NIPS
workshop on machine learning for web search, 2007. S. Chakrabarti, R. Khanna, U. Sawant,
C. Bhattacharyya, "Structured learning for non-smooth ranking losses", KDD 2008, compare
with it.

Complexity
----------
The most violated order of a query is a linear assignment of documents to the k ranks
that count: O(min(k, n+) k) for two labels, and at most O(k^2) more for each document
without one of the two main labels, see `rankcore._kernels.structured.assignment`.

Deviations
----------
- Where labels tie, the margin is measured from the mean feature map of all ideal
  orders, see `rankcore.algorithms.parts.margins.assignment_loss`.
- :math:`\nu` is the sum of A over a query's ranks by default, so that feature maps are
  weighted means and margins comparable across queries; it is 1 in the papers.
- Features are taken in units of their range, see
  `rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.assignment_loss import AssignmentLoss, too_long
from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.structured import (
    MARGIN_OF,
    StructuredRanker,
    letor_discount,
    map_scaling,
    margin_problem,
    swept_slack_weight,
)
from rankcore.base.hyperparameters import choice, first_positions
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class DORM(StructuredRanker):
    """Structured SVM for NDCG of graded labels (Le and Smola, 2007)."""

    title = "DORM"
    summary = (
        f"{MARGIN_OF} the NDCG of graded labels that the other order loses; finds the "
        "most violated order by linear assignment."
    )
    equation = (
        margin_problem(r"\mathrm{NDCG@}k")
        + r", \quad \phi(x, y) = \tfrac1\nu \textstyle\sum_i x_i A(\pi_i)"
    )
    paper = (
        "Q. V. Le, A. Smola: Direct optimization of ranking measures. "
        "arXiv:0704.3359, 2007."
    )
    iteration_cost = 24
    presets = {
        "Top ten, A falls linearly": {"cutoff": 10, "decay": "linear"},
        "Whole list, A falls slowly": {"cutoff": None, "decay": "root"},
        "Tight margins (C = 1000)": {"C": 1000.0},
    }
    exponential_gain = True

    C: float = swept_slack_weight(20.0)
    cutoff: int | None = first_positions(
        None,
        "Loss 1 - NDCG@k, or 1 - NDCG of the whole list.",
        (None, 10),
    )
    decay: str = choice(
        "linear",
        ("linear", "root"),
        symbol="A",
        label="Decay with rank",
        meaning="The weight of rank r in the feature map: max(k + 1 - r, 0), or (r + "
        "1)^(-1/4), with which every rank counts and training is slower.",
        sweep=("linear", "root"),
    )
    discount: str = letor_discount()
    scaling: str = map_scaling(
        "Whether a query's feature map is the weighted mean of its documents, so that "
        "margins are comparable across queries, or the weighted sum."
    )

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if queries are too long, or labels too large."""
        return super().unsupported_reason(dataset) or too_long(
            dataset, self.cutoff, self.decay
        )

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        loss = AssignmentLoss(
            dataset,
            self.cutoff,
            self.discount == "letor",
            self.decay,
            self.scaling == "mean",
        )
        return [WeightedLoss(loss, self.C)]
