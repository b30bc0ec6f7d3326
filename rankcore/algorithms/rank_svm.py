r"""RankSVM: large margins between the documents of every pair.

.. math::

    \min_w \frac{\lambda}{2} \|w\|^2 + \frac{1}{|P|} \sum_{(i, j) \in P}
    \ell\big(w^\top (x_i - x_j)\big), \qquad
    P = \{(i, j) \text{ of one query}: y_i > y_j\},

with the squared hinge :math:`\ell(v) = \max(0, 1 - v)^2` or the hinge
:math:`\max(0, 1 - v)`. The mean is over all pairs of all queries, so the usual form
:math:`\frac12 \|w\|^2 + C \sum_P \ell` has :math:`C = 1 / (\lambda |P|)`.

Papers
------
T. Joachims, "Optimizing search engines using clickthrough data", KDD 2002 (the hinge);
O. Chapelle, S. S. Keerthi, "Efficient algorithms for ranking with SVMs", Information
Retrieval 13:201-215, 2010 (the squared hinge in the primal).

Complexity
----------
O(L n log n + n d) per iteration for a query of n documents with L labels and d
features, and O(n) memory: see `rankcore._kernels.losses.pairwise_hinge`.

The hinge
---------
The hinge is smoothed over a width :math:`\omega`,
:math:`\ell_\omega(v) = t^2 / 2\omega` for :math:`0 < t = 1 - v \le \omega` and
:math:`t - \omega/2` beyond, and minimised by the same steps; the width is reduced
whenever the smoothing accounts for most of the gap. The slopes
:math:`a = -\ell'_\omega \in [0, 1]` are a solution of the dual problem

.. math::

    \max_{0 \le a \le 1} \frac{1}{|P|} \sum_P a_{ij} - \frac{1}{2 \lambda} \Big\|
    \frac{1}{|P|} \sum_P a_{ij} (x_i - x_j) \Big\|^2,

so every step carries a certificate: the true objective is within the duality gap of the
minimum. Training ends when the gap is below its tolerance.

Deviations from the papers
--------------------------
- L-BFGS in place of Newton steps with conjugate gradients; the objective is the same.
  On large data, the squared hinge is first minimised over a sample of the queries, and
  BFGS continues from there with the second derivatives of the sample (R. H. Byrd, G. M.
  Chin, W. Neveitt, J. Nocedal, "On the use of stochastic Hessian information in
  optimization methods for machine learning", SIAM Journal on Optimization 21:977-995,
  2011). The sample affects the number of steps, not the minimum; so a query of weight 2
  and a query that occurs twice, which lead to different samples, have equal objectives
  and agree within the tolerance at the end, but not at each step.
- In the penalty, features are taken in units of their range, see
  `rankcore.algorithms.parts.smooth`; features scaled to [0, 1] already are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.levels import Levels
from rankcore.algorithms.parts.quasi_newton import bfgs
from rankcore.algorithms.parts.ranker import (
    MEAN_OVER_PAIRS,
    NOTHING_TO_LEARN,
)
from rankcore.algorithms.parts.scales import extremes, feature_ranges, graded_queries
from rankcore.algorithms.parts.smooth import Loss, Objective, SmoothRanker, l2_penalty
from rankcore.base.arrays import owned, rows_at
from rankcore.base.blocks import blocks
from rankcore.base.hyperparameters import choice, logarithmic
from rankcore.base.numbers import three_digits
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot, norm
from rankcore.mathematics.small_matrices import inverse, symmetric
from rankcore.training.steps import Start, Step, Steps

# The width is reduced by the factor when it causes more than this share of the gap.
_NARROWING = 0.25
_SHARE = 0.5
_NARROWEST = 1e-9

# Measured: a sample with this many documents per feature leads to within some percent
# of the minimum; when a step gains no more than that, all queries are used.
_TELLING = 20
_NEAR = 0.02


class _SquaredHingeBlock(NamedTuple):
    """The queries of a block, their documents grouped by label, and their weights."""

    X: np.ndarray
    offsets: np.ndarray
    levels: Levels
    weights: np.ndarray

    def sums(
        self, w: np.ndarray, width: float
    ) -> tuple[float, float, float, np.ndarray]:
        from rankcore._kernels.losses.pairwise_hinge import hinge_sums

        return hinge_sums(*self._arrays, w, width)

    def hessian(self, w: np.ndarray) -> tuple[np.ndarray]:
        from rankcore._kernels.arithmetic.small_matrices import add_products
        from rankcore._kernels.losses.pairwise_hinge import hinge_pulls

        sums = np.zeros((len(w), len(w)))
        add_products(self.X, hinge_pulls(*self._arrays, w), sums)
        return (symmetric(sums),)

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        levels = self.levels
        grouped = levels.order, levels.starts, levels.first
        return self.X, self.offsets, *grouped, self.weights


class HingeLoss:
    """Mean squared hinge over all pairs, or mean hinge smoothed over a width.

    Parameters
    ----------
    queries : (q,) bool, optional
        The queries whose pairs count, by default all.

    Attributes
    ----------
    width : float
        Infinite for the squared hinge.
    hinge : float
        Mean hinge at the last evaluated point.
    multipliers : float
        Mean slope of the smoothed hinge there, at most 1.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        width: float = np.inf,
        queries: np.ndarray | None = None,
    ) -> None:
        X, y, offsets = dataset.X, dataset.grades, dataset.offsets
        weights = dataset.weights
        if queries is not None:
            lengths = dataset.lengths
            rows = np.flatnonzero(np.repeat(queries, lengths))
            X, y = rows_at(X, rows), owned(y[rows])
            weights = owned(weights[queries])
            offsets = owned(np.append(0, np.cumsum(lengths[queries])))
        parts = [
            _SquaredHingeBlock(
                X[block.rows],
                block.offsets,
                Levels.of(y[block.rows], block.offsets),
                weights[block.queries],
            )
            for block in blocks(offsets, dataset.n_features)
        ]
        self._parts = place(parts)
        self._n_pairs = sum(part.levels.weighted_pairs(part.weights) for part in parts)
        self.width = width
        self.hinge = self.multipliers = 0.0
        self.informative = self._n_pairs > 0

    def __call__(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean loss at ``w`` (d,) and its gradient (d,)."""
        value, hinge, slopes, gradient = self._parts.sum("sums", w, self.width)
        n = self._n_pairs or 1.0
        self.hinge, self.multipliers = hinge / n, slopes / (n * self.width)
        scale = 1.0 / n if self.width == np.inf else 0.5 / (n * self.width)
        return scale * value, scale * gradient

    def hessian(self, w: np.ndarray) -> np.ndarray:
        """(d, d) second derivatives of the mean squared hinge at ``w``."""
        (hessian,) = self._parts.sum("hessian", w)
        return 2.0 / (self._n_pairs or 1.0) * hessian


def _spacing(dataset: RankingDataset) -> int:
    """Return the largest k for which every k-th query is a sufficient sample, or 0.

    The sample size counts the documents above the lowest label of their query, or those
    of that label if they are fewer.
    """
    lowest, _ = extremes(dataset.y, dataset.offsets)
    better = dataset.y > np.repeat(lowest, dataset.lengths)
    counts = np.add.reduceat(better.astype(np.int64), dataset.offsets[:-1])
    telling = np.minimum(counts, dataset.lengths - counts).sum()
    return int(telling // (_TELLING * dataset.n_features))


def _minimum_of_sample(
    dataset: RankingDataset, whole: Objective, start: np.ndarray, spacing: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (d,) near the minimum over a sample, in the units of ``whole``, and
    the inverse (d, d) of the second derivatives there."""
    graded = content_order(dataset).of(np.flatnonzero(graded_queries(dataset)))
    queries = np.zeros(dataset.n_queries, dtype=np.bool_)
    queries[graded[::spacing]] = True
    loss = HingeLoss(dataset, queries=queries)
    objective = whole.over(loss)
    u, before = start, np.inf
    for u in bfgs(objective, start, np.eye(len(start)), 0.0):
        value, _ = objective(u)
        if before - value <= _NEAR * value:
            break
        before = value
    hessian = loss.hessian(objective.coefficients(u))
    return u, inverse(whole.curvature(hessian))


@dataclass(eq=False, repr=False, kw_only=True)
class RankSVM(SmoothRanker):
    """Ranking support vector machine on all pairs, none of them stored."""

    title = "RankSVM"
    family = "pairwise"
    summary = "Asks the better document of every pair to score higher by a margin of 1."
    equation = (
        r"\min_w \frac{\lambda}{2} \|w\|^2 + \frac{1}{|P|} \sum_{y_i > y_j} "
        r"\max\big(0,\; 1 - w^\top (x_i - x_j)\big)^2"
    )
    paper = (
        "T. Joachims: Optimizing search engines using clickthrough data. KDD 2002. "
        "O. Chapelle, S. S. Keerthi: Efficient algorithms for ranking with SVMs. "
        "Information Retrieval 13:201-215, 2010."
    )
    presets = {
        "Squared hinge": {"loss_function": "squared_hinge"},
        "Hinge, as SVMrank": {"loss_function": "hinge"},
        **SmoothRanker.presets,
        "Strongly penalised": {"l2": 10.0},
    }
    query_weights = MEAN_OVER_PAIRS

    l2: float = l2_penalty(0.1, (1.0, 0.1, 0.01, 0.001), minimum=1e-9)
    loss_function: str = choice(
        "squared_hinge",
        ("squared_hinge", "hinge"),
        label="Loss",
        meaning="The loss of a pair: the squared shortfall of its margin, or the "
        "shortfall itself.",
    )
    gap_tolerance: float = logarithmic(
        1e-5,
        (1e-8, 0.01),
        symbol=r"\varepsilon",
        label="Duality gap",
        meaning="Training on the hinge ends when the duality gap is smaller.",
        shown_when={"loss_function": ("hinge",)},
        advanced=True,
    )

    def loss(self, dataset: RankingDataset, rng: np.random.Generator) -> HingeLoss:
        """Return the mean squared hinge, or the hinge smoothed over the smallest
        width."""
        squared = self.loss_function == "squared_hinge"
        return HingeLoss(dataset, np.inf if squared else _NARROWEST)

    def iterates(
        self, dataset: RankingDataset, objective: Objective, start: np.ndarray
    ) -> Iterator[np.ndarray]:
        """Return the iterates of BFGS, the first of which is the minimum over a sample,
        or those of L-BFGS where the data is small or the start is near the minimum."""
        spacing = _spacing(dataset)
        value, gradient = objective(start)
        gap = dot(gradient, gradient) / (2.0 * self.l2)
        if spacing < 2 or gap <= _NEAR * value:
            yield from objective.descend(start, self.gradient_tolerance)
            return
        u, curvature = _minimum_of_sample(dataset, objective, start, spacing)
        if objective(u)[0] < value:
            yield u
        else:
            u = start
        yield from bfgs(objective, u, curvature, self.gradient_tolerance)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, by default zero, and the coefficients after each step.

        Diagnostics are the norm of the gradient, with features in units of their range,
        an upper bound on the distance of the objective from its minimum (for the hinge,
        the duality gap), and for the hinge the width of the smoothing.
        """
        if self.loss_function == "squared_hinge":
            return super().steps(dataset, rng, start)
        return self._hinge_steps(dataset, start)

    def _hinge_steps(self, dataset: RankingDataset, start: np.ndarray | None) -> Steps:
        origin = self._origin(dataset, start)
        problem = HingeProblem(
            HingeLoss(dataset, width=1.0), feature_ranges(dataset), self.l2, origin
        )
        return (yield from problem.steps(self.gap_tolerance))


class RoundedHinge(Loss, Protocol):
    """A mean of hinges smoothed over a width, with the attributes of `HingeLoss`."""

    width: float
    hinge: float
    multipliers: float


class HingeProblem:
    """The problem with the hinge, and bounds on its minimum.

    Parameters
    ----------
    loss : RoundedHinge
        Of width 1.
    ranges : (d,) float64
        Units of the features in the penalty.
    origin : (d,) float64
        The point at which the penalty is 0.
    """

    def __init__(
        self, loss: RoundedHinge, ranges: np.ndarray, l2: float, origin: np.ndarray
    ) -> None:
        self.loss = loss
        self._ranges, self._l2, self._origin = ranges, l2, origin
        self.lower = -np.inf
        self._objective: Objective = self.objective()
        self.gap = np.inf
        self.too_wide = False

    def objective(self) -> Objective:
        """Return the smoothed problem at the current width."""
        self._objective = Objective(self.loss, self._ranges, self._l2, self._origin)
        return self._objective

    def steps(self, tolerance: float) -> Steps:
        """Yield the start and each step, until the duality gap is within the
        tolerance."""
        u = np.zeros(len(self._origin))
        yield self.step(0, u)
        if not self.loss.informative:
            return NOTHING_TO_LEARN
        iteration = 0
        while self.gap > tolerance and self.loss.width > _NARROWEST:
            for u in self.objective().descend(u, 0.0):  # noqa: B020
                iteration += 1
                yield self.step(iteration, u)
                if self.gap <= tolerance or self.too_wide:
                    break
            self.loss.width *= _NARROWING
        return f"The duality gap of the objective is {three_digits(self.gap)}."

    def step(self, iteration: int, u: np.ndarray) -> Step:
        """Return the true objective at ``u`` and the gap to the best dual solution so
        far.

        The gap to the current dual solution is the sum of a gradient term and of the
        error of the smoothing.
        """
        _, gradient = self._objective(u)
        w = self._objective.coefficients(u)
        scaled = self._ranges * w
        penalty = 0.5 * self._l2 * dot(scaled, scaled)
        slopes = gradient - self._l2 * scaled
        primal = penalty + self.loss.hinge
        dual = self.loss.multipliers - dot(slopes, slopes) / (2.0 * self._l2)
        left = dot(gradient, gradient) / (2.0 * self._l2)
        self.too_wide = left < (1.0 - _SHARE) * (primal - dual)
        self.lower = max(self.lower, dual)
        self.gap = primal - self.lower
        diagnostics = {
            "gradient norm": norm(gradient),
            "gap": self.gap,
            "width": self.loss.width,
        }
        return Step(iteration, w, primal, diagnostics)
