r"""BFGS steps from a known curvature, for convex objectives.

The estimate B of the inverse Hessian is a full matrix, so the steps suit objectives
whose values cost much more than :math:`d^2`. Each step is :math:`-B \nabla`, shortened
where necessary; then B is updated by the change of the gradient (J. Nocedal, S. J.
Wright, *Numerical Optimization*, 2nd edition, 2006, equation 6.17).
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
        Symmetric, positive definite, close to the inverse Hessian; modified.
    tolerance : float
        The iterates end when no component of the gradient is larger, or no shorter step
        improves the objective.
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
    """Return the first of ever shorter steps with a sufficient decrease, or None.

    Where rounding hides the decrease of the value, a sufficiently smaller slope at the
    end of the step decides.
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
        # The next step is the minimum of the parabola with these two slopes.
        best = slope / (slope - rest) if rest > slope else _SHORTEST
        length *= min(max(best, _SHORTEST), _LONGEST)
    return None


def _rescale(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> None:
    """Scale the estimate to the curvature of the first step (ibid., equation 6.20)."""
    curvature = dot(step, change)
    if curvature > 0.0:
        inverse *= curvature / dot(change, times_vector(inverse, change))


def _correct(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> None:
    """Apply the BFGS update, unless the curvature is lost in rounding."""
    curvature = dot(step, change)
    if curvature <= 0.0:
        return
    along = times_vector(inverse, change)
    scale = (1.0 + dot(change, along) / curvature) / curvature
    cross = np.outer(along, step / curvature)
    inverse += scale * np.outer(step, step) - cross - cross.T
