r"""FenchelRank: squared hinge over all pairs on an l1 ball, with a certificate.

With one row :math:`K_l = x_i - x_j` for each of the p pairs of documents of a query in
which i has the better label,

.. math::

    \min_{\|w\|_1 \le r} P(w) = \frac1p \sum_l \max(0, 1 - K_l w)^2, \qquad
    \max_{a \ge 0} D(a) = \sum_l a_l - \frac p4 \sum_l a_l^2 - r \|K^\top a\|_\infty .

With :math:`a = \frac2p \max(0, 1 - Kw)` the gradient of P is :math:`-K^\top a`, and the
duality gap

.. math:: P(w) - D(a) = r \|K^\top a\|_\infty - a^\top K w \ge P(w) - P^*

bounds the distance of P(w) from the minimum. Each step moves towards the corner of the
ball that the gradient prefers, one signed coordinate, so at most t features are in use
after t steps. Training ends when the gap is within a tolerance. The rate is
:math:`P(w_t) - P^* \le 16 r^2 / (t + 2)` for features in [0, 1]. P never rises with the
exact line search; the gap may, hence the diagnostic of the best gap so far.

Where coefficients have signs, the ball is restricted to these signs: the convex hull of
the origin and the permitted corners. Over it the maximum of :math:`a^\top K w` is
:math:`r \max_j \max(0, (K^\top a)_j)` over features that may not be negative, mirrored
for those that may not be positive, in place of :math:`r \|K^\top a\|_\infty` in D and
in the gap; where no corner agrees with the gradient, a step leads to the origin.

Paper
-----
H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu, "Sparse learning-to-rank via an efficient
primal-dual algorithm", IEEE Transactions on Computers 62(6), 2013 (accepted 2011). Away
and pairwise steps: S. Lacoste-Julien, M. Jaggi, "On the global linear convergence of
Frank-Wolfe optimization variants", NIPS 2015.

Complexity
----------
K is never formed. With the scores sorted, the pairs of a document with a positive hinge
form a window, and sums over windows give :math:`K^\top a = X^\top c` in O(n log n + L n
+ n d) for a query of n documents, L labels and d features; a query of few pairs is
faster pair by pair; see `rankcore._kernels.losses.squared_hinge`. Memory: O(n) in
addition to the data.

Line search
-----------
P along a line is piecewise quadratic with a breakpoint for each pair; the breakpoints
are never listed: at a trial step the same sums give the slope and the curvature of the
current piece. Newton's method on the slope reaches the minimum exactly once it is in
the correct piece; a bisection step replaces Newton's step if that leaves the bracket or
is more than half as long as the previous one, so the search always ends. Three or four
trials are usual.

Deviations from the paper
-------------------------
- The accessible text of the paper leaves its scaling of the objective, its step rule
  and its range of r uncertain. Here the objective is the mean over pairs and the
  tolerance is 0.001, as in the linear learner distributed with K. Chen et al., "Ranking
  SVM with kernel approximation", 2017.
- The printed definition of a pair lacks a sign: the documents have *different* labels.
- ``average="queries"`` gives all queries with pairs the same weight.
- ``variant="away"`` and ``"pairwise"`` also remove weight from the corner that helps
  least. They converge fast where plain steps zigzag: at large r, or with an optimum
  inside the ball. The origin counts as a corner, with the remaining weight.
- For raw features the norm of the ball can be in units of their ranges.
"""

