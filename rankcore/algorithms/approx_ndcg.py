r"""ApproxNDCG: a smooth NDCG, maximised directly.

The position of a document is one more than the number of documents above it. With the
step that counts them replaced by a sigmoid,

.. math::

    \hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big), \qquad
    \hat F_q = \frac{1}{N_k} \sum_i \frac{2^{y_i} - 1}{\log_2(1 + \hat\pi_i)}\,
    \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big),

NDCG@k becomes a smooth function of the scores :math:`s = Xw`; without a cutoff the last
factor is 1. The objective is the mean of :math:`\hat F_q` over the queries that have
relevant documents. It is not concave, hence the restarts.

T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct optimization of
information retrieval measures*, Information Retrieval 13:375-397, 2010.

A pass costs :math:`O(n^+ n + nd)` a query, :math:`n^+` its relevant documents, and less
where :math:`\alpha` leaves most pairs out of reach; see
`rankcore._kernels.approximation`.

Deviations and readings

- ``optimiser="stochastic"`` is the paper's Algorithm 1 with a cap on the passes of a
  restart. ``"lbfgs"``, the default, climbs the same objective by SciPy's L-BFGS-B, each
  coefficient in units of one over :math:`\alpha` times the feature's largest range
  within a query: neither :math:`\alpha` nor the scale of features changes its path,
  but where it starts.
- The paper does not say how large a random start is. Here it is uniform in a box that
  shrinks with the features' ranges, :math:`[-1, 1]^d` for normalised features. Only
  :math:`\alpha w` matters to the objective: if it is large, every document is out of
  the others' reach, the gradient vanishes, and a run that stands still may be flat
  rather than done. The diagnostics name the gradient's norm and the share of flat
  queries.
- The paper's bound :math:`|\hat\pi_i - \pi_i| < (n - 1) / (e^{\alpha\delta_i} + 1)`
  holds with :math:`\le`, with equality for every :math:`n = 2` (its theorem 1).
- The cutoff's sigmoid is centred at :math:`k + \frac12`, which the paper derives for
  whole positions; a soft position slightly above :math:`k` still counts nearly fully.
- Tied documents share their middle position, as the sigmoid has it; measures are taken
  of a strict order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankcore.algorithms._ranker import LinearRanker, Step, Steps
from rankcore.algorithms._scipy_steps import minimise
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import choice, integer, real

_FLAT = (
    "The gradient has vanished in most queries: the surrogate is flat here, which need "
    "not be a maximum. Try a smaller α or smaller starting coefficients."
)


class _Surrogate:
    """The smooth NDCG of a data set at given sharpness."""

    def __init__(
        self, dataset: RankingDataset, alpha: float, cutoff: int | None, beta: float
    ) -> None:
        from rankcore._kernels.approximation import ndcg_pass, normalised_gains

        self.X, self.offsets = dataset.X, dataset.offsets
        self.gains = normalised_gains(dataset.y, dataset.offsets, cutoff)
        self.sharpness = alpha, np.inf if cutoff is None else float(cutoff), beta
        relevant = np.add.reduceat(self.gains, self.offsets[:-1]) > 0.0
        self.queries = np.flatnonzero(relevant)
        self._pass = ndcg_pass
        self._asked = np.empty(0)
        self._answer = 0.0, np.empty(0), 0.0

    def evaluate(self, w: np.ndarray) -> tuple[float, np.ndarray, float]:
        """Mean over queries, gradient (d,), and the share of flat queries.

        The last answer is kept: a minimiser has just asked at the point it settles on.
        """
        if not np.array_equal(w, self._asked):
            total, gradient, flat = self._pass(
                self.X, self.gains, self.offsets, self.queries, w, *self.sharpness, 0.0
            )
            n = max(len(self.queries), 1)
            self._asked, self._answer = w.copy(), (total / n, gradient / n, flat / n)
        return self._answer

    def ascend(self, w: np.ndarray, order: np.ndarray, rate: float) -> None:
        """Move ``w`` along each query's own gradient, in the given order."""
        self._pass(self.X, self.gains, self.offsets, order, w, *self.sharpness, rate)

    def units(self) -> np.ndarray:
        """(d,) changes of a coefficient that move scores by at most 1.

        That is one over the feature's largest range within a query, and 0 for a feature
        that is constant within each: its coefficient never matters.
        """
        begins = self.offsets[:-1]
        lowest = np.minimum.reduceat(self.X, begins)
        ranges = (np.maximum.reduceat(self.X, begins) - lowest).max(axis=0)
        units = np.zeros_like(ranges)
        np.divide(1.0, ranges, out=units, where=ranges > 0.0)
        return units


