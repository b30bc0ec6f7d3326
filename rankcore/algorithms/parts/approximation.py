r"""Direct approximation: maximise a smooth version of any measure of positions.

The position of a document is one more than the number of documents above it. With a
sigmoid in place of the step function that counts them,

.. math::

    \hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big),

a measure :math:`F` of positions becomes a smooth function of the scores
:math:`s = Xw`, once its own steps (cutoffs and comparisons of positions) are replaced
in the same way. With its slopes :math:`h_i = \partial F / \partial \hat\pi_i`,

.. math::

    \frac{\partial F}{\partial s_i} = \alpha \sum_{j \ne i}
    \sigma_{ij} (1 - \sigma_{ij}) (h_j - h_i), \qquad \nabla_w F = X^\top
    \frac{\partial F}{\partial s}.

A learner declares the weights of documents, and the values and slopes at given soft
positions: see `Approximation`. Everything else is shared. The objective is the mean of
:math:`F` over the queries that have a document of weight above 0; it is not concave,
hence the restarts and the annealing.

T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct optimization of
information retrieval measures*, Information Retrieval 13:375-397, 2010.

A document of weight 0 has slope 0, and only the rows of the others are visited: an
evaluation costs :math:`O(n^+ n + nd)` per query, and less where a large :math:`\alpha`
saturates the sigmoid of most pairs; see `rankcore._kernels.losses.approximation`.

Deviations and readings

- ``optimiser="stochastic"`` is the paper's Algorithm 1 with a limit on the epochs of a
  restart. ``"lbfgs"``, the default, maximises the same objective by L-BFGS, each
  coefficient in units of one over :math:`\alpha` times the feature's largest range
  within a query. In these units :math:`\alpha` and the scale of features change only
  the start of the path, not the path: only :math:`\alpha` times the start matters, and
  from zeros every :math:`\alpha` ends at the same :math:`\alpha w`. A restart ends when
  no component of the gradient, in the same units, exceeds ``gradient_tolerance``. As
  coefficients grow, the surrogate approaches its measure and its gradient falls, so it
  ends before the maximum: from zeros the training data of ``planted`` give ApproxNDCG
  0.88808 with the default, 0.88858 with a tenth of it. ``"annealing"`` is generalised
  simulated annealing with local ascents, in a box of the same units; each step tries
  one point and reports the best so far. See `rankcore.mathematics.lbfgs` and
  `annealing`.
- The paper does not say how large a random start is. Here it is uniform in a box that
  shrinks with the features' ranges, :math:`[-1, 1]^d` for normalised features. Only
  :math:`\alpha w` matters to the objective: if it is large, all sigmoids saturate, the
  gradient vanishes, and a run that makes no progress may be on a plateau rather than at
  a maximum. The diagnostics contain the norm of the gradient and the share of flat
  queries.
- With weights of queries the objective is their weighted mean. L-BFGS and annealing
  treat a query of weight 2 like two copies of the query, up to rounding, which an
  ascent amplifies just as for another order of queries; a stochastic step on it is
  twice as long, which differs from two steps.
- The paper's bound :math:`|\hat\pi_i - \pi_i| < (n - 1) / (e^{\alpha\delta_i} + 1)`
  holds with :math:`\le`, with equality for every :math:`n = 2` (its theorem 1).
- A cutoff's sigmoid is centred at :math:`k + \frac12`, which the paper derives for
  integer positions; a soft position slightly above :math:`k` still counts almost fully.
- The sigmoid gives tied documents their mean position, whereas measures average over
  their orders; the bounds hold for a strict order.
"""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.ranker import (
    BINARY_LOSS,
    NOTHING_TO_LEARN,
    FeatureUnits,
    LinearRanker,
    QueryWeights,
)
from rankcore.algorithms.parts.surrogate import Point, SoftMeasure, Surrogate
from rankcore.base.hyperparameters import choice, hyperparameters, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.annealing import anneal
from rankcore.mathematics.lbfgs import minimise
from rankcore.mathematics.products import norm
from rankcore.training.steps import Start, Step, Steps

