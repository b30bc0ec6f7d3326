r"""SVMAUC: a structured SVM whose slack bounds the share of inverted pairs, 1 - AUC.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q \quad\text{with}\quad
    w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big)
    \ge \frac{\#\{(g, b): b \text{ above } g\}}{n^+ n^-} - \xi_q
    \text{ for all orders } y,

with the feature map of all pairs from `rankcore.algorithms.svm_map`. Loss and map
decompose into pairs, so the slack is the mean hinge over pairs:

.. math::

    \xi_q = \frac{1}{n^+ n^-} \sum_{g, b}
    \max\Big(0,\; 1 - \frac{2 n^+ n^-}{\nu} w^\top (x_g - x_b)\Big),

which is a ranking SVM in which every query has the same weight.

Papers
------
T. Joachims, "A support vector method for multivariate performance measures", ICML 2005;
S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya, "Structured learning for
non-smooth ranking losses", KDD 2008.

Complexity
----------
O(n log n + n d) per round for a query of n documents: one merge of the sorted lists.

Deviations
----------
Graded labels are made binary by ``relevant_from``; the paper has one list, here each
query is one. Features are taken in units of their range, see
`rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.margin_losses import AUCLoss
from rankcore.algorithms.parts.margins.structured import (
    MARGIN_OF,
    BinaryStructuredRanker,
    margin_problem,
    swept_slack_weight,
)
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class SVMAUC(BinaryStructuredRanker):
    """Structured SVM for the area under the ROC curve (Joachims, 2005)."""

    title = "SVMAUC"
    summary = f"{MARGIN_OF} the share of pairs that the other order inverts."
    equation = margin_problem(r"\mathrm{AUC}")
    paper = (
        "T. Joachims: A support vector method for multivariate performance measures. "
        "ICML 2005."
    )
    presets = {
        "Weak margins (C = 0.1)": {"C": 0.1},
        "Tight margins (C = 1000)": {"C": 1000.0},
        "One slack for all queries": {"slacks": "one"},
    }

    C: float = swept_slack_weight(20.0)

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        return [WeightedLoss(AUCLoss(self.queries(dataset), self.per_pair), self.C)]
