"""Ends of intervals of weighted means, found by a saddlepoint approximation.

Observation i has a random weight of the gamma distribution of shape a_i. With
z_i = y_i - t x_i, the ratio of the weighted sums of y and x is at most t where the
weighted sum of z is at most 0, and R. Lugannani, S. O. Rice, "Saddle point
approximation for the distribution of the sum of independent random variables", 1980,
in the form of O. E. Barndorff-Nielsen, "Inference on full or partial parameters based
on the standardized signed log likelihood ratio", 1986, give its probability.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog

_MOST_STEPS = 100
_MOST_TRIALS = 60
_STEP_TOLERANCE = 1e-10
_TOLERANCE = 1e-9
# Closer to the mean, the correction is lost in rounding.
_NEAR = 1e-4


@kernel
def _score(y, x, shapes, t):
    """Return the normal score of the probability that the ratio is at most t."""
    low, high = np.inf, -np.inf
    for i in range(len(y)):
        z = y[i] - t * x[i]
        low, high = min(low, z), max(high, z)
    if low >= 0.0:
        return -np.inf
    if high <= 0.0:
        return np.inf
    # The saddlepoint: the root of the decreasing function sum a z / (1 + s z) between
    # its two poles, by Newton's method with bisection.
    lower, upper, s = -1.0 / high, -1.0 / low, 0.0
    for _ in range(_MOST_STEPS):
        value, slope = 0.0, 0.0
        for i in range(len(y)):
            z = y[i] - t * x[i]
            q = z / (1.0 + s * z)
            value += shapes[i] * q
            slope += shapes[i] * (q * q)
        if value > 0.0:
            lower = s
        else:
            upper = s
        following = s + value / slope
        if not lower < following < upper:
            following = 0.5 * (lower + upper)
        step = abs(following - s)
        s = following
        if step <= _STEP_TOLERANCE * abs(s):
            break
    exponent, curvature = 0.0, 0.0
    for i in range(len(y)):
        z = y[i] - t * x[i]
        q = z / (1.0 + s * z)
        exponent += shapes[i] * vlog(1.0 + s * z)
        curvature += shapes[i] * (q * q)
    r = np.sqrt(2.0 * max(exponent, 0.0))
    u = abs(s) * np.sqrt(curvature)
    sign = -1.0 if s > 0.0 else 1.0
    if r <= _NEAR:
        return sign * r
    # Barndorff-Nielsen's r*: r is the signed root of twice the log likelihood ratio, u
    # the Wald statistic.
    return sign * (r + vlog(u / r) / r)


@kernel
def interval_end(y, x, shapes, score, outer):
    """Return the ratio whose probability has this normal score.

    Parameters
    ----------
    y, x, shapes : (n,) float64
        ``shapes`` are positive, ``x`` nonnegative and not all 0.
    score : float
        Below 0 for the lower end of an interval.
    outer : float
        A ratio beyond the end.
    """
    total, base = 0.0, 0.0
    for i in range(len(y)):
        total += shapes[i] * y[i]
        base += shapes[i] * x[i]
    inner = total / base
    square = 0.0
    for i in range(len(y)):
        z = y[i] - inner * x[i]
        square += shapes[i] * (z * z)
    if square == 0.0:
        return inner
    lower = score < 0.0
    # Start at the normal approximation, then regula falsi (the Illinois variant halves
    # the value of an end that stays); bisection where an end has no finite score.
    t = inner + score * np.sqrt(square) / base
    before, beyond = -score, np.inf
    end = 0
    for _ in range(_MOST_TRIALS):
        if not min(inner, outer) < t < max(inner, outer):
            t = 0.5 * (inner + outer)
        value = _score(y, x, shapes, t) - score
        if (value > 0.0) == lower:
            inner, before = t, value
            beyond = 0.5 * beyond if end == 1 else beyond
            end = 1
        else:
            outer, beyond = t, value
            before = 0.5 * before if end == 2 else before
            end = 2
        if abs(value) <= _TOLERANCE or abs(outer - inner) <= _TOLERANCE * abs(inner):
            return t
        if np.isinf(beyond):
            t = 0.5 * (inner + outer)
        else:
            t = inner + (outer - inner) * (before / (before - beyond))
    return t