@dataclass(eq=False, repr=False, kw_only=True)
class ApproxNDCG(LinearRanker):
    """Linear ranker that maximises a smooth NDCG (Qin, Liu and Li, 2010).

    See the module's documentation for the objective and the deviations from the paper,
    and `rankcore.hyperparameters` for the meaning and range of each hyperparameter.
    """

    title: ClassVar[str] = "ApproxNDCG"
    family: ClassVar[str] = "direct"
    summary: ClassVar[str] = (
        "Replaces positions by smooth ones and climbs the NDCG they give."
    )
    equation: ClassVar[str] = (
        r"\max_w \frac{1}{|Q|} \sum_q \frac{1}{N_k} \sum_i "
        r"\frac{2^{y_i} - 1}{\log_2(1 + \hat\pi_i)}\,"
        r"\sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big), \qquad "
        r"\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big)"
    )
    paper: ClassVar[str] = (
        "T. Qin, T.-Y. Liu, H. Li: A general approximation framework for direct "
        "optimization of information retrieval measures. Information Retrieval "
        "13:375-397, 2010."
    )
    maximises: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "Smooth (α = 1)": {"alpha": 1.0},
        "Close to the measure (α = 100)": {"alpha": 100.0},
        "α too sharp": {"alpha": 1000.0, "init_scale": 10.0},
        "The paper's Algorithm 1": {
            "optimiser": "stochastic",
            "alpha": 100.0,
            "n_restarts": 10,
            "restart_passes": 50,
            "max_iter": 1000,
        },
        "Ten restarts": {"n_restarts": 10, "max_iter": 2000},
        "Top of the list (k = 5)": {"cutoff": 5, "beta": 1.0},
    }
    tuned: ClassVar[tuple[str, ...]] = ("alpha",)

    alpha: float = real(
        10.0,
        low=0.1,
        high=1000.0,
        minimum=1e-6,
        scale="log",
        symbol=r"\alpha",
        meaning="Sharpness of the soft positions; larger is closer to the measure and "
        "flatter between its steps.",
        sweep=(1.0, 10.0, 50.0, 100.0, 300.0),
    )
    cutoff: int | None = integer(
        None,
        low=1,
        high=100,
        optional=True,
        symbol="k",
        meaning="Maximise NDCG@k; without it NDCG of the whole list.",
        sweep=(None, 5, 10),
    )
    beta: float = real(
        10.0,
        low=0.1,
        high=100.0,
        minimum=1e-6,
        scale="log",
        symbol=r"\beta",
        meaning="Sharpness of the cutoff, where there is one.",
        sweep=(1.0, 10.0, 20.0, 50.0, 100.0),
    )
    optimiser: str = choice(
        "lbfgs",
        ("lbfgs", "stochastic"),
        meaning="Climb by L-BFGS or, as the paper, one step a query in random order.",
    )
    n_restarts: int = integer(
        1,
        low=1,
        high=100,
        scale="log",
        symbol="K",
        meaning="Starts tried one after the other; the last step is the best one's.",
        sweep=(1, 10),
    )
    init: str = choice(
        "uniform",
        ("uniform", "zeros"),
        meaning="Where the first restart begins; the others begin at random.",
    )
    init_scale: float = real(
        1.0,
        low=0.001,
        high=10.0,
        minimum=0.0,
        scale="log",
        meaning="Random starts are uniform between minus and plus this, divided by the "
        "feature's range.",
        sweep=(0.01, 0.1, 1.0),
    )
    restart_passes: int = integer(
        100,
        low=1,
        high=5000,
        scale="log",
        meaning="Passes after which a restart ends even if it still improves.",
    )
    learning_rate: float = real(
        0.01,
        low=1e-5,
        high=1.0,
        minimum=0.0,
        scale="log",
        symbol=r"\eta",
        meaning="Length of a stochastic step, in gradients of one query.",
        sweep=(0.001, 0.01, 0.1),
        shown_when={"optimiser": ("stochastic",)},
    )
    tolerance: float = real(
        0.001,
        low=1e-6,
        high=0.1,
        minimum=0.0,
        scale="log",
        symbol=r"\delta",
        meaning="A stochastic restart ends when a pass moves the coefficients by less.",
        shown_when={"optimiser": ("stochastic",)},
    )
    gradient_tolerance: float = real(
        1e-5,
        low=1e-8,
        high=0.01,
        minimum=0.0,
        scale="log",
        meaning="An L-BFGS restart ends when no component of the gradient is larger, "
        "features taken in units of their spread.",
        shown_when={"optimiser": ("lbfgs",)},
    )

    def steps(
        self,
        dataset: RankingDataset,
        rng: np.random.Generator,
        start: np.ndarray | None = None,
    ) -> Steps:
        """Yield the passes of all restarts, then the best one's result again.

        Diagnostics: the number of the restart; the norm of the objective's gradient;
        the share of queries with relevant documents whose gradient has vanished.
        """
        surrogate = _Surrogate(dataset, self.alpha, self.cutoff, self.beta)
        iteration = -1
        best: Step | None = None
        last: Step | None = None
        for restart in range(1, self.n_restarts + 1):
            if restart == 1 and start is not None:
                first = self.checked_start(start, dataset)
            else:
                first = self._first(surrogate.units(), rng, restart)
            for w in self._climb(surrogate, first, rng):
                iteration += 1
                last = self._step(surrogate, w, iteration, restart)
                yield last
            if last is not None and (best is None or last.objective > best.objective):
                best = last
        if best is not None and best is not last:
            yield Step(iteration + 1, best.coef, best.objective, best.diagnostics)
        if best is not None and best.diagnostics["flat queries"] > 0.5:
            return _FLAT
        return None

    def _first(
        self, units: np.ndarray, rng: np.random.Generator, restart: int
    ) -> np.ndarray:
        """Where a restart begins that is not told."""
        if restart == 1 and self.init == "zeros":
            return np.zeros_like(units)
        return self.init_scale * units * rng.uniform(-1.0, 1.0, len(units))

    def _step(
        self, surrogate: _Surrogate, w: np.ndarray, iteration: int, restart: int
    ) -> Step:
        value, gradient, flat = surrogate.evaluate(w)
        diagnostics = {
            "restart": float(restart),
            "gradient norm": float(np.linalg.norm(gradient)),
            "flat queries": flat,
        }
        return Step(iteration, w, value, diagnostics)

    def _climb(
        self, surrogate: _Surrogate, w: np.ndarray, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """Yield the start and the coefficients after each pass of one restart."""
        yield w
        if len(surrogate.queries) == 0:
            return
        if self.optimiser == "lbfgs":
            yield from self._lbfgs(surrogate, w)
        else:
            yield from self._stochastic(surrogate, w, rng)

    def _lbfgs(self, surrogate: _Surrogate, w: np.ndarray) -> Iterator[np.ndarray]:
        units = surrogate.units() / self.alpha

        def loss(u: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient, _ = surrogate.evaluate(w + units * u)
            return -value, -units * gradient

        limits = {
            "maxiter": self.restart_passes,
            "gtol": self.gradient_tolerance,
            "ftol": 0.0,
        }
        zero = np.zeros_like(w)
        for u in minimise(loss, zero, method="L-BFGS-B", options=limits):
            yield w + units * u

    def _stochastic(
        self, surrogate: _Surrogate, w: np.ndarray, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        for _ in range(self.restart_passes):
            previous, w = w, w.copy()
            surrogate.ascend(w, rng.permutation(surrogate.queries), self.learning_rate)
            yield w
            if np.linalg.norm(w - previous) <= self.tolerance:
                return
