r"""FenchelRank on two features: each step goes towards a corner of the l1 ball.

Frank-Wolfe's step moves from w towards the corner of the ball :math:`\|w\|_1 \le r`
that the gradient prefers, until the loss stops falling. In the plane the ball is a
square on its tip, and a corner is a model of one feature. The duality gap :math:`P(w) -
D(a)` bounds the distance of the loss from its minimum; see
`rankcore.algorithms.fenchel_rank`, from whose run all numbers come.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms.fenchel_rank import FenchelRank, SquaredHinge
from rankcore.algorithms.parts.l1_ball import L1Ball
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted
from rankcore.data.catalogue import load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import significant
from rankcore.training import Stop, drive

# The data set and the columns of each choice of features.
FEATURES: Mapping[str, tuple[str, tuple[int, int]]] = {
    "text match, popularity": ("toy-2d", (0, 1)),
    "text match, freshness": ("toy-3d", (0, 2)),
    "popularity, freshness": ("toy-3d", (1, 2)),
}
MEASURE = "nDCG@10"
MOST_STEPS = 20
GAP_TOLERANCE = 1e-3
# Duality gap up to which the minimum is computed.
_EXACT = 1e-10
_MOST_EXACT_STEPS = 2000
# The plane extends beyond the ball, and the corners are points of its grid.
_REACH, _POINTS = 1.2, 49


class BallRun(NamedTuple):
    """A run of FenchelRank on two features, and the loss on the plane around it.

    Attributes
    ----------
    names : tuple of 2 str
        The features.
    points : (n, 2) float64
        The coefficients after each step, the start first.
    primal, dual, gaps : (n,) float64
        The loss P, the dual objective D, and the duality gap that the run recorded.
    lengths : (n,) float64
        The step length η that led to each point; 0 for the start.
    descents : (n, 2) float64
        The direction of steepest descent, minus the gradient of the loss.
    targets : (n - 1, 2) float64
        The end of the longest step from each point but the last; a corner for plain
        steps.
    validation : (n,) float64
        The measure on validation data.
    best : int
        The iteration that validation chooses.
    reason : str
        Why training ended.
    minimum : (2,) float64
        The minimiser of the loss on the ball.
    axis : (m,) float64
        Coordinates of the grid along both axes.
    loss : (m, m) float64
        The loss on the grid; rows along the second feature.
    """

    names: tuple[str, str]
    radius: float
    points: Floats
    primal: Floats
    dual: Floats
    gaps: Floats
    lengths: Floats
    descents: Floats
    targets: Floats
    validation: Floats
    best: int
    reason: str
    minimum: Floats
    axis: Floats
    loss: Floats

    @property
    def last(self) -> int:
        """The last iteration."""
        return len(self.points) - 1

    @property
    def bound(self) -> Floats:
        """The largest dual objective so far (n,), below which no loss can be."""
        return np.maximum.accumulate(self.dual)

    def corner(self, target: Floats) -> str:
        """Return the name of a corner's only coefficient; empty elsewhere."""
        (places,) = np.nonzero(target)
        if len(places) != 1 or abs(target[places[0]]) < self.radius:
            return ""
        return f"{self.names[places[0]]} = {significant(target[places[0]])}"

    def facts(self, at: int) -> list[tuple[str, str, str]]:
        """Return the facts after an iteration: meaning, number, note."""
        gap = significant(self.gaps[at])
        size = significant(np.abs(self.points[at]).sum())
        numbers = ", ".join(map(significant, self.points[at]))
        best = significant(self.validation[self.best])
        rows = [
            ("Coefficients", f"({numbers})", f"sizes add up to {size}"),
            (
                "Loss P",
                significant(self.primal[at]),
                f"{self.primal[0]:g} at the start",
            ),
            ("Duality gap", gap, "the minimum is at most this much lower"),
            (f"Validation {MEASURE}", best, f"at best, iteration {self.best}"),
        ]
        if at < self.last:
            corner = self.corner(self.targets[at])
            towards = f"towards {corner}" if corner else "of the longest one"
            length = significant(self.lengths[at + 1])
            rows.insert(1, ("Length of the next step", f"η = {length}", towards))
        return rows

    def caption(self, at: int) -> str:
        """Return a sentence on the next step, or on why there is none."""
        if at >= self.last:
            return f"After {counted(self.last, 'steps')}: {self.reason}"
        corner = self.corner(self.targets[at])
        if not corner:
            return "The step takes weight from the corner that helps least."
        return (
            f"Of the four corners, {corner} lies furthest in the direction −∇P. The "
            "step ends where the loss on the way is lowest."
        )

    def table(self) -> dict[str, Any]:
        """Return the iterations as columns by name."""
        columns = zip(self.names, self.points.T, strict=True)
        return {
            "iteration": np.arange(len(self.points)),
            **dict(columns),
            "step length": self.lengths,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.gaps,
            f"validation {MEASURE}": self.validation,
        }