if TYPE_CHECKING:
    from rankcore.training import Record

_FLAT = (
    "The gradient has vanished in most queries: the surrogate is flat here, which need "
    "not be a maximum."
)
_SMALLER = "Try a smaller {} or smaller starting coefficients."
_FROM_ZEROS = (
    "From zeros a run ends at the same αw for every α; a smaller gradient tolerance "
    "climbs on."
)
# Share of queries without a gradient above which a warning is due.
_MOST = 0.5
FRAMEWORK = (
    "T. Qin, T.-Y. Liu, H. Li: A general approximation framework for direct "
    "optimization of information retrieval measures. Information Retrieval "
    "13:375-397, 2010."
)
# The beginning of the learners' summaries.
CLIMBS = "Replaces positions by smooth ones and maximises the"
# Annealing's box, in units in which a coefficient of 1 changes scores by at most 1 / α,
# the width of the sigmoid.
_BOX = 100.0


def smooth_mean(term: str, gap: str = r"\qquad") -> str:
    """Return the objective of a term in soft positions, followed by a gap and the
    definition of these, in LaTeX."""
    return (
        rf"\max_w \frac{{1}}{{|Q|}} \sum_q {term}, {gap} "
        r"\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big)"
    )


def position_sharpness(
    default: float = 10.0, sweep: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0)
) -> Any:
    """Declare α, the sharpness of the soft positions."""
    return logarithmic(
        default,
        (0.1, 1000.0),
        minimum=1e-6,
        symbol=r"\alpha",
        label="Sharpness of positions",
        meaning="Sharpness of the soft positions; a larger α is closer to the measure, "
        "and flatter between its steps. For L-BFGS and annealing only α times the "
        "start matters: from zeros, α changes only the scale of the coefficients.",
        sweep=sweep,
        while_running=True,
    )


def sharpness(
    of_what: str,
    default: float = 10.0,
    sweep: tuple[float, ...] = (1.0, 10.0, 20.0, 50.0, 100.0),
) -> Any:
    """Declare β, the sharpness of the measure's own comparisons of positions.

    Tuning tries the default and half a decade on either side, and decades of α.
    """
    return logarithmic(
        default,
        (0.1, 100.0),
        minimum=1e-6,
        symbol=r"\beta",
        label="Sharpness of the measure",
        meaning=f"Sharpness of {of_what}.",
        sweep=sweep,
        while_running=True,
    )


# A kernel of `rankcore._kernels.losses.position_measures`, and the parameters of the
# measure.
PositionKernel = tuple[Callable[..., np.ndarray], tuple[float, ...]]


