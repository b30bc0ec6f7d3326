"""Sines, cosines and arctangents of arrays, with the same bits on every processor.

NumPy and the C library choose their code by processor. Here the angle is reduced to
near 0, where a power series is exact to the last digit or two.
"""

import math
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]

# pi / 2 in two parts; the first has 20 trailing zero bits, so that integer multiples of
# it are exact.
_QUARTER = float.fromhex("0x1.921fb544p+0")
_QUARTER_REST = float.fromhex("0x1.0b4611a626331p-34")
# |r| is at most pi / 4, and the next terms are below 2**-53 of the sums.
_SINE = [(-1) ** k / math.factorial(2 * k + 1) for k in range(9)]
_COSINE = [(-1) ** k / math.factorial(2 * k) for k in range(10)]
# The series for numbers up to tan(pi / 16).
_ARCTANGENT = [(-1) ** k / (2 * k + 1) for k in range(13)]


def sin(x: Any) -> Floats:
    """Return the sine of angles in radians, of any shape, up to 10⁵ in magnitude."""
    return _sine(x, 0)


def cos(x: Any) -> Floats:
    """Return the cosine of angles in radians, of any shape, up to 10⁵ in magnitude."""
    return _sine(x, 1)


def tan(x: Any) -> Floats:
    """Return the tangent of angles in radians, of any shape, up to 10⁵ in magnitude."""
    return sin(x) / cos(x)


def arctan(x: Any) -> Floats:
    """Return the angle from -pi / 2 to pi / 2 whose tangent is x, of any shape."""
    return arctan2(x, 1.0)


def arctan2(y: Any, x: Any) -> Floats:
    """Return the angle from -pi to pi of the points (x, y), 0 at the origin."""
    y, x = np.broadcast_arrays(np.asarray(y, np.float64), np.asarray(x, np.float64))
    low, high = np.minimum(np.abs(x), np.abs(y)), np.maximum(np.abs(x), np.abs(y))
    t = np.where(high > 0.0, low, 0.0) / np.where(high > 0.0, high, 1.0)
    # The tangent of the angle minus pi / 4, then of half of that.
    steep = t > math.sqrt(2.0) - 1.0
    t = np.where(steep, (t - 1.0) / (t + 1.0), t)
    t = t / (1.0 + np.sqrt(1.0 + t * t))
    angle = 2.0 * (t * _series(_ARCTANGENT, t * t))
    angle = np.where(steep, 0.25 * math.pi + angle, angle)
    angle = np.where(np.abs(y) > np.abs(x), 0.5 * math.pi - angle, angle)
    return np.copysign(np.where(np.signbit(x), math.pi - angle, angle), y)


def _sine(x: Any, quarters: int) -> Floats:
    """Return the sine of an angle advanced by this number of quarter turns."""
    x = np.asarray(x, np.float64)
    k = np.rint(x * (2.0 / math.pi))
    r = (x - k * _QUARTER) - k * _QUARTER_REST
    sine, cosine = r * _series(_SINE, r * r), _series(_COSINE, r * r)
    quadrant = np.mod(k + quarters, 4.0)
    value = np.where(np.mod(quadrant, 2.0) == 0.0, sine, cosine)
    return np.where(quadrant >= 2.0, -value, value)


def _series(coefficients: list[float], z: Floats) -> Floats:
    total = np.full(np.shape(z), coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = coefficient + z * total
    return total
