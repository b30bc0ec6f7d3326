r"""ApproxERR: a smooth expected reciprocal rank, maximised directly.

A reader goes down the list and stops at a document with probability
:math:`R_i = (2^{y_i} - 1) / 2^{y_{\max}}`, where :math:`y_{\max}` is the highest label
of the training data; the measure is the expected 1 / rank of the last document read.
With soft positions :math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))`,
and a sigmoid in place of the comparison of two positions,

.. math::

    \hat F_q = \sum_i \frac{R_i}{\hat\pi_i} \prod_{j \ne i}
    \big(1 - R_j\, \sigma(\beta (\hat\pi_i - \hat\pi_j))\big),

it becomes a smooth function of the scores :math:`s = Xw`. The objective is the mean of
:math:`\hat F_q` over the queries that have a document with a label above 0.

O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, *Expected reciprocal rank for graded
relevance*, CIKM 2009, for the measure; T. Qin, T.-Y. Liu, H. Li, *A general
approximation framework for direct optimization of information retrieval measures*,
Information Retrieval 13:375-397, 2010, for the frame.

An iteration costs :math:`O(mn + m^2 + nd)` for a query with m relevant documents.

Each of two tied documents counts as half above the other; where many tie, the product
nearly vanishes, hence the large :math:`\beta`. The surrogate has many maxima; a start
at RankSVM's model is worth trying.

Its derivatives by the positions are in
`rankcore._kernels.losses.position_measures.cascade`. Optimisers and deviations are
those of the family; see `rankcore.algorithms.parts.approximation`.
"""

import math
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.approximation import (
    CLIMBS,
    FRAMEWORK,
    Approximation,
    PositionKernel,
    position_sharpness,
    sharpness,
    smooth_mean,
)
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp2


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ApproxERR(Approximation):
    """Linear ranker that maximises a smooth expected reciprocal rank."""

    title = "ApproxERR"
    paper = (
        "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for "
        f"graded relevance. CIKM 2009; by the framework of {FRAMEWORK}"
    )
    summary = f"{CLIMBS} expected reciprocal rank of where a reader stops."
    equation = smooth_mean(
        r"\sum_i \frac{R_i}{\hat\pi_i} \prod_{j \ne i} \big(1 - R_j\, \sigma(\beta "
        r"(\hat\pi_i - \hat\pi_j))\big), \quad R_i = \frac{2^{y_i} - 1}{2^{y_{\max}}}",
        gap=r"\quad",
    )
    exponential_gain = True

    alpha: float = position_sharpness(1.0)
    beta: float = sharpness(
        "the comparison of two positions", 30.0, (10.0, 30.0, 100.0)
    )

    def measure(self, dataset: RankingDataset) -> str:
        return f"ERR(max_grade={_highest(dataset)})"

    def document_weights(self, dataset: RankingDataset) -> np.ndarray:
        highest = _highest(dataset)
        return exp2(dataset.y - highest) - exp2(-highest)

    def position_kernel(self) -> PositionKernel:
        from rankcore._kernels.losses.position_measures import cascade

        return cascade, (self.beta,)


def _highest(dataset: RankingDataset) -> int:
    return max(math.ceil(dataset.y.max()), 1)