@lru_cache(maxsize=32)
def ball_run(features: str, radius: float, variant: str = "plain") -> BallRun:
    """Train FenchelRank on two features of a small data set.

    Parameters
    ----------
    features : str
        One of `FEATURES`.
    radius : float
        Radius of the ball.
    variant : {"plain", "away", "pairwise"}
        The variant of steps.

    Returns
    -------
    BallRun
        With at most `MOST_STEPS` steps.
    """
    source, columns = FEATURES[features]
    train, valid = (
        _two(part, columns) for part in load_dataset(source)[:2] if part is not None
    )
    algorithm = FenchelRank(radius=radius, variant=variant, gap_tolerance=GAP_TOLERANCE)
    run = drive(algorithm, train, valid, stop=Stop(MOST_STEPS), measures=(MEASURE,))
    points = np.array([record.coef for record in run])
    loss, history = SquaredHinge(train), run.history
    descents = np.array([_descent(loss, train, w) for w in points])
    axis = radius * np.linspace(-_REACH, _REACH, _POINTS)
    first, second = train.feature_names
    return BallRun(
        names=(first, second),
        radius=radius,
        points=points,
        primal=history.column("primal"),
        dual=history.column("dual"),
        gaps=history.column("gap"),
        lengths=history.column("step length"),
        descents=descents,
        targets=_targets(points, descents, algorithm),
        validation=history.column(f"valid {MEASURE}"),
        best=run.best.iteration,
        reason=run.reason or "",
        minimum=_minimum(train, radius),
        axis=axis,
        loss=np.array([[_value(loss, train, (x, y)) for x in axis] for y in axis]),
    )


def _two(dataset: RankingDataset, columns: tuple[int, int]) -> RankingDataset:
    """Return a data set with two of its features."""
    queries = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    return RankingDataset.from_arrays(
        dataset.X[:, list(columns)],
        dataset.y,
        queries,
        feature_names=[dataset.feature_names[j] for j in columns],
        name=dataset.name,
    )


def _value(loss: SquaredHinge, train: RankingDataset, w: Any) -> float:
    loss(linear_scores(train.X, np.asarray(w, np.float64)))
    return loss.value


def _descent(loss: SquaredHinge, train: RankingDataset, w: Floats) -> Floats:
    _value(loss, train, w)
    return -loss.gradient()


def _targets(points: Floats, descents: Floats, algorithm: FenchelRank) -> Floats:
    """Return the end of the longest step in the direction of each step."""
    ball = L1Ball(algorithm.radius, np.ones(2))
    ends = []
    for w, descent, after in zip(points, descents, points[1:], strict=False):
        moves = list(ball.moves(w, descent, algorithm.variant))
        longest = [move.taken(w, move.longest) for move in moves]
        # A step ends on the segment to the end of the longest one.
        away = [_beside(after - w, end - w) for end in longest]
        ends.append(longest[int(np.argmin(away))])
    return np.array(ends).reshape(-1, 2)


def _beside(step: Floats, way: Floats) -> float:
    """Return the distance of a step from a segment, as the area between them."""
    return float(abs(step[0] * way[1] - step[1] * way[0]))


def _minimum(train: RankingDataset, radius: float) -> Floats:
    """Return the minimiser of the loss on the ball."""
    exact = FenchelRank(radius=radius, variant="pairwise", gap_tolerance=_EXACT)
    *_, last = drive(exact, train, stop=Stop(_MOST_EXACT_STEPS), measures=())
    return np.asarray(last.coef, dtype=np.float64)
