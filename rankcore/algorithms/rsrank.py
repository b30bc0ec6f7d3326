r"""RSRank: sparse ranking for NDCG by importance-weighted pairs.

A pair of documents counts as much as NDCG would change if the two swapped places. With
gains :math:`a_i = 2^{y_i} - 1`, discounts :math:`b_i = 1 / \log_2(1 + \pi_i)` at the
current ranks :math:`\pi_i`, and :math:`N` the DCG of the ideal order of the query,

.. math::

    \min_\beta \sum_q \sum_{y_i > y_j} w_{ij}\, \phi(\beta^\top (x_i - x_j))
    + g \|\beta\|_1, \qquad
    w_{ij} = \tfrac{1}{N} |(a_i - a_j)(b_i - b_j)|,

where the modified Huber loss :math:`\phi(v)` is :math:`-4v` below -1,
:math:`(v - 1)^2` from -1 to 1 and 0 above. Each step sorts all queries, takes the
gradient with the weights held fixed, and descends; after every K-th step the
coefficients shrink towards zero, and those that reach it stay exactly zero (truncated
gradient). The sum runs over queries, it is not a mean, and g is on that scale.

Paper
-----
Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse rank learning for non-smooth ranking
measures", SIGIR 2009, equations (3), (13), (14) and Algorithm 1. The shrinkage goes
back to J. Langford, L. Li, T. Zhang, "Sparse online learning via truncated gradient",
JMLR 10, 2009.

Complexity
----------
O(L n log n + n d) for a query of n documents with L labels and d features, and O(n)
memory beside the data: see `rankcore._kernels.rsrank`.

Deviations from the paper
-------------------------
- All ordered pairs with :math:`y_i > y_j` count, as in (14); equation (4), taken
  literally, sums over i < j only and misses half of them.
- The weight is the absolute value of equation (3). The signed form printed below (12)
  turns negative for a pair in correct order and would reward giving up its margin.
- For K > 1 Algorithm 1 shrinks by :math:`\eta g` every K steps, where Langford et al.
  shrink by :math:`K \eta g`: the paper's rule (``shrinkage="paper"``) acts like the
  penalty g / K. Both are offered and agree for K = 1.
- The strict inequalities of Lemma 1 and Theorem 1 do not hold, and the bound on the
  regret fails for random labels with three documents or more. What does hold, for any
  ranking, is :math:`1 - \mathrm{NDCG} \le \sum w_{ij} \phi(s_i - s_j)`.
- The paper fixes :math:`\eta = 0.001`, which is beyond the stability limit on OHSUMED:
  NDCG swings to and fro for good. The default ``"auto"`` takes the step from the
  curvature of the loss and the ranges of the features, see `RSRank.step_lengths`.
- The start is not given in the paper. At zero all scores tie and the first weights
  depend on the order of the input only, so the default is a small random start.
"""

import functools
import logging
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankcore._kernels.rsrank import curvature_times, loss_and_gradient
from rankcore.algorithms._ranker import (
    NOTHING_TO_LEARN,
    LinearRanker,
    Step,
    Steps,
)
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, RankingDataset
from rankcore.hyperparameters import choice, integer, real

_log = logging.getLogger(__name__)

_START_SPREAD = 0.01
_POWER_STEPS = 12
_NEGLIGIBLE = 1e-12


