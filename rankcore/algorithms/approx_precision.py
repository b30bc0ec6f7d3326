r"""ApproxPrecision: a smooth precision at k, maximised directly.

With soft positions :math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))`,

.. math::

    \hat F_q = \frac{1}{k} \sum_i r_i\,
    \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big),

P@k becomes a smooth function of the scores :math:`s = Xw`. Documents with a label above
0 are relevant, :math:`r_i = 1`. The objective is the mean of :math:`\hat F_q` over the
queries that have relevant documents.

An iteration costs :math:`O(mn + nd)` for a query with m relevant documents.

The slope of a relevant document far below position k is only
:math:`\beta e^{-\beta (\hat\pi_i - k)}`: with a large :math:`\beta`, only documents
near the cutoff are learnt from, hence the small default. The paper derives the centre
:math:`k + \frac12` for whole positions; at a soft position of :math:`k + \frac12` its
sigmoid has an error of one half for every :math:`\beta`. Optimisers and other
deviations are those of the family; see `rankcore.algorithms.parts.approximation`.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.approximation import (
    CLIMBS,
    Approximation,
    PositionKernel,
    position_sharpness,
    relevance,
    sharpness,
    smooth_mean,
)
from rankcore.base.hyperparameters import first_positions
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ApproxPrecision(Approximation):
    """Linear ranker that maximises a smooth precision at k (Qin, Liu and Li, 2010)."""

    title = "ApproxPrecision"
    summary = f"{CLIMBS} precision at k they give."
    equation = smooth_mean(
        r"\frac{1}{k} \sum_i r_i\, \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big)"
    )
    presets = {
        **Approximation.presets,
        "The top document (k = 1)": {"cutoff": 1, "beta": 1.0},
        "β too sharp": {"beta": 100.0},
    }

    alpha: float = position_sharpness(1.0)
    cutoff: int = first_positions(
        10, "Number of top positions that count.", (1, 5, 10), optional=False
    )
    beta: float = sharpness("the cutoff", 0.3, (0.1, 0.3, 1.0))

    def measure(self, dataset: RankingDataset) -> str:
        return f"P@{self.cutoff}"

    def document_weights(self, dataset: RankingDataset) -> np.ndarray:
        return relevance(dataset) / self.cutoff

    def position_kernel(self) -> PositionKernel:
        from rankcore._kernels.losses.position_measures import precision

        return precision, (self.cutoff, self.beta)
