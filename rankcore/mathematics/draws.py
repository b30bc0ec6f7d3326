"""Random numbers, with the same bits on every processor."""

from typing import Any

import numpy as np

# NumPy's ziggurat takes a logarithm of the C library beyond here, for one number in
# 4000; all others are a product. Libraries differ in the last digit of a logarithm.
_TAIL = 3.6541528853610088
_GRID = 2.0**32


def standard_normal(
    rng: np.random.Generator, shape: int | tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw as `rng.standard_normal` does, values beyond ±3.65 to 32 binary places."""
    drawn = rng.standard_normal(shape)
    return np.where(np.abs(drawn) > _TAIL, np.rint(drawn * _GRID) / _GRID, drawn)
