"""Exponentials and logarithms of arrays, with the same bits on every processor.

NumPy's `exp`, `log`, `exp2`, `log2`, `power` and `tanh` choose their code by processor,
as do those of the C library, and round the last digit differently.
"""

from typing import Any

import numpy as np

LN2 = 0.6931471805599453

Floats = np.ndarray[Any, np.dtype[np.float64]]


def exp(x: Any) -> Floats:
    """Return e^x, of any shape, to one unit in the last place; 0 below 2.2e-308."""
    return _each("exponentials", x)


def log(x: Any) -> Floats:
    """Return the natural logarithm, to one unit in the last place; -inf at 0, NaN below
    0."""
    return _each("logarithms", x)


def log2(x: Any) -> Floats:
    """Return the logarithm to base 2 of numbers above 0; exact at powers of 2."""
    return _each("binary_logarithms", x)


def exp2(x: Any) -> Floats:
    """Return 2^x, exact for integers x."""
    x = np.asarray(x, np.float64)
    whole = np.rint(x)
    rest = exp((x - whole) * LN2) if np.any(x != whole) else 1.0
    return np.ldexp(rest, whole.astype(np.int64))


def geomspace(low: float, high: float, count: int) -> Floats:
    """Return ``count`` numbers in geometric progression from ``low`` to ``high``, both
    above 0; inner ones have ten significant digits."""
    steps = np.arange(1.0, count - 1.0) / max(count - 1.0, 1.0)
    between = low * exp(steps * log(high / low))
    return np.concatenate([[low], ten_digits(between), [high]])[:count]


def ten_digits(x: Any) -> Floats:
    """Return numbers, of any shape, rounded to ten significant digits.

    Distribution functions of SciPy are computed with the C library's functions, which
    round the last digits of sixteen differently.
    """
    x = np.asarray(x, np.float64)
    return np.array([float(f"{v:.10g}") for v in x.ravel()]).reshape(x.shape)


def logistic(x: Any) -> Floats:
    """Return 1 / (1 + e^-x)."""
    e = exp(-np.abs(np.asarray(x, np.float64)))
    return np.where(np.asarray(x) >= 0.0, 1.0, e) / (1.0 + e)


def softplus(x: Any) -> Floats:
    """Return ln(1 + e^x)."""
    x = np.asarray(x, np.float64)
    return np.maximum(x, 0.0) + _each("logarithms_of_one_more", exp(-np.abs(x)))


def _each(kernel: str, x: Any) -> Floats:
    # Numba takes long to import, and integer powers of 2 do not need it.
    from rankcore._kernels.arithmetic import elementary

    x = np.asarray(x, np.float64, order="C")
    values = np.empty(x.shape)
    getattr(elementary, kernel)(x.reshape(-1), values.reshape(-1))
    return values