@dataclass(eq=False, repr=False, kw_only=True)
class Approximation(LinearRanker):
    """Base of the learners that maximise a measure of soft positions.

    A subclass declares `measure`, and `position_kernel` or `values_and_slopes`; it
    overrides `document_weights` if the weights are not binary relevance.
    """

    family = "direct"
    paper = FRAMEWORK
    maximises = True
    whole_labels = BINARY_LOSS
    query_weights = QueryWeights(
        True,
        "The mean of the surrogate is Σ w_q F_q / Σ w_q, and a stochastic step is w_q "
        "times as long.",
    )
    resumes = True
    presets = {
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
        "Simulated annealing": {"optimiser": "annealing", "max_iter": 2000},
        "From RankSVM's model": {"init": "ranksvm"},
    }
    tuning_params: ClassVar[tuple[str, ...]] = ("alpha", "beta")

    alpha: float = position_sharpness()
    optimiser: str = choice(
        "lbfgs",
        ("lbfgs", "stochastic", "annealing"),
        meaning="L-BFGS; stochastic gradient steps, one per query in random order, as "
        "in the paper; or simulated annealing in a box.",
    )
    n_restarts: int = logarithmic(
        1,
        (1, 100),
        symbol="K",
        label="Restarts",
        meaning="Number of starts, one after the other; the best result comes last.",
        sweep=(1, 10),
        shown_when={"optimiser": ("lbfgs", "stochastic")},
    )
    init: str = choice(
        "uniform",
        ("uniform", "zeros", "ranksvm"),
        label="Start of the first",
        meaning="Start of the first restart: random, zero or RankSVM's model; all "
        "others start at random.",
        advanced=True,
    )
    init_scale: float = logarithmic(
        1.0,
        (0.001, 10.0),
        label="Size of a start",
        meaning="Random starts are uniform between minus and plus this, divided by the "
        "feature's range; RankSVM's largest coefficient is scaled to this size.",
        sweep=(0.01, 0.1, 1.0),
        advanced=True,
    )
    restart_passes: int = logarithmic(
        100,
        (1, 5000),
        label="Iterations per restart",
        meaning="Iterations after which a restart, or a local ascent of annealing, "
        "ends even if it still improves.",
        advanced=True,
    )
    learning_rate: float = logarithmic(
        0.01,
        (1e-5, 1.0),
        symbol=r"\eta",
        meaning="Learning rate of a stochastic step along one query's gradient.",
        sweep=(0.001, 0.01, 0.1),
        shown_when={"optimiser": ("stochastic",)},
        while_running=True,
    )
    tolerance: float = logarithmic(
        0.001,
        (1e-6, 0.1),
        symbol=r"\delta",
        label="Smallest move",
        meaning="A stochastic restart ends when an epoch changes the coefficients by "
        "less.",
        shown_when={"optimiser": ("stochastic",)},
        advanced=True,
    )
    gradient_tolerance: float = logarithmic(
        1e-5,
        (1e-8, 0.01),
        label="Smallest gradient",
        meaning="An L-BFGS restart ends when no component of the gradient is larger, "
        "features taken in units of their spread over α. The gradient falls as "
        "coefficients grow, so a smaller tolerance climbs further.",
        shown_when={"optimiser": ("lbfgs",)},
        advanced=True,
    )

    @property
    def splits(self) -> bool:
        return self.optimiser != "stochastic"

    @property
    def feature_units(self) -> FeatureUnits | None:
        if self.optimiser != "stochastic":
            return None
        return FeatureUnits("a stochastic step", "climb by L-BFGS")

    @abstractmethod
    def measure(self, dataset: RankingDataset) -> str:
        """Return the measure it approximates, as `rankcore.measures.parse` reads it."""

    def document_weights(self, dataset: RankingDataset) -> np.ndarray:
        """(n,) float64, each document's weight in the measure, at least 0; by default
        the relevant documents of a query share a total weight of 1.

        The measure must not depend on the positions of documents of weight 0.
        """
        relevant = relevance(dataset)
        counts = np.add.reduceat(relevant, dataset.offsets[:-1])
        return relevant / np.repeat(np.maximum(counts, 1.0), dataset.lengths)

    def position_kernel(self) -> PositionKernel:
        """Return the kernel that `values_and_slopes` calls, and the parameters that
        precede the slopes."""
        raise NotImplementedError

    def values_and_slopes(
        self,
        weights: np.ndarray,
        positions: np.ndarray,
        offsets: np.ndarray,
        queries: np.ndarray,
        slopes: np.ndarray,
    ) -> np.ndarray:
        """Evaluate the measure at soft positions; write its derivatives to ``slopes``.

        Parameters
        ----------
        weights, positions : (n,) float64
            Soft positions of the documents of weight above 0; others are not read.
        offsets : (q + 1,) int64
            Query i owns documents ``offsets[i]`` to ``offsets[i + 1]``.
        queries : (m,) int64
            The queries to evaluate.
        slopes : (n,) float64
            Output: the derivatives by the positions of documents of weight above 0.

        Returns
        -------
        (m,) float64
        """
        kernel, numbers = self.position_kernel()
        return kernel(weights, positions, offsets, queries, *numbers, slopes)

    def surrogate(self, dataset: RankingDataset) -> Surrogate:
        """Return the objective on ``dataset``, which can be evaluated at scores or
        coefficients."""
        return Surrogate(self, dataset)

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        surrogate = self.surrogate(dataset)
        at, n = surrogate.at(scores), surrogate.whole
        return Forces(float(np.nansum(at.values)) / n, at.gradient / n)

    def value_and_gradient(
        self, surrogate: SoftMeasure, w: np.ndarray, queries: np.ndarray
    ) -> tuple[float, np.ndarray, int]:
        """Evaluate the surrogate on some queries.

        Parameters
        ----------
        surrogate : SoftMeasure
            Its work space is overwritten.
        w : (d,) float64
            Coefficients.
        queries : (m,) int64

        Returns
        -------
        value : float
            Sum over the queries.
        gradient : (d,) float64
            Of that sum.
        n_vanished : int
            Number of the queries whose gradient has vanished.
        """
        from rankcore._kernels.arithmetic.rows import add_queries, score_queries

        at = surrogate
        score_queries(at.X, at.offsets, queries, w, at.scores)
        values, vanished = at.differentiate(queries)
        gradient = add_queries(at.X, at.offsets, queries, at.by_score)
        return float(values.sum()), gradient, vanished

    def sgd_epoch(self, surrogate: Surrogate, w: np.ndarray, order: np.ndarray) -> None:
        """Take one stochastic gradient step per query in the given order; update ``w``
        (d,)."""
        for k in range(len(order)):
            _, gradient, _ = self.value_and_gradient(surrogate, w, order[k : k + 1])
            w += self.learning_rate * gradient

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the iterations of all restarts, then the best result again.

        Diagnostics: the number of the restart; the norm of the objective's gradient;
        the share of queries with relevant documents whose gradient has vanished; in
        annealing, the surrogate at the trial point.
        """
        surrogate = self.surrogate(dataset)
        scales = surrogate.coefficient_scales()
        iteration = -1
        ends: list[Step] = []
        for restart in range(1, self._restarts + 1):
            if restart == 1 and start is not None:
                first = self.checked_start(start, dataset)
            else:
                first = self._first(dataset, scales, rng, restart)
            for point in self._climb(surrogate, first, rng):
                iteration += 1
                step = _step(point, iteration, restart)
                yield step
            ends.append(step)
        best = max(ends, key=lambda end: end.objective)
        if best is not ends[-1]:
            yield Step(iteration + 1, best.coef, best.objective, best.diagnostics)
        if len(surrogate.queries) == 0:
            return NOTHING_TO_LEARN
        return self._flatness(best.diagnostics)

    def problem(self, record: "Record") -> str | None:
        """Return a warning if the gradient has vanished in most queries, or None."""
        return self._flatness(record.diagnostics)

    def _flatness(self, diagnostics: Mapping[str, float]) -> str | None:
        if diagnostics.get("flat queries", 0.0) <= _MOST:
            return None
        only_zeros = self.init == "zeros" and self._restarts == 1
        same_end = self.optimiser == "lbfgs" and only_zeros
        smaller = _SMALLER.format(", a smaller ".join(self._sharpness.values()))
        return f"{_FLAT} {_FROM_ZEROS if same_end else smaller}"

    @property
    def _sharpness(self) -> dict[str, str]:
        """The hyperparameters that make the surrogate sharp, and their symbols."""
        cuts = getattr(self, "cutoff", None) is not None
        return {"alpha": "α"} | ({"beta": "β"} if cuts else {})

    def remedy(self, record: "Record", dataset: RankingDataset) -> Mapping[str, Any]:
        """Return the largest α among a tenth, a hundredth … of the present one for
        which the gradient does not vanish at the coefficients of the record; else such
        a β, if any; else smaller starts."""
        if self.problem(record) is None:
            return {}
        for name in self._sharpness:
            lowest = hyperparameters(self)[name].low or 0.0
            learner, value = copy.copy(self), getattr(self, name)
            while value > lowest:
                value = max(_rounded(value / 10.0), lowest)
                setattr(learner, name, value)
                point = learner.surrogate(dataset).evaluate(record.coef)
                if point.vanished_share <= _MOST:
                    return {name: value}
        return {"init_scale": _rounded(self.init_scale / 10.0)}

    @property
    def _restarts(self) -> int:
        return 1 if self.optimiser == "annealing" else self.n_restarts

    def _first(
        self,
        dataset: RankingDataset,
        scales: np.ndarray,
        rng: np.random.Generator,
        restart: int,
    ) -> np.ndarray:
        """Return the starting coefficients (d,) of a restart."""
        if restart == 1 and self.init == "zeros":
            return np.zeros_like(scales)
        if restart == 1 and self.init == "ranksvm":
            w = _rank_svm(dataset)
            varies = scales > 0.0
            largest = np.abs(w[varies] / scales[varies]).max(initial=0.0)
            return self.init_scale * w / (largest or 1.0)
        return self.init_scale * scales * rng.uniform(-1.0, 1.0, len(scales))

    def _climb(
        self, surrogate: Surrogate, w: np.ndarray, rng: np.random.Generator
    ) -> Iterator[Point]:
        """Yield the start and the point after each iteration of one restart."""
        yield surrogate.evaluate(w)
        if len(surrogate.queries) == 0:
            return
        if self.optimiser == "lbfgs":
            yield from self._lbfgs(surrogate, w)
        elif self.optimiser == "stochastic":
            yield from self._stochastic(surrogate, w, rng)
        else:
            yield from self._annealing(surrogate, w, rng)

    def _lbfgs(self, surrogate: Surrogate, w: np.ndarray) -> Iterator[Point]:
        units = surrogate.coefficient_scales() / self.alpha

        def loss(u: np.ndarray) -> tuple[float, np.ndarray]:
            point = surrogate.evaluate(w + units * u)
            return -point.value, -units * point.gradient

        zero, passes = np.zeros_like(w), self.restart_passes
        tolerance = self.gradient_tolerance
        for u in minimise(loss, zero, tolerance, max_iterations=passes):
            yield surrogate.evaluate(w + units * u)

    def _stochastic(
        self, surrogate: Surrogate, w: np.ndarray, rng: np.random.Generator
    ) -> Iterator[Point]:
        queries = content_order(surrogate.dataset).of(surrogate.queries)
        for _ in range(self.restart_passes):
            previous, w = w, w.copy()
            self.sgd_epoch(surrogate, w, rng.permutation(queries))
            yield surrogate.evaluate(w)
            if norm(w - previous) <= self.tolerance:
                return

    def _annealing(
        self, surrogate: Surrogate, w: np.ndarray, rng: np.random.Generator
    ) -> Iterator[Point]:
        """Anneal the coefficients of features that vary, in a box around the start."""
        units = surrogate.coefficient_scales() / self.alpha
        (free,) = np.nonzero(units)
        if len(free) == 0:
            return
        start = w[free] / units[free]

        def model(u: np.ndarray) -> np.ndarray:
            """Return the coefficients (d,) at a point of the box."""
            point = w.copy()
            point[free] = units[free] * u
            return point

        def loss(u: np.ndarray) -> tuple[float, np.ndarray]:
            point = surrogate.evaluate(model(u))
            return -point.value, -units[free] * point.gradient[free]

        widths = np.maximum(_BOX, np.abs(start))
        best = surrogate.evaluate(w)
        for trial in anneal(loss, start, widths, rng, self.restart_passes):
            if -trial.value > best.value:
                best = surrogate.evaluate(model(trial.x))
            yield replace(best, extras={"tried": -trial.value})


def _rounded(value: float) -> float:
    """Return a value without the rounding error of a division."""
    return float(f"{value:.6g}")


def _step(point: Point, iteration: int, restart: int) -> Step:
    diagnostics = {
        "restart": float(restart),
        "gradient norm": norm(point.gradient),
        "flat queries": point.vanished_share,
        **point.extras,
    }
    return Step(iteration, point.coef, point.value, diagnostics)


def _rank_svm(dataset: RankingDataset) -> np.ndarray:
    from rankcore.algorithms.rank_svm import RankSVM
    from rankcore.training import drive

    run = drive(RankSVM(max_iter=100), dataset, measures=())
    for _ in run:
        pass
    return run.best.coef


def relevance(dataset: RankingDataset) -> np.ndarray:
    """(n,) float64, 1 for a document with a label above 0, else 0."""
    return (dataset.y > 0).astype(np.float64)
