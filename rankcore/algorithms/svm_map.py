r"""SVMMAP: a structured SVM whose slack bounds 1 - average precision.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q \quad\text{with}\quad
    w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big)
    \ge 1 - \mathrm{AP}(y) - \xi_q \text{ for all orders } y,

.. math::

    \phi(x, y) = \frac{1}{\nu} \sum_{g, b} y_{gb} (x_g - x_b), \qquad
    y_{gb} = \pm 1 \text{ as good } g \text{ is above or below bad } b.

As the order by :math:`w^\top x` maximises :math:`w^\top \phi`, the slack is at least
its loss, 1 - AP.

Papers
------
Y. Yue, T. Finley, F. Radlinski, T. Joachims, "A support vector method for optimizing
average precision", SIGIR 2007; S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya,
"Structured learning for non-smooth ranking losses", KDD 2008.

Complexity
----------
O(n log n + n d) per round for a query of n documents, compared with O(n+ n-) in the
first paper: see `rankcore._kernels.structured.merging`. The rounds are those of
`rankcore.algorithms.parts.margins.cutting_planes`.

Deviations
----------
- Graded labels are made binary by ``relevant_from``.
- :math:`\nu = n^+ n^-` by default, as in the first paper; the slides of the second have
  :math:`\nu = 1` and no factor 1/2 before :math:`w^\top w`; the latter is adopted here.
- The slides also write the feature map as the sum of :math:`x_g - x_b` over inverted
  pairs. This has the wrong sign for a maximum; it is half of
  :math:`\phi(y^*) - \phi(y)`.
- Features are taken in units of their range, see
  `rankcore.algorithms.parts.margins.structured`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.margins.cutting_planes import WeightedLoss
from rankcore.algorithms.parts.margins.margin_losses import APLoss
from rankcore.algorithms.parts.margins.structured import (
    MARGIN_OF,
    BinaryStructuredRanker,
    margin_problem,
    swept_slack_weight,
)
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class SVMMAP(BinaryStructuredRanker):
    """Structured SVM for average precision (Yue et al., 2007)."""

    title = "SVMMAP"
    summary = f"{MARGIN_OF} the average precision that the other order loses."
    equation = margin_problem(r"\mathrm{AP}")
    paper = (
        "Y. Yue, T. Finley, F. Radlinski, T. Joachims: A support vector method for "
        "optimizing average precision. SIGIR 2007."
    )
    presets = {
        "Weak margins (C = 0.1)": {"C": 0.1},
        "Tight margins (C = 1000)": {"C": 1000.0},
        "Only the best documents count as relevant": {"relevant_from": 2},
        "One slack for all queries": {"slacks": "one"},
    }

    C: float = swept_slack_weight(20.0)

    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        return [WeightedLoss(APLoss(self.queries(dataset), self.per_pair), self.C)]
