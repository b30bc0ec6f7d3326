r"""ApproxNDCG: a smooth NDCG, maximised directly.

With soft positions :math:`\hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i))` of
the documents,

.. math::

    \hat F_q = \frac{1}{N_k} \sum_i \frac{2^{y_i} - 1}{\log_2(1 + \hat\pi_i)}\,
    \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big),

NDCG@k becomes a smooth function of the scores :math:`s = Xw`; without a cutoff the last
factor is 1. The objective is the mean of :math:`\hat F_q` over the queries that have
relevant documents. It is not concave, hence the restarts.

An iteration costs :math:`O(n^+ n + nd)` for a query with :math:`n^+` relevant
documents. NDCG is a sum over documents: a document's slope depends on its own position
only, so one visit of its row yields both; other measures need two.

Its optimisers, deviations from the paper and errata are those of the family, and so is
the effect of :math:`\alpha` and the gradient tolerance on the end of an ascent; see
`rankcore.algorithms.parts.approximation`.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.approximation import (
    CLIMBS,
    Approximation,
    PositionKernel,
    position_sharpness,
    sharpness,
    smooth_mean,
)
from rankcore.algorithms.parts.normalised_gains import (
    normalised_gains,
    relative_weights,
)
from rankcore.algorithms.parts.surrogate import SoftMeasure, Surrogate
from rankcore.base.hyperparameters import first_positions
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ApproxNDCG(Approximation):
    """Linear ranker that maximises a smooth NDCG (Qin, Liu and Li, 2010)."""

    title = "ApproxNDCG"
    summary = f"{CLIMBS} NDCG they give."
    equation = smooth_mean(
        r"\frac{1}{N_k} \sum_i \frac{2^{y_i} - 1}{\log_2(1 + "
        r"\hat\pi_i)}\,\sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big)"
    )
    presets = {
        **Approximation.presets,
        "Top of the list (k = 5)": {"cutoff": 5, "beta": 1.0},
    }

    tuning_params = ("alpha",)
    exponential_gain = True
    document_weights_refusal = None

    alpha: float = position_sharpness(sweep=(1.0, 10.0, 50.0, 100.0, 300.0))
    cutoff: int | None = first_positions(
        None,
        "Maximise NDCG@k, or NDCG of the whole list.",
        (None, 5, 10),
    )
    beta: float = sharpness("the cutoff, where there is one")

    def measure(self, dataset: RankingDataset) -> str:
        return "nDCG" if self.cutoff is None else f"nDCG@{self.cutoff}"

    def document_weights(self, dataset: RankingDataset) -> np.ndarray:
        importance = relative_weights(dataset)
        return normalised_gains(dataset.y, dataset.offsets, self.cutoff, importance)

    def position_kernel(self) -> PositionKernel:
        from rankcore._kernels.losses.position_measures import discounted_gain

        return discounted_gain, self._cutoff

    def value_and_gradient(
        self, surrogate: SoftMeasure, w: np.ndarray, queries: np.ndarray
    ) -> tuple[float, np.ndarray, int]:
        if surrogate.importance is not None:
            return super().value_and_gradient(surrogate, w, queries)
        return self._pass(surrogate, w, queries, 0.0)

    def sgd_epoch(self, surrogate: Surrogate, w: np.ndarray, order: np.ndarray) -> None:
        if surrogate.importance is not None:
            super().sgd_epoch(surrogate, w, order)
            return
        self._pass(surrogate, w, order, self.learning_rate)

    def _pass(
        self, surrogate: SoftMeasure, w: np.ndarray, queries: np.ndarray, rate: float
    ) -> tuple[float, np.ndarray, int]:
        from rankcore._kernels.losses.approximation import ndcg_pass

        return ndcg_pass(
            surrogate.X,
            surrogate.weights,
            surrogate.offsets,
            queries,
            w,
            self.alpha,
            *self._cutoff,
            rate,
        )

    @property
    def _cutoff(self) -> tuple[float, float]:
        return np.inf if self.cutoff is None else float(self.cutoff), self.beta
