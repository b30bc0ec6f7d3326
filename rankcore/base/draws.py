"""Random numbers, with the same bits on every processor."""

from typing import Any

import numpy as np

# Beyond these limits, for one number in 4000 or 2000, NumPy's ziggurats use the C
# library's logarithm, whose last digit differs between libraries; all other numbers are
# products.
_NORMAL_TAIL = 3.6541528853610088
_EXPONENTIAL_TAIL = 7.69711747013105
_GRID = 2.0**32


def standard_exponential(
    rng: np.random.Generator, shape: int | tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw as `rng.standard_exponential` does, rounding values beyond 7.69 to 32 binary
    places."""
    return _without_last_digits(rng.standard_exponential(shape), _EXPONENTIAL_TAIL)


def standard_normal(
    rng: np.random.Generator, shape: int | tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw as `rng.standard_normal` does, rounding beyond ±3.65 to 32 binary places."""
    return _without_last_digits(rng.standard_normal(shape), _NORMAL_TAIL)


def _without_last_digits(
    draws: np.ndarray, beyond: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.where(np.abs(draws) > beyond, np.rint(draws * _GRID) / _GRID, draws)