class PairwiseLoss:
    """The importance-weighted modified Huber loss of a data set.

    Parameters
    ----------
    dataset : RankingDataset

    Attributes
    ----------
    order : (n,) int64
        The documents of each query by falling score, counted within the query, where
        last evaluated; the next sort begins with it.
    forces : (n,) float64
        Derivative of the loss by each document's score, where last evaluated.
    """

    def __init__(self, dataset: RankingDataset) -> None:
        self._X, self._offsets = dataset.X, dataset.offsets
        lengths = dataset.lengths
        place = np.arange(dataset.n_documents) - np.repeat(
            dataset.offsets[:-1], lengths
        )
        query = np.repeat(np.arange(dataset.n_queries), lengths)
        ideal = np.lexsort((-dataset.y, query))
        self._ideal = ideal - np.repeat(dataset.offsets[:-1], lengths)
        self._discounts = 1.0 / np.log2(2.0 + np.arange(lengths.max()))
        gains = np.exp2(dataset.y) - 1.0
        best = np.add.reduceat(
            gains[ideal] * self._discounts[place], dataset.offsets[:-1]
        )
        self._gains = gains / np.repeat(np.where(best > 0.0, best, 1.0), lengths)
        self._levels = np.unique(dataset.y, return_inverse=True)[1].astype(np.int64)
        self.order = place
        self.forces = np.zeros(dataset.n_documents)

    @functools.cached_property
    def graded(self) -> np.ndarray:
        """(q,) whether the query has two different labels; only then it has pairs."""
        low, high = _extremes(self._levels, self._offsets)
        return low < high

    def __call__(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at ``beta`` (d,) and its gradient (d,) for weights held fixed."""
        return loss_and_gradient(
            self._X,
            self._gains,
            self._levels,
            self._offsets,
            self._discounts,
            beta,
            self.order,
            self.forces,
        )

    @functools.cached_property
    def ranges(self) -> np.ndarray:
        """(d,) widest range of each feature within a query that has pairs, 0 if none.

        A feature of range 0 has no influence on the loss.
        """
        low, high = _extremes(self._X, self._offsets)
        return np.max((high - low)[self.graded], axis=0, initial=0.0)

    def curvature(self, units: np.ndarray, rng: np.random.Generator) -> float:
        """Largest eigenvalue of the Hessian at the weights of the ideal order.

        Weights are largest near a good order, so this bounds the curvature along the
        way whatever the start. Found by power iteration.

        Parameters
        ----------
        units : (d,) float64
            What the features are multiplied by beforehand.
        rng : numpy.random.Generator
        """
        v = rng.standard_normal(len(units))
        norm = np.linalg.norm(v)
        for _ in range(_POWER_STEPS):
            v = units * curvature_times(
                self._X,
                self._gains,
                self._levels,
                self._offsets,
                self._discounts,
                self._ideal,
                units * (v / norm),
            )
            norm = np.linalg.norm(v)
            if norm == 0.0:
                break
        return float(norm)


def _extremes(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value within each query."""
    begins = offsets[:-1]
    return np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)


def shrunk(beta: np.ndarray, threshold: np.ndarray | float) -> np.ndarray:
    """Move every coefficient towards zero by ``threshold``, and not beyond."""
    return np.sign(beta) * np.maximum(np.abs(beta) - threshold, 0.0)


