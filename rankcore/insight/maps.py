"""Maps: a measure over one or two hyperparameters, computed coarse to fine."""

import itertools
from collections.abc import Sequence

import numpy as np

__all__ = ["coarse_to_fine"]


def coarse_to_fine(shape: Sequence[int]) -> list[int]:
    """The cells of a grid in an order that soon gives a picture of all of it.

    First come the ends and the middle of each axis, then the middles between these,
    and so on.

    Parameters
    ----------
    shape : sequence of int
        Values on each axis, at least 1.

    Returns
    -------
    list of int
        Each number below their product once: of the cells with the last axis fastest.

    Examples
    --------
    >>> coarse_to_fine([5])
    [0, 2, 4, 1, 3]
    >>> coarse_to_fine([3, 2])
    [0, 1, 2, 3, 4, 5]
    """
    levels = [_levels(count) for count in shape]
    cells = itertools.product(*(range(count) for count in shape))
    found = [
        (max(own[at] for own, at in zip(levels, cell, strict=True)), number)
        for number, cell in enumerate(cells)
    ]
    return [number for _, number in sorted(found)]


def _levels(count: int) -> list[int]:
    """When each value of an axis comes, from 0."""
    found, level, points = np.full(count, -1), 0, 3
    while (found < 0).any():
        at = np.round(np.linspace(0, count - 1, points)).astype(int)
        at = at[found[at] < 0]
        found[at] = level
        level, points = level + 1, 2 * points - 1
    return found.tolist()
