r"""ApproxRR: a smooth reciprocal rank, maximised directly.

The reciprocal rank is that of the first relevant document. With soft positions
:math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))`, and a soft minimum
over the positions of the m relevant documents,

.. math::

    \hat F_q = \frac{1}{\mu}, \qquad
    \mu = -\frac{1}{\beta} \ln \frac{1}{m} \sum_{i: r_i = 1} e^{-\beta \hat\pi_i},

it becomes a smooth function of the scores :math:`s = Xw`. The soft minimum is at most
:math:`(\ln m) / \beta` above the minimum, and tends to the mean position as
:math:`\beta` falls to 0. Documents with a label above 0 are relevant. The objective is
the mean of :math:`\hat F_q` over the queries that have relevant documents.

The framework is that of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework
for direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010; the paper has no reciprocal rank.

An iteration costs :math:`O(mn + nd)` for a query with m relevant documents.

Its slopes, :math:`-a_i / \mu^2` with shares :math:`a_i \propto e^{-\beta \hat\pi_i}`
that sum to 1, are all negative: moving a relevant document down never helps. Two other
forms that tend to the reciprocal rank lack this property.
:math:`\sum_i a_i / \hat\pi_i` gains from pushing all but one relevant document down;
and :math:`\sum_i \hat\pi_i^{-1} \prod_j \sigma(\beta (\hat\pi_j - \hat\pi_i))`
vanishes, as :math:`2^{1 - m}`, where the documents are nearly tied. For large
:math:`\beta` one document has all the gradient: hence the small default. Optimisers and
deviations are those of the family; see `rankcore.algorithms.parts.approximation`.
"""

from dataclasses import dataclass

from rankcore.algorithms.parts.approximation import (
    CLIMBS,
    FRAMEWORK,
    Approximation,
    PositionKernel,
    sharpness,
    smooth_mean,
)
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ApproxRR(Approximation):
    """Linear ranker that maximises a smooth reciprocal rank."""

    title = "ApproxRR"
    paper = f"By the framework of {FRAMEWORK}"
    summary = f"{CLIMBS} reciprocal rank they give."
    equation = smooth_mean(
        r"\frac{1}{\mu}, \qquad \mu = -\frac{1}{\beta} \ln \frac{1}{m} \sum_{i: r_i = "
        r"1} e^{-\beta \hat\pi_i}"
    )

    beta: float = sharpness("the soft minimum of positions", 0.1, (0.03, 0.1, 0.3))

    def measure(self, dataset: RankingDataset) -> str:
        return "RR"

    def position_kernel(self) -> PositionKernel:
        from rankcore._kernels.losses.position_measures import reciprocal_rank

        return reciprocal_rank, (self.beta,)