@dataclass(eq=False, repr=False, kw_only=True)
class RSRank(LinearRanker):
    """Robust sparse rank learning for NDCG.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import RSRank
    >>> X, y = np.array([[0.0], [0.2], [1.0]]), np.array([0, 1, 2])
    >>> bool(RSRank(max_iter=50).fit(X, y).coef_[0] > 0)
    True
    """

    title: ClassVar[str] = "RSRank"
    family: ClassVar[str] = "pairwise"
    summary: ClassVar[str] = (
        "Weighs each pair of documents by what swapping them would do to NDCG, and "
        "drops features that earn too little."
    )
    equation: ClassVar[str] = (
        r"\min_\beta \sum_q \sum_{y_i > y_j} w_{ij}\,"
        r"\phi\big(\beta^\top(x_i - x_j)\big) + g\,\|\beta\|_1,"
        r"\quad w_{ij} = |\Delta\mathrm{NDCG}_{ij}|"
    )
    paper: ClassVar[str] = (
        "Z. Sun, T. Qin, Q. Tao, J. Wang: Robust sparse rank learning for non-smooth "
        "ranking measures. SIGIR 2009."
    )
    presets: ClassVar[dict] = {
        "Dense (g = 0)": {"g": 0.0},
        "Sparse (g = 10)": {"g": 10.0},
        "Few features (g = 250)": {"g": 250.0},
        "Shrink every 5 steps": {"g": 50.0, "truncation_interval": 5},
        "As printed (η = 0.001)": {"learning_rate": 0.001},
    }

    tuned: ClassVar[tuple[str, ...]] = ("g",)

    g: float = real(
        0.0,
        low=0.0,
        high=250.0,
        scale="log",
        symbol="g",
        label="Sparsity",
        meaning="Weight of the l1 penalty on the sum over queries; more g, fewer "
        "features.",
        sweep=(0.0, 10.0, 50.0),
    )
    truncation_interval: int = integer(
        1,
        low=1,
        high=50,
        symbol="K",
        meaning="Coefficients shrink after every K-th step.",
        sweep=(1, 5, 10),
    )
    learning_rate: float | str = real(
        "auto",
        low=1e-6,
        high=0.01,
        minimum=0.0,
        scale="log",
        special=("auto",),
        symbol=r"\eta",
        meaning="Length of a step; auto takes it from the curvature of the loss.",
        sweep=("auto", 1e-5, 1e-4, 1e-3),
    )
    shrinkage: str = choice(
        "paper",
        ("paper", "langford"),
        meaning="Shrink by ηg every K steps as in the paper, which acts like g/K, or "
        "by Kηg as in Langford et al.",
    )
    init: str = choice(
        "random",
        ("zeros", "random", "least_squares"),
        symbol=r"\beta_0",
        label="Starting point",
        meaning="Where training starts: at zero, where the order of the input decides, "
        "at small random coefficients, or at the least squares fit of the labels.",
    )

    def refuses(self, dataset: RankingDataset) -> str | None:
        """Labels whose gain 2^y - 1 is too large for floating point sums."""
        if dataset.y.max() > MAX_EXPONENTIAL_LABEL:
            return (
                f"RSRank weighs labels by 2^label - 1, but the label {dataset.y.max()} "
                f"exceeds {MAX_EXPONENTIAL_LABEL}; use fewer grades, such as 0 to 4."
            )
        return None

    def steps(
        self,
        dataset: RankingDataset,
        rng: np.random.Generator,
        start: np.ndarray | None = None,
    ) -> Steps:
        """Yield the start, then the state after each descent and shrinkage.

        Diagnostics are the loss without the penalty, the norm of its gradient, the
        longest step length and the queries with pairs. Without any such query the
        start is all there is.
        """
        loss = PairwiseLoss(dataset)
        beta = self._first(dataset, loss, rng, start)
        graded = int(loss.graded.sum())
        eta = self.step_lengths(loss, rng)
        if graded and not beta.any():
            _log.warning(
                "All scores tie at zero coefficients, so the first step depends on the "
                "order of the input."
            )
        iteration = 0
        while True:
            value, gradient = loss(beta)
            diagnostics = {
                "loss": value,
                "gradient norm": float(np.linalg.norm(gradient)),
                "step length": float(eta.max()),
                "queries with pairs": float(graded),
            }
            objective = value + self.g * float(np.abs(beta).sum())
            yield Step(iteration, beta, objective, diagnostics)
            if not graded:
                return NOTHING_TO_LEARN
            iteration += 1
            beta = beta - eta * gradient
            if iteration % self.truncation_interval == 0:
                beta = shrunk(beta, eta * self.g * self._shrinkage_steps)

    def step_lengths(self, loss: PairwiseLoss, rng: np.random.Generator) -> np.ndarray:
        """The learning rate of each coefficient, with ``"auto"`` replaced by a value.

        That is 1 / (largest eigenvalue of the Hessian), the longest step that never
        overshoots while the weights stay as they are. As they change with the order,
        and the eigenvalue is largest near the ideal one, it is taken there.

        It is taken of the features divided by their ranges, and a coefficient moves
        as that of the divided feature would. So features on raw scales all learn, none
        makes training diverge, and the minimum stays where it was; features scaled to
        [0, 1] within a query have one step length, as in the paper.
        """
        d = len(loss.ranges)
        if self.learning_rate != "auto":
            return np.full(d, float(self.learning_rate))
        if not loss.ranges.any():
            return np.zeros(d)
        units = _units(loss)
        return units**2 / loss.curvature(units, rng)

    @property
    def _shrinkage_steps(self) -> int:
        return self.truncation_interval if self.shrinkage == "langford" else 1

    def _first(
        self,
        dataset: RankingDataset,
        loss: PairwiseLoss,
        rng: np.random.Generator,
        start: np.ndarray | None,
    ) -> np.ndarray:
        if start is not None:
            return self.checked_start(start, dataset)
        if self.init == "zeros":
            return np.zeros(dataset.n_features)
        if self.init == "least_squares":
            return _least_squares(dataset)
        beta = rng.standard_normal(dataset.n_features) * _units(loss)
        spread = float(np.std(dataset.X @ beta))
        return beta * (_START_SPREAD / spread if spread > 0.0 else _START_SPREAD)


def _units(loss: PairwiseLoss) -> np.ndarray:
    """One over the range of each feature, 1 where it never varies."""
    ranges = loss.ranges
    return 1.0 / np.where(ranges > 0.0, ranges, 1.0)


def _least_squares(dataset: RankingDataset) -> np.ndarray:
    """Coefficients that fit the centred labels best, the shortest if there are many.

    From the normal equations, a query at a time, to save a copy of the features.
    """
    mean = dataset.X.mean(axis=0)
    target = dataset.y - dataset.y.mean()
    gram = np.zeros((dataset.n_features, dataset.n_features))
    for query in map(dataset.query, range(dataset.n_queries)):
        centred = query.X - mean
        gram += centred.T @ centred
    moment = target @ dataset.X
    return np.linalg.lstsq(gram, moment, rcond=_NEGLIGIBLE)[0]
