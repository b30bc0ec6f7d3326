r"""ApproxAP: a smooth average precision, maximised directly.

With soft positions :math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))`
and the comparison of two of them smoothed as well,

.. math::

    \hat F_q = \frac{1}{m} \sum_{i: r_i = 1} \frac{1}{\hat\pi_i} \Big(1 +
    \sum_{x \ne i} r_x\, \sigma\big(\beta (\hat\pi_i - \hat\pi_x)\big)\Big),

average precision becomes a smooth function of the scores :math:`s = Xw`. The m
documents with a label above 0 are relevant. The objective is the mean of
:math:`\hat F_q` over queries with relevant documents. It is not concave, hence the
restarts.

An iteration costs :math:`O(mn + nd)` per query: it visits the rows of the relevant
documents twice and the pairs of relevant documents once.

The paper's theorem 2 bounds the error by two sums; the factor 2 in the second is not
needed. It gives tied documents the best of their ranks, under which the two forms of
average precision in its equation 7 differ; here tied documents share their mean
position, and measures are computed for a strict order. Optimisers and other deviations
are those of the family; see `rankcore.algorithms.parts.approximation`.
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
