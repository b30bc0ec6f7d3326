r"""ApproxAP: a smooth average precision, maximised directly.

With soft positions :math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))`
and the comparison of two of them smoothed as well,

.. math::

    \hat F_q = \frac{1}{m} \sum_{i: r_i = 1} \frac{1}{\hat\pi_i} \Big(1 +
    \sum_{x \ne i} r_x\, \sigma\big(\beta (\hat\pi_i - \hat\pi_x)\big)\Big),

average precision becomes a smooth function of the scores :math:`s = Xw`. Relevant are
the m documents with a label above 0. The objective is the mean of :math:`\hat F_q` over
the queries that have some. It is not concave, hence the restarts.

A pass costs :math:`O(mn + nd)` a query: the rows of the relevant documents are visited
twice, and the pairs of relevant documents once, as in a query of m documents.

The paper's theorem 2 bounds the error by two sums; the factor 2 in the second is not
needed. It gives positions under ties by the best rank, with which the two forms of
average precision in its equation 7 differ; here ties share their middle position, and
measures are taken of a strict order. Optimisers and other deviations are those of the
family; see `rankcore.algorithms.parts.approximation`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.approximation import (
    CLIMBS,
    Approximation,
    PositionKernel,
    sharpness,
    smooth_mean,
)
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ApproxAP(Approximation):
    """Linear ranker that maximises a smooth average precision (Qin et al., 2010)."""

    title = "ApproxAP"
    summary = f"{CLIMBS} average precision they give."
    equation = smooth_mean(
        r"\frac{1}{m} \sum_{i: r_i = 1} \frac{1}{\hat\pi_i} \Big(1 + \sum_{x \ne i} "
        r"r_x\, \sigma\big(\beta (\hat\pi_i - \hat\pi_x)\big)\Big)"
    )

    beta: float = sharpness("the comparison of two positions", sweep=(3.0, 10.0, 30.0))

    def measure(self, dataset: RankingDataset) -> str:
        return "AP"

    def position_kernel(self) -> PositionKernel:
        from rankcore._kernels.losses.position_measures import average_precision

        return average_precision, (self.beta,)
