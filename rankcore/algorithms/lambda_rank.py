r"""LambdaRank: logistic loss of pairs, weighted by the change of NDCG when they swap.

RankNet's loss of a pair is multiplied by the change of NDCG if its two documents
swapped places in the current order:

.. math::

    \sum_q \sum_{y_i > y_j} |\Delta\mathrm{NDCG}_{ij}| \log(1 + e^{-(s_i - s_j)}),
    \qquad s = X w .

The weights are held fixed in each step, so document i is pushed up by

.. math:: \lambda_i = \sum_{j: y_j < y_i} |\Delta\mathrm{NDCG}_{ij}|\,
    \sigma(s_j - s_i) - \sum_{j: y_j > y_i} |\Delta\mathrm{NDCG}_{ij}|\,
    \sigma(s_i - s_j),

and these forces sum to zero. The loss is defined by the current order: it jumps where
two documents change places, so it need not fall at every step.

Paper
-----
C. Burges, R. Ragno, Q. V. Le, "Learning to rank with nonsmooth cost functions", NIPS
2006. The linear model is that of the baseline of Z. Sun, T. Qin, Q. Tao, J. Wang,
"Robust sparse rank learning for non-smooth ranking measures", SIGIR 2009.

Complexity
----------
O(n^2 + n d) for a query of n documents and d features, and O(n) memory in addition to
the data: unlike RSRank's piecewise quadratic, the logistic function does not separate
into a few sums, so all pairs of different labels are visited, in vector instructions;
see `rankcore._kernels.losses.logistic_deltas`.

Deviations from the paper
-------------------------
- A linear model instead of a neural network, and all queries in each step instead of
  one at a time.
- Documents of equal scores are ranked in an order derived from their features, see
  `rankcore.algorithms.parts.content_order`.
- The sum runs over queries, as in RSRank. The default step is the reciprocal of the
  largest curvature of the loss near the ideal order, with features in units of their
  ranges, so that neither raw features nor many queries make training diverge.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.delta_weights import (
    DeltaWeightedLoss,
    WeightedLogisticLoss,
)
from rankcore.algorithms.parts.lambda_descent import LambdaDescent
from rankcore.data.dataset import RankingDataset


@dataclass(eq=False, repr=False, kw_only=True)
class LambdaRank(LambdaDescent):
    """Linear model of logistic pairs, weighted by the change of NDCG."""

    title = "LambdaRank"
    summary = (
        "Pushes the better document of each pair up, with a force proportional to the "
        "NDCG that swapping the two would change."
    )
    whole_labels = ""
    equation = (
        r"\min_w \sum_q \sum_{y_i > y_j} |\Delta\mathrm{NDCG}_{ij}|\,"
        r"\log\big(1 + e^{-w^\top (x_i - x_j)}\big)"
    )
    paper = (
        "C. Burges, R. Ragno, Q. V. Le: Learning to rank with nonsmooth cost "
        "functions. NIPS 2006."
    )
    presets = {
        "From the least squares fit": {"init": "least_squares"},
        "Fixed steps (η = 0.001)": {"learning_rate": 0.001},
    }
    exponential_gain = True

    def loss(self, dataset: RankingDataset) -> DeltaWeightedLoss:
        return WeightedLogisticLoss(dataset)
