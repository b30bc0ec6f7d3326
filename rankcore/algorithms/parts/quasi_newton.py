r"""BFGS steps from a known curvature, for convex objectives.

The estimate B of the inverse of the Hessian is a matrix, so the steps suit objectives
whose values cost much more than :math:`d^2`. Each is :math:`-B \nabla`, shortened where
needed; after it B is corrected by how much the gradient has changed (J. Nocedal,
S. J. Wright, *Numerical Optimization*, 2nd edition, 2006, equation 6.17).
"""

from collections.abc import Callable, Iterator

import numpy as np

from rankcore.mathematics.products import dot, times_vector

_DECREASE = 1e-4
_ROUNDING = 1e-14
_SHORTEST, _LONGEST = 0.1, 0.7
_MAX_TRIALS = 40


def bfgs(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    inverse: np.ndarray,
    tolerance: float,
) -> Iterator[np.ndarray]:
    """Yield the iterates after ``start``.

    Parameters
    ----------
    objective : callable
        (d,) coefficients → value and (d,) gradient.
    start : (d,) float64
    inverse : (d, d) float64
        Symmetric and positive definite, near the inverse of the Hessian; changed.
    tolerance : float
        They end when no component of the gradient is larger, or no shorter step is
        better.
    """
    x, first = start, True
    value, gradient = objective(x)
    while np.abs(gradient).max(initial=0.0) > tolerance:
        move = -times_vector(inverse, gradient)
        point = _shortened(objective, x, value, dot(gradient, move), move)
        if point is None:
            return
        step = point - x
        x = point
        value, after = objective(x)
        change, gradient = after - gradient, after
        if first:
            _rescale(inverse, step, change)
            first = False
        _correct(inverse, step, change)
        yield x


def _shortened(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x: np.ndarray,
    value: float,
    slope: float,
    move: np.ndarray,
) -> np.ndarray | None:
    """Return the first of ever shorter steps that is better enough; None if none is.

    Where rounding hides by how much the value falls, the slope along the step decides:
    a convex objective has fallen if it still does.
    """
    if slope >= 0.0:
        return None
    length = 1.0
    for _ in range(_MAX_TRIALS):
        tried = x + length * move
        new, gradient = objective(tried)
        rest = dot(gradient, move)
        if new <= value + _DECREASE * length * slope:
            return tried
        if new <= value + _ROUNDING * abs(value) and abs(rest) <= -0.5 * slope:
            return tried
        # Where a parabola with these two slopes has its minimum.
        best = slope / (slope - rest) if rest > slope else _SHORTEST
        length *= min(max(best, _SHORTEST), _LONGEST)
    return None


def _rescale(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> None:
    """Agree with the curvature met first (the same, equation 6.20)."""
    curvature = dot(step, change)
    if curvature > 0.0:
        inverse *= curvature / dot(change, times_vector(inverse, change))


def _correct(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> None:
    """Apply the BFGS update, unless rounding has eaten up the curvature."""
    curvature = dot(step, change)
    if curvature <= 0.0:
        return
    along = times_vector(inverse, change)
    scale = (1.0 + dot(change, along) / curvature) / curvature
    cross = np.outer(along, step / curvature)
    inverse += scale * np.outer(step, step) - cross - cross.T
