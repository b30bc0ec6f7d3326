"""Brushes: ranges on parallel axes that filter models.

As text a brush is ``g:0.2..0.5,0.8..1;features:0..10``: the models whose ``g`` is in
either range and that keep at most ten features.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.numbers import read_number

# Name of an axis → ranges on it, both ends included.
Brush = Mapping[str, Sequence[tuple[float, float]]]
NO_BRUSH: Brush = MappingProxyType({})

RULE = "Write ranges on axes as in g:0.2..0.5,0.8..1;features:0..10"
_AXIS = re.compile(r"[A-Za-z_]\w*")
_DIGITS = 5


def read_brush(text: str) -> dict[str, list[tuple[float, float]]] | None:
    """Parse a brush; return None if the text is invalid.

    Examples
    --------
    >>> read_brush("g:0.2..0.5,0.8..1;features:0..10")
    {'g': [(0.2, 0.5), (0.8, 1.0)], 'features': [(0.0, 10.0)]}
    >>> read_brush("g:0.5..0.2") is None
    True
    """
    ends: dict[str, list[tuple[float, float]]] = {}
    for part in text.split(";"):
        name, _, ranges = part.partition(":")
        if not _AXIS.fullmatch(name) or name in ends:
            return None
        try:
            ends[name] = [_read_range(text) for text in ranges.split(",")]
        except ValueError:
            return None
    return ends


def brush_text(ranges: Mapping[str, Iterable[Sequence[Any]]]) -> str:
    """Return a brush as text with five significant digits; empty without ranges.

    Examples
    --------
    >>> brush_text({"g": [(0.2, 0.5), (0.8, 1.0)], "features": [(0, 10)], "K": []})
    'g:0.2..0.5,0.8..1;features:0..10'
    """
    texts = {
        name: ",".join("..".join(f"{end:.{_DIGITS}g}" for end in ends) for ends in each)
        for name, each in ranges.items()
    }
    return ";".join(f"{name}:{text}" for name, text in texts.items() if text)


def let_through(axes: Mapping[str, NDArray[Any]], brush: Brush) -> NDArray[np.bool_]:
    """Return a mask of the models that lie within a range on every brushed axis.

    Parameters
    ----------
    axes : dict of str to (n,) float64
        The place of each model on every axis.
    brush : Brush
        Ranges on axes that `axes` lacks are ignored.

    Returns
    -------
    (n,) bool

    Examples
    --------
    >>> let_through({"g": np.array([0.1, 0.3, 0.9])}, {"g": [(0.0, 0.1), (0.8, 1.0)]})
    array([ True, False,  True])
    """
    through = np.ones(len(next(iter(axes.values()))), bool)
    for name, values in axes.items():
        if name in brush:
            ends = np.array(brush[name])
            inside = (ends[:, :1] <= values) & (values <= ends[:, 1:])
            through &= inside.any(axis=0)
    return through


def _read_range(text: str) -> tuple[float, float]:
    low, high = (float(read_number(end)) for end in text.split(".."))
    if math.isfinite(low) and low <= high:
        return low, high
    raise ValueError(f"{text} is not a range.")
