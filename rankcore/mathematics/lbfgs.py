r"""L-BFGS as a generator, with the same bits on every processor.

The direction is :math:`-H \nabla f`, with H the estimate of the inverse Hessian from
the last steps :math:`s` and gradient changes :math:`y`, which starts from
:math:`\frac{s^\top y}{y^\top y} I`; `more_thuente` finds the step length. D. C. Liu, J.
Nocedal, *On the limited memory BFGS method for large scale optimization*, Mathematical
Programming 45:503-528, 1989.

The rules for accepting a step and for resetting the memory follow L-BFGS-B: R. H. Byrd,
P. Lu, J. Nocedal, C. Zhu, *A limited memory algorithm for bound constrained
optimization*, SIAM Journal on Scientific Computing 16:1190-1208, 1995. In a box, where
L-BFGS-B searches along a projected path, the direction leads to the projection of its
end point, and components at an active bound are excluded from H.
"""

import math
from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from rankcore.base.cancellation import cancel_point
from rankcore.mathematics.more_thuente import steps
from rankcore.mathematics.products import dot, norm

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
Box = tuple[np.ndarray, np.ndarray]

_LONGEST = 1e10
_MAX_TRIALS = 20
_ROUNDING = 2.0**-52


class LinePoint(NamedTuple):
    """A point that was evaluated.

    Attributes
    ----------
    x, gradient : (d,) float64
    taken : bool
        Whether it is the next iterate.
    """

    x: np.ndarray
    value: float
    gradient: np.ndarray
    taken: bool


def evaluation(objective: Objective, x: np.ndarray, as_step: bool = True) -> LinePoint:
    """Return the objective at ``x``, after a cancel point."""
    cancel_point()
    value, gradient = objective(x)
    return LinePoint(x, float(value), gradient, as_step)


def minimise(
    objective: Objective,
    start: np.ndarray,
    tolerance: float,
    corrections: int = 10,
    max_iterations: float = math.inf,
) -> Generator[np.ndarray]:
    """Yield the iterates, without the start.

    Parameters
    ----------
    objective : callable
        (d,) coefficients → value and (d,) gradient. Each call begins with a cancel
        point; the last call before an iterate is at that iterate.
    start : (d,) float64
    tolerance : float
        The iterates end when no component of the gradient is larger, when the value
        stops falling, or when it is not finite.
    corrections : int
        Number of stored steps.

    Yields
    ------
    (d,) float64
    """
    tried = trials(objective, start, tolerance, corrections, max_iterations)
    next(tried)
    for trial in tried:
        if trial.taken:
            yield trial.x


def trials(
    objective: Objective,
    start: np.ndarray,
    tolerance: float,
    corrections: int = 10,
    max_iterations: float = math.inf,
    least_fall: float = 0.0,
    box: Box | None = None,
) -> Generator[LinePoint]:
    """Yield every point that `minimise` evaluates, the start first.

    Parameters
    ----------
    objective, start, tolerance, corrections, max_iterations
        As in `minimise`.
    least_fall : float
        They also end when the value falls by less, relative to the larger of it and 1.
    box : pair of (d,) float64, optional
        The least and the largest coefficients; ``start`` is within. The tolerance then
        applies to the projected gradient step instead of the gradient.

    Yields
    ------
    LinePoint
    """
    here = evaluation(objective, start)
    yield here
    memory = _Memory(corrections, len(start))
    iteration = 0
    while (
        iteration < max_iterations
        and _is_finite(here)
        and np.abs(_uphill(here, box)).max(initial=0.0) > tolerance
    ):
        move = memory.direction(here, box)
        slope = dot(here.gradient, move)
        last = here
        if slope < 0.0:
            longest = _LONGEST if box is None else _room(here.x, move, box)
            first = 1.0 if iteration else min(1.0 / norm(move), longest)
            search = steps(here.value, slope, first, longest)
            last = yield from _line(objective, here, move, search, box)
        if last is here or not last.taken:
            if memory.is_empty or not _is_finite(last):
                return
            memory.clear()
            continue
        iteration += 1
        step = last.x - here.x
        memory.add(step, last.gradient - here.gradient, -dot(here.gradient, step))
        fall, size = here.value - last.value, max(abs(here.value), abs(last.value), 1.0)
        here = last
        if fall <= least_fall * size:
            return


def _line(
    objective: Objective,
    start: LinePoint,
    move: np.ndarray,
    search: Generator[float, tuple[float, float], None],
    box: Box | None,
) -> Generator[LinePoint, None, LinePoint]:
    """Yield the trials of a line search, and return the last one; it is not ``taken``
    if the search failed or the value is not finite."""
    step = next(search)
    for _ in range(_MAX_TRIALS):
        point = start.x + step * move
        if box is not None:
            point = np.clip(point, *box)
        trial = evaluation(objective, point, as_step=False)
        if not _is_finite(trial):
            yield trial
            return trial
        try:
            step = search.send((trial.value, dot(trial.gradient, move)))
        except StopIteration:
            trial = trial._replace(taken=True)
            yield trial
            return trial
        yield trial
    return trial


class _Memory:
    """The memory of the last steps and gradient changes."""

    def __init__(self, size: int, d: int) -> None:
        self._steps, self._changes = np.empty((2, size, d))
        self._curvatures, self._weights = np.empty((2, size))
        self.clear()

    def clear(self) -> None:
        self._newest, self._count = -1, 0

    @property
    def is_empty(self) -> bool:
        return self._count == 0

    def add(self, step: np.ndarray, change: np.ndarray, fall: float) -> None:
        """Store a step, unless the change of the gradient along it is negative or mere
        rounding; ``fall`` is the decrease of the objective predicted without it."""
        curvature = dot(step, change)
        if curvature <= _ROUNDING * fall:
            return
        size = len(self._curvatures)
        self._newest = (self._newest + 1) % size
        self._count = min(self._count + 1, size)
        self._steps[self._newest], self._changes[self._newest] = step, change
        self._curvatures[self._newest] = curvature

    def direction(self, point: LinePoint, box: Box | None) -> np.ndarray:
        """Return the direction to the next point for a step of 1, within the box."""
        from rankcore._kernels.arithmetic.lbfgs import direction

        gradient = point.gradient
        if box is not None:
            held = _uphill(point, box) == 0.0
            gradient = np.where(held, 0.0, gradient)
        move = np.empty(len(gradient))
        direction(
            gradient,
            self._steps,
            self._changes,
            self._curvatures,
            self._newest,
            self._count,
            self._weights,
            move,
        )
        if box is None:
            return move
        return np.where(held, 0.0, np.clip(point.x + move, *box) - point.x)


def _is_finite(trial: LinePoint) -> bool:
    return math.isfinite(trial.value) and bool(np.isfinite(trial.gradient).all())


def _uphill(point: LinePoint, box: Box | None) -> np.ndarray:
    """Return the gradient; in a box, limited to the step against it that stays
    within."""
    if box is None:
        return point.gradient
    low, high = box
    return np.clip(point.gradient, point.x - high, point.x - low)


def _room(x: np.ndarray, move: np.ndarray, box: Box) -> float:
    """Return the longest step that stays in the box."""
    low, high = box
    moves = move != 0.0
    lengths = (np.where(move > 0.0, high, low) - x)[moves] / move[moves]
    return min(float(lengths.min()), _LONGEST)
