r"""SVMMRR: a structured SVM whose slack bounds 1 - the reciprocal rank.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q \quad\text{with}\quad
    w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big)
    \ge 1 - \frac{1}{r(y)} \mathbf 1\{r(y) \le k\} - \xi_q \text{ for all orders } y,

with r the rank of the first good document. Two feature maps are offered: that of all
pairs, as in `rankcore.algorithms.svm_map`, and the one designed for this loss,

.. math::

    \phi_{\mathrm{mrr}}(x, y) = \frac{1}{\nu} \sum_{b \text{ above } g_0}
    (x_b - x_{g_0}), \qquad g_0 \text{ the first good document}.

Both slacks bound the loss of the predicted order: the second does because every bad
document above the first good one scores at least as high.

Complexity
----------
O(n log n + n d) per round for a query of n documents: see
`rankcore._kernels.structured.merging_first`.

Deviations
----------
- Graded labels are made binary by ``relevant_from``.
- The slides list 1, 1/2, …, 1/k, 0 as the values of the loss; they are the values of
  the reciprocal rank.
- Their general scheme of merging by score does not cover the second map: its most
  violated order has the lowest good document first.
- :math:`\nu` is 1 on the slides. Here it is by default the number of terms a map can
  have: :math:`n^+ n^-` for the first, :math:`n^-` for the second.
- Where lists are long, the second map and a cutoff often leave w = 0 as the minimum:
  orders of the largest loss then cost almost no margin. Training reports this.
- Where many documents are relevant, the first of them says little about the others: on
  OHSUMED, where a third is relevant, the reciprocal rank of the training data rises
  with C, from 0.735 at 0.01 to 0.761 at 3, while its nDCG@10 falls from 0.442 to 0.389.
  So the default C is small, and ``relevant_from=2`` helps. Where features predict the
  labels well, or a query has a single target document, C = 20 and more rank better.
- Features are taken in units of their range, see
  `rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.margin_losses import FirstOnlyRRLoss, RRLoss
from rankcore.algorithms.parts.margins.structured import (
    MARGIN_OF,
    SLIDES,
    BinaryStructuredRanker,
    margin_problem,
    swept_slack_weight,
)
from rankcore.base.hyperparameters import choice, first_positions
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class SVMMRR(BinaryStructuredRanker):
    """Structured SVM for the reciprocal rank (Chakrabarti et al., 2008)."""

    title = "SVMMRR"
    summary = f"{MARGIN_OF} the reciprocal rank that the other order loses."
    equation = margin_problem(r"\mathrm{RR@}k")
    paper = SLIDES
    presets = {
        "All pairs (φₚₒ)": {"feature_map": "pairs", "C": 20.0},
        "First good document only (φₘᵣᵣ)": {"feature_map": "first", "C": 20.0},
        "Top ten (k = 10)": {"cutoff": 10, "C": 20.0},
        "Tight margins (C = 1000)": {"C": 1000.0},
    }

    C: float = swept_slack_weight(0.1)
    feature_map: str = choice(
        "pairs",
        ("pairs", "first"),
        symbol=r"\phi",
        meaning="Compare all pairs of a good and a bad document, or only the first "
        "good document with the bad ones above it.",
        sweep=("pairs", "first"),
    )
    cutoff: int | None = first_positions(
        None, "Beyond this rank the first relevant document counts 0.", (None, 10)
    )

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        kind = RRLoss if self.feature_map == "pairs" else FirstOnlyRRLoss
        loss = kind(self.queries(dataset), self.per_pair, self.cutoff)
        return [WeightedLoss(loss, self.C)]
