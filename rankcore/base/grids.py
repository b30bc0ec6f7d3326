"""Round numbers over a range, for the stops of a slider or the values of an axis."""

import math
from typing import Literal

MANTISSAS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
DECADES_ABOVE_ZERO = 4
LINEAR_STEPS = 100


def grid(
    low: float,
    high: float,
    scale: Literal["linear", "log"] = "linear",
    *,
    whole: bool = False,
) -> list[float]:
    """Round numbers from ``low`` to ``high``, both included.

    Parameters
    ----------
    low, high : float
        ``low`` is less than ``high``, and at least 0 on a logarithmic scale.
    scale : {"linear", "log"}
        On a linear scale the numbers are 1, 2 or 5 times a power of ten apart, at most
        100 steps. On a logarithmic one they are 1, 1.5, 2, 3, 5 and 7 times the powers
        of ten; where ``low`` is 0, it comes first and the powers cover four decades.
    whole : bool
        Whether the numbers will be integers: a logarithmic scale from 0 then continues
        with 1. The caller rounds the numbers.

    Returns
    -------
    list of float
        The numbers in ascending order.

    Examples
    --------
    >>> grid(1.0, 10.0, "log")
    [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0]
    """
    if scale == "linear":
        return _linear(low, high)
    if low > 0:
        return _logarithmic(low, high)
    smallest = 1 if whole else high / 10**DECADES_ABOVE_ZERO
    return [low, *_logarithmic(smallest, high)]


def decade(number: float) -> int:
    """Return the exact exponent of the power of ten at or below a positive number.

    Examples
    --------
    >>> decade(1000.0), decade(999.0), decade(0.002)
    (3, 2, -3)
    """
    return int(f"{number:.16e}".partition("e")[2])


def _linear(low: float, high: float) -> list[float]:
    rough = (high - low) / LINEAR_STEPS
    step_decade = 10 ** decade(rough)
    step = next(
        step_decade * m for m in (1, 2, 5, 10) if step_decade * m >= rough * (1 - 1e-9)
    )
    count = math.floor((high - low) / step + 1e-9)
    numbers = [float(f"{low + i * step:.10g}") for i in range(count + 1)]
    return sorted({*numbers, high})


def _logarithmic(low: float, high: float) -> list[float]:
    decades = range(decade(low), decade(high) + 1)
    numbers = [float(f"{m}e{power}") for power in decades for m in MANTISSAS]
    return [low, *(number for number in numbers if low < number < high), high]
