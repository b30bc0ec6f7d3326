r"""SVMNDCG: a structured SVM whose slack bounds 1 - NDCG.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q \quad\text{with}\quad
    w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big)
    \ge 1 - \frac{\sum_{g:\, \pi_g \le k} D(\pi_g)}{\sum_{i \le \min(m, k)} D(i)}
    - \xi_q \text{ for all orders } y,

with :math:`\pi_g` the rank of good document g of m, and the feature map of all pairs of
a good and a bad document from `rankcore.algorithms.svm_map`. Without a cutoff k this is
the paper's SVMndcg-NC.

Complexity
----------
O(n log n + n d) per round for a query of n documents, plus O(k^2) with a cutoff: see
`rankcore._kernels.structured.merging` and
`rankcore._kernels.structured.merging_cutoff`.

Deviations
----------
- Graded labels are made binary by ``relevant_from``.
- The paper's rule that each bad document can be placed independently needs a convex
  discount. A cutoff violates that, and so do ranks 1 and 2 of the LETOR scripts'
  discount; a dynamic programme and two trials for the first rank replace the rule.
- The slides leave the discount, C and the scale of the feature map open; they are
  hyperparameters here. Ranks count from 1.
- Where lists are long, a cutoff k often leaves w = 0 as the minimum: k bad documents
  above all good ones incur the whole loss but invert only few of the many pairs, so
  that no coefficients pay off. On OHSUMED with k = 10 this happens for C = 0.1, 20 and
  1000 and for ``relevant_from=2``; without the cutoff, or as one of several losses in
  `rankcore.algorithms.svm_combo`, NDCG trains. Training reports when it ends at 0.
- The default C is small, which suits the noisy labels of OHSUMED. Where features
  predict the labels well, C = 20 and more rank better.
- Features are taken in units of their range, see
  `rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.margin_losses import NDCGLoss
from rankcore.algorithms.parts.margins.structured import (
    MARGIN_OF,
    SLIDES,
    BinaryStructuredRanker,
    letor_discount,
    margin_problem,
    swept_slack_weight,
)
from rankcore.base.hyperparameters import first_positions
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class SVMNDCG(BinaryStructuredRanker):
    """Structured SVM for NDCG of binary labels (Chakrabarti et al., 2008)."""

    title = "SVMNDCG"
    summary = f"{MARGIN_OF} the NDCG that the other order loses."
    equation = margin_problem(r"\mathrm{NDCG@}k")
    paper = SLIDES
    presets = {
        "Whole list (SVMndcg-NC)": {"cutoff": None, "C": 20.0},
        "Top ten (k = 10)": {"cutoff": 10, "C": 20.0},
        "As the LETOR scripts discount": {"discount": "letor", "C": 20.0},
        "Tight margins (C = 1000)": {"C": 1000.0},
    }

    C: float = swept_slack_weight(0.3)
    cutoff: int | None = first_positions(
        None,
        "Loss 1 - NDCG@k, or 1 - NDCG of the whole list.",
        (None, 10),
    )
    discount: str = letor_discount()

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        loss = NDCGLoss(
            self.queries(dataset), self.per_pair, self.cutoff, self.discount == "letor"
        )
        return [WeightedLoss(loss, self.C)]
