"""Random numbers, with the same bits on every processor."""

from typing import Any

import numpy as np

# NumPy's ziggurats take a logarithm of the C library beyond here, for one number in
# 4000 or 2000; all others are a product. Libraries differ in a logarithm's last digit.
_NORMAL_TAIL = 3.6541528853610088
_EXPONENTIAL_TAIL = 7.69711747013105
_GRID = 2.0**32


def standard_exponential(
    rng: np.random.Generator, shape: int | tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw as `rng.standard_exponential` does, values beyond 7.69 to 32 binary
    places."""
    return _without_last_digits(rng.standard_exponential(shape), _EXPONENTIAL_TAIL)


def standard_normal(
    rng: np.random.Generator, shape: int | tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw as `rng.standard_normal` does, values beyond ±3.65 to 32 binary places."""
    return _without_last_digits(rng.standard_normal(shape), _NORMAL_TAIL)


def _without_last_digits(
    draws: np.ndarray, beyond: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.where(np.abs(draws) > beyond, np.rint(draws * _GRID) / _GRID, draws)