import logging
import math
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.l1_ball import L1Ball
from rankcore.algorithms.parts.ranker import (
    NOTHING_TO_LEARN,
    FeatureUnits,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import reciprocal_ranges
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.algorithms.parts.signs import SignedRanker
from rankcore.base.blocks import blocks
from rankcore.base.hyperparameters import choice, logarithmic
from rankcore.base.numbers import three_digits
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot
from rankcore.training.steps import Start, Step, Steps

_log = logging.getLogger(__name__)

_MOST_TRIALS = 100
_EXACT = 1e-13
_ROUNDING = 1e-12
_NOISE = 16.0 * np.finfo(np.float64).eps
# Measured nanoseconds: the fixed cost of comparing a document with all worse ones, the
# cost of each of these, and the cost of sorting a document of a nearly ordered list.
_PER_ROW, _PER_PAIR, _PER_SORTED = 50.0, 0.6, 45.0
_ENOUGH = (
    "The duality gap is within its tolerance: the objective is at most {} above "
    "the smallest possible."
)
_EXHAUSTED = (
    "No step lowers the objective any more in floating point; it is at most {} "
    "above the smallest possible."
)


@dataclass(frozen=True)
class _HingeBlock:
    """The queries of a block, see `rankcore._kernels.losses.squared_hinge.along`."""

    X: np.ndarray
    offsets: np.ndarray
    sorting: np.ndarray
    weights: np.ndarray
    levels: np.ndarray
    grouped: np.ndarray
    order: np.ndarray
    forces: np.ndarray

    def along(
        self, eta: float, scores: np.ndarray, direction: np.ndarray
    ) -> tuple[float, ...]:
        from rankcore._kernels.losses.squared_hinge import along

        return along(
            scores,
            direction,
            eta,
            self.levels,
            self.grouped,
            self.offsets,
            self.sorting,
            self.weights,
            self.order,
            self.forces,
        )

    def gradient(self) -> tuple[np.ndarray]:
        from rankcore._kernels.arithmetic.rows import add_rows

        gradient = np.zeros(self.X.shape[1])
        add_rows(self.X, 0, len(self.X), self.forces, gradient)
        return (gradient,)

    def last_forces(self) -> np.ndarray:
        return self.forces


class SquaredHinge:
    """The mean squared hinge over all pairs of a data set, at scores and along lines.

    Parameters
    ----------
    average : {"pairs", "queries"}
        Whether all pairs or all queries have equal weight.

    Attributes
    ----------
    pairs : (q,) float64
        Number of pairs of each query.
    value, hinges : float
        Mean squared hinge and mean plain hinge at the last evaluated point.
    slope, noise, curvature : float
        First derivative along the line, the size of its terms, and the second.
    """

    def __init__(self, dataset: RankingDataset, average: str = "pairs") -> None:
        levels = np.searchsorted(np.unique(dataset.y), dataset.y)
        self.pairs = _pair_counts(levels, dataset.offsets)
        weights = _pair_weights(self.pairs, average, dataset.weights)
        self._sorting = _worth_sorting(levels, dataset.offsets, self.pairs)
        begins = np.repeat(dataset.offsets[:-1], dataset.lengths)
        order = np.arange(dataset.n_documents) - begins
        grouped = np.lexsort((levels, begins)) - begins
        forces = np.zeros(dataset.n_documents)
        self._still = np.zeros(dataset.n_documents)
        self._blocks = blocks(dataset.offsets, dataset.n_features)
        columns = levels, grouped, order, forces
        self._parts = place(
            [
                _HingeBlock(
                    dataset.X[block.rows],
                    block.offsets,
                    self._sorting[block.queries],
                    weights[block.queries],
                    *(each[block.rows] for each in columns),
                )
                for block in self._blocks
            ]
        )
        self.value = self.hinges = self.slope = self.noise = self.curvature = 0.0

    @property
    def forces(self) -> np.ndarray:
        """(n,) float64 derivatives by the scores at the last point."""
        return np.concatenate(self._parts.call("last_forces"))

    def __call__(
        self, scores: np.ndarray, direction: np.ndarray | None = None, eta: float = 0.0
    ) -> None:
        """Evaluate at ``scores + eta * direction``; set the attributes."""
        line = scores, self._still if direction is None else direction
        per_block = [tuple(each[block.rows] for each in line) for block in self._blocks]
        self.value, self.hinges, self.slope, self.noise, self.curvature = (
            self._parts.sum("along", eta, per_part=per_block)
        )

    def gradient(self) -> np.ndarray:
        """Return the derivatives (d,) by the coefficients at the last point."""
        (gradient,) = self._parts.sum("gradient")
        return gradient

    def search(
        self, scores: np.ndarray, direction: np.ndarray, longest: float
    ) -> float:
        """Return the step in [0, longest] along ``direction`` that minimises the loss.

        It is exact up to rounding; the attributes then hold the values at that point.
        """
        self(scores, direction, 0.0)
        low, high, last = 0.0, longest, math.inf
        steepest = abs(self.slope)
        eta = 0.0
        for _ in range(_MOST_TRIALS):
            if abs(self.slope) <= max(_EXACT * steepest, _NOISE * self.noise):
                break
            if self.slope < 0.0 and eta == longest:
                break
            low, high = (eta, high) if self.slope < 0.0 else (low, eta)
            following = eta - self.slope / self.curvature if self.curvature else high
            if following >= longest and high == longest:
                following = longest
            elif not low < following < high or abs(following - eta) > 0.5 * last:
                following = 0.5 * (low + high)
            last = abs(following - eta)
            if last <= _NOISE * following:
                break
            eta = following
            self(scores, direction, eta)
        return eta


def _pair_counts(levels: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the number (q,) of pairs of different labels per query."""
    sizes = np.diff(offsets).astype(np.float64)
    equal = np.zeros(len(sizes))
    for level in range(levels.max() + 1):
        equal += (
            np.add.reduceat((levels == level).astype(np.float64), offsets[:-1]) ** 2
        )
    return 0.5 * (sizes**2 - equal)


def _worth_sorting(
    levels: np.ndarray, offsets: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """(q,) whether sorting a query is cheaper than visiting all its pairs."""
    sizes = np.diff(offsets)
    lowest = np.repeat(np.minimum.reduceat(levels, offsets[:-1]), sizes)
    rows = np.add.reduceat((levels > lowest).astype(np.int64), offsets[:-1])
    return _PER_ROW * rows + _PER_PAIR * pairs > _PER_SORTED * sizes


def _pair_weights(
    pairs: np.ndarray, average: str, importance: np.ndarray
) -> np.ndarray:
    """(q,) weight of each pair of a query; 0 for a query without pairs."""
    if average == "pairs":
        whole = float((importance * pairs).sum()) or 1.0
        return np.where(pairs > 0.0, importance / whole, 0.0)
    whole = float(importance[pairs > 0.0].sum()) or 1.0
    return np.where(pairs > 0.0, importance / (whole * np.maximum(pairs, 1.0)), 0.0)


@dataclass(eq=False, repr=False, kw_only=True)
class FenchelRank(SignedRanker):
    """Sparse ranking on the l1 ball, with a duality gap at every step.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import FenchelRank
    >>> X, y = np.array([[1.0, 0.5], [0.0, 0.5], [0.3, 0.2]]), np.array([2, 1, 0])
    >>> FenchelRank(radius=1.0).fit(X, y, qid=None).coef_.round(2).tolist()
    [0.56, 0.43]
    """

    title = "FenchelRank"
    family = "pairwise"
    summary = (
        "Fits all pairs with a margin within an l1 ball, one feature at a time, and "
        "proves how close the model is to the optimum."
    )
    whole_labels = ""
    equation = (
        r"\min_{\|w\|_1 \le r} \frac{1}{p} \sum_{y_i > y_j} "
        r"\max\big(0,\ 1 - w^\top (x_i - x_j)\big)^2"
    )
    paper = (
        "H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu: Sparse learning-to-rank via an "
        "efficient primal-dual algorithm. IEEE Transactions on Computers 62(6), 2013."
    )
    presets = {
        "A few features (r = 1)": {"radius": 1.0},
        "More features (r = 3)": {"radius": 3.0},
        "Nearly dense (r = 30)": {"radius": 30.0, "variant": "pairwise"},
        "Raw features": {"radius": 10.0, "units": "ranges", "variant": "pairwise"},
        "Harmonic steps": {"line_search": "harmonic", "variant": "plain"},
        "To the last digit": {"variant": "pairwise", "gap_tolerance": 1e-9},
    }
    converges = True
    sparsity = "radius"
    query_weights = QueryWeights(
        True,
        "A pair, or a query where the average is over queries, has weight w_q; the gap "
        "is that of the weighted problem.",
    )
    resumes = True
    tuning_params = ("radius",)
    splits = True

    radius: float = logarithmic(
        1.0,
        (0.01, 100.0),
        minimum=1e-9,
        symbol="r",
        label="Radius of the ball",
        meaning="Largest sum of the absolute coefficients; a larger radius keeps more "
        "features.",
        sweep=(1.0, 3.0, 10.0),
        while_running=True,
    )
    gap_tolerance: float = logarithmic(
        1e-3,
        (1e-8, 0.1),
        symbol=r"\varepsilon",
        label="Duality gap",
        meaning="Training ends when the objective is provably this close to its "
        "minimum.",
    )
    variant: str = choice(
        "plain",
        ("plain", "away", "pairwise"),
        label="Steps towards",
        meaning="Move only towards a corner of the ball, also away from one, or from "
        "one corner to another; the latter two converge faster for a large radius.",
    )
    line_search: str = choice(
        "exact",
        ("exact", "harmonic"),
        label="Length of a step",
        meaning="Take the optimal step along the line, or 2 / (t + 2) at step t.",
        shown_when={"variant": ("plain",)},
        advanced=True,
    )
    average: str = choice(
        "pairs",
        ("pairs", "queries"),
        label="Average over",
        meaning="Whether all pairs, or all queries, have equal weight.",
        advanced=True,
    )
    units: str = choice(
        "features",
        ("features", "ranges"),
        label="Units of coefficients",
        meaning="Measure the norm of the coefficients as they are, or multiplied by "
        "the widest range of their feature within a query, which suits raw features.",
        advanced=True,
    )

    @property
    def feature_units(self) -> FeatureUnits | None:
        if self.units == "ranges":
            return None
        return FeatureUnits("the ball", "measure coefficients in units of ranges")

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        loss = SquaredHinge(dataset, self.average)
        loss(np.asarray(scores, dtype=np.float64))
        return Forces(loss.value, -loss.forces)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield zero or the given start, then the state after each step.

        Diagnostics: the duality gap and the best so far, the primal and the dual
        objective, the l1 norm (in the units of the ball), and the step just taken.
        """
        ball = L1Ball(self.radius, self._units(dataset), self.bounds(dataset))
        loss = SquaredHinge(dataset, self.average)
        w = self._first(dataset, ball, start)
        scores = linear_scores(dataset.X, w)
        loss(scores)
        eta, best_gap, iteration = 0.0, math.inf, 0
        while True:
            value, slopes = loss.value, -loss.gradient()
            reach = ball.reach(slopes)
            gap = reach - dot(slopes, w)
            best_gap = min(best_gap, gap)
            diagnostics = {
                "gap": gap,
                "best gap": best_gap,
                "primal": value,
                "dual": 2.0 * loss.hinges - value - reach,
                "l1 norm": ball.norm(w),
                "step length": eta,
            }
            yield Step(iteration, w, value, diagnostics)
            if not loss.pairs.any():
                return NOTHING_TO_LEARN
            if gap <= self.gap_tolerance:
                return _ENOUGH.format(three_digits(gap))
            for move in ball.moves(w, slopes, self.variant):
                direction = move.scores(scores, dataset.X)
                eta = self._step(loss, scores, direction, move.longest, iteration)
                if loss.value < value or self._is_harmonic:
                    break
            else:
                return _EXHAUSTED.format(three_digits(best_gap))
            iteration += 1
            w = move.taken(w, eta)
            scores += eta * direction

    @property
    def _is_harmonic(self) -> bool:
        return self.variant == "plain" and self.line_search == "harmonic"

    def _step(
        self,
        loss: SquaredHinge,
        scores: np.ndarray,
        direction: np.ndarray,
        longest: float,
        iteration: int,
    ) -> float:
        """Return the length of the step, having evaluated ``loss`` at its end."""
        if not self._is_harmonic:
            return loss.search(scores, direction, longest)
        eta = 2.0 / (iteration + 2.0)
        loss(scores, direction, eta)
        return eta

    def _units(self, dataset: RankingDataset) -> np.ndarray:
        if self.units == "features":
            return np.ones(dataset.n_features)
        return reciprocal_ranges(dataset)

    def _first(
        self, dataset: RankingDataset, ball: L1Ball, start: np.ndarray | None
    ) -> np.ndarray:
        if start is None:
            return np.zeros(dataset.n_features)
        w = self.checked_start(start, dataset)
        if ball.norm(w) > self.radius * (1.0 + _ROUNDING):
            _log.warning(
                "The starting model has an l1 norm of %.4g, more than the radius %.4g; "
                "training starts at the nearest point of the ball.",
                ball.norm(w),
                self.radius,
            )
            w = ball.projected(w)
        return w
