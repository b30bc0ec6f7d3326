r"""SVMCombo: several ranking losses that share one model.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \sum_\ell \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell
    \quad\text{with}\quad
    w^\top \delta\phi_q^\ell(y) \ge \Delta_\ell(y) - \xi_q^\ell
    \text{ for all } \ell, q, y,

over :math:`\ell` from 1 - AUC, 1 - AP, 1 - NDCG and 1 - RR, each with its own slack,
most violated orders and constraints. A loss of :math:`C_\ell = 0` is left out; with a
single loss, the algorithm is that loss's own. Users differ in what they look for, and
several losses let one model serve several measures.

Complexity
----------
The sum of the costs of its losses, with a single sort: see
`rankcore.algorithms.parts.margins.cutting_planes`.

Deviations
----------
- Graded labels are made binary by ``relevant_from``.
- The slides bound the sum of the losses' risks by the objective. That needs all
  :math:`C_\ell \ge 1`; the bound that always holds is :math:`\sum_\ell
  \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell \ge \sum_\ell C_\ell R(w, \Delta_\ell)`, with R
  the mean loss of the predicted orders.
- Features are taken in units of their range, see
  `rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.margin_losses import (
    APLoss,
    AUCLoss,
    FirstOnlyRRLoss,
    NDCGLoss,
    RRLoss,
)
from rankcore.algorithms.parts.margins.structured import (
    SLIDES,
    BinaryStructuredRanker,
    letor_discount,
    slack_weight,
)
from rankcore.base.hyperparameters import choice, first_positions
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class SVMCombo(BinaryStructuredRanker):
    """Structured SVM for several measures at once (Chakrabarti et al., 2008)."""

    title = "SVMCombo"
    summary = (
        "Enforces the margins of several measures at once: one model, with one slack "
        "and one C per measure."
    )
    equation = (
        r"\min_{w,\,\xi \ge 0} w^\top w + \sum_\ell \frac{C_\ell}{|Q|} \sum_q "
        r"\xi_q^\ell, \quad w^\top \delta\phi_q^\ell(y) \ge \Delta_\ell(y) - "
        r"\xi_q^\ell \;\; \forall y"
    )
    paper = SLIDES
    iteration_cost = 8
    presets = {
        "MAP, NDCG and MRR alike": {"C_auc": 0.0},
        "MAP and NDCG": {"C_auc": 0.0, "C_mrr": 0.0},
        "Top ten (k = 10)": {"cutoff": 10},
        "Mostly the first document": {"C_auc": 1.0, "C_map": 1.0, "C_ndcg": 1.0},
    }
    tuning_params = ("C_auc",)

    C_auc: float = slack_weight(100.0, "AUC", sweep=(0.0, 1.0, 10.0, 100.0))
    C_map: float = slack_weight(10.0, "MAP")
    C_ndcg: float = slack_weight(10.0, "NDCG")
    C_mrr: float = slack_weight(10.0, "MRR")
    cutoff: int | None = first_positions(
        None,
        "Cutoff of NDCG and of the reciprocal rank; without a cutoff, the whole list.",
        (None, 10),
    )
    discount: str = letor_discount()
    feature_map: str = choice(
        "pairs",
        ("pairs", "first"),
        symbol=r"\phi_{\mathrm{MRR}}",
        meaning="Feature map of the reciprocal rank: all pairs of a good and a bad "
        "document, or the first good document and the bad ones above it.",
    )

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        lists = self.queries(dataset), self.per_pair
        rr = RRLoss if self.feature_map == "pairs" else FirstOnlyRRLoss
        return [
            WeightedLoss(AUCLoss(*lists), self.C_auc),
            WeightedLoss(APLoss(*lists), self.C_map),
            WeightedLoss(
                NDCGLoss(*lists, self.cutoff, self.discount == "letor"), self.C_ndcg
            ),
            WeightedLoss(rr(*lists, self.cutoff), self.C_mrr),
        ]
