r"""The line search of Moré and Thuente.

Along a descent direction it finds a step :math:`t` with

.. math::

    \phi(t) \le \phi(0) + \mu t \phi'(0), \qquad |\phi'(t)| \le \eta |\phi'(0)|,

by an interval that contains such a step: its better end, and another end that is known
once the interval is bracketed. Each trial is the minimiser of a cubic or a quadratic
through known values and slopes, and becomes an end of the interval. Until a trial
satisfies the first condition with a nonnegative slope,
:math:`\psi(t) = \phi(t) - \mu t \phi'(0)` replaces :math:`\phi` if that fell too
little.

J. J. Moré, D. J. Thuente, *Line search algorithms with guaranteed sufficient decrease*,
ACM Transactions on Mathematical Software 20:286-307, 1994: the interval is their
section 2, the trial their section 4. Constants, and the rules before bracketing, are
those with which L-BFGS-B calls the authors' MINPACK-2; SciPy's ``_dcsrch.py`` (BSD
3-Clause) served as a reference.
"""

import math
from collections.abc import Generator
from typing import NamedTuple

_DECREASE = 1e-3
_SLOPE = 0.9
# The interval is not shortened below this fraction of its longer end.
_SHORTEST = 0.1
# Before bracketing, the next trial lies between these multiples of the distance of the
# last trial from the best, beyond the last.
_NEAREST, _FARTHEST = 1.1, 4.0
# The fraction of the way to the other end that a trial may go, and the fraction to
# which the interval shrinks within two trials.
_SHARE = 0.66


class _End(NamedTuple):
    """A step, with the objective and its slope at this step."""

    step: float
    value: float
    slope: float

    def tilted(self, slope: float) -> "_End":
        """Return the trial for the objective minus a linear function."""
        return _End(self.step, self.value - self.step * slope, self.slope - slope)


def steps(
    value: float, slope: float, first: float, longest: float
) -> Generator[float, tuple[float, float], None]:
    """Yield trial steps; the generator ends when the last one is the result.

    Parameters
    ----------
    value, slope : float
        The objective and its slope at step 0; the slope is below 0.
    first : float
        The first step, at most ``longest``.
    longest : float
        No step is longer.

    Yields
    ------
    float
        A step for which the caller sends the objective and its slope. The last one
        satisfies both conditions, unless rounding or the interval prevents it.
    """
    decrease = _DECREASE * slope
    best = other = _End(0.0, value, slope)
    closed, on_psi = False, True
    width, width_before = longest, 2.0 * longest
    low, high = 0.0, (1.0 + _FARTHEST) * first
    step = first
    while True:
        tried = _End(step, *(yield step))
        needed = value + step * decrease
        enough = tried.value <= needed
        if enough and abs(tried.slope) <= -_SLOPE * slope:
            return
        if closed and _is_done(step, low, high):
            return
        if step == longest and enough and tried.slope <= decrease:
            return
        on_psi = on_psi and not (enough and tried.slope >= 0.0)
        tilt = decrease if on_psi and not enough and tried.value <= best.value else 0.0
        ends = best.tilted(tilt), other.tilted(tilt), tried.tilted(tilt)
        rises, turns = ends[2].value > ends[0].value, _turns(ends[0], ends[2])
        step = _trial(*ends, closed, low, high)
        if rises:
            other = tried
        else:
            best, other = tried, best if turns else other
        closed = closed or rises or turns
        if closed:
            if abs(other.step - best.step) >= _SHARE * width_before:
                step = best.step + 0.5 * (other.step - best.step)
            width_before, width = width, abs(other.step - best.step)
            low, high = sorted((best.step, other.step))
        else:
            low = step + _NEAREST * (step - best.step)
            high = step + _FARTHEST * (step - best.step)
        step = min(max(step, 0.0), longest)
        if closed and _is_done(step, low, high):
            step = best.step


def _is_done(step: float, low: float, high: float) -> bool:
    """Whether the interval is too short, or rounding leaves no step within it."""
    return not low < step < high or high - low <= _SHORTEST * high


def _turns(a: _End, b: _End) -> bool:
    return a.slope < 0.0 < b.slope or b.slope < 0.0 < a.slope


def _trial(
    best: _End, other: _End, tried: _End, closed: bool, low: float, high: float
) -> float:
    """Return the next step: cases 1 to 4 of the paper's section 4."""
    back = best.step - tried.step
    if tried.value > best.value:
        cubic = best.step - _cubic(best, tried) * back
        fall = (tried.value - best.value) / back + best.slope
        quadratic = best.step - 0.5 * best.slope / fall * back
        if abs(cubic - best.step) < abs(quadratic - best.step):
            return cubic
        return cubic + 0.5 * (quadratic - cubic)
    turns = _turns(best, tried)
    end = high if back < 0.0 else low
    if not turns and abs(tried.slope) >= abs(best.slope):
        if closed:
            return tried.step + _cubic(tried, other) * (other.step - tried.step)
        return end
    share = _cubic(tried, best)
    # Both as distances from the last trial.
    cubic = share * back if turns or share < 0.0 else end - tried.step
    secant = tried.slope / (tried.slope - best.slope) * back
    if turns:
        return tried.step + max(cubic, secant, key=abs)
    if not closed:
        return min(max(tried.step + max(cubic, secant, key=abs), low), high)
    step = tried.step + min(cubic, secant, key=abs)
    limit = tried.step + _SHARE * (other.step - tried.step)
    return min(limit, step) if back < 0.0 else max(limit, step)


def _cubic(a: _End, b: _End) -> float:
    """Return the minimiser of the cubic through both ends: 0 at ``a``, 1 at ``b``.

    It is negative beyond ``a``, and one half if there is no minimum.
    """
    theta = 3.0 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope
    size = max(abs(theta), abs(a.slope), abs(b.slope)) or 1.0
    root = (theta / size) * (theta / size) - (a.slope / size) * (b.slope / size)
    if not root > 0.0:
        return 0.5
    gamma = math.copysign(size * math.sqrt(root), b.step - a.step)
    below = ((gamma - a.slope) + gamma) + b.slope
    return ((gamma - a.slope) + theta) / below if below != 0.0 else 0.5
