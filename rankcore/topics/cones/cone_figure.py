"""Names, colours and ranges shared by all pictures of cones."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.base.numbers import percent
from rankcore.plot.numbers import subscript
from rankcore.plot.palette import DARK, Palette, algorithm_style, faded
from rankcore.plot.style import layout, segment
from rankcore.topics.cones.sight import VisibleCone, simplex
from rankcore.topics.cones.trained import ConeState

PARTS = ("residuals", "simplex", "half-space", "RankSVM")
HEIGHT = 460


class Colours(NamedTuple):
    """The colours, as ``#rrggbb``, of the two algorithms in the picture."""

    cone: str
    svm: str


def colours(palette: Palette) -> Colours:
    """Return the colours of ConeRank and RankSVM, made different if they are equal."""
    cone, svm = (algorithm_style(name, palette)[0] for name in ("ConeRank", "RankSVM"))
    return Colours(cone, svm if svm != cone else palette.runs[3])


def vector_name(k: int) -> str:
    """Name of the vector number ``k``, from 0: u₁ …."""
    return f"u{subscript(k + 1)}"


def probe_colour(palette: Palette) -> str:
    """Return the colour of points that can be dragged, which have an outline."""
    return DARK.runs[4]


def limits(points: Floats, *dragged: Floats) -> Floats:
    """Both ends (d, 2) of each axis of a picture that holds points and the origin.

    Parameters
    ----------
    points : (n, d) float64
    *dragged : (d,) float64
        A point beyond the ends of the others is put on the border, so that the picture
        does not change while it is dragged.
    """
    held = np.vstack([points, np.zeros((1, points.shape[1]))])
    least = max(0.25 * float(np.abs(held).max()), 0.1)
    low, high = (
        np.minimum(held.min(axis=0), -least),
        np.maximum(held.max(axis=0), least),
    )
    pad = 0.05 * (high - low)
    # Rounded in steps, so that small changes do not move the axes.
    ends = np.stack([np.floor(4 * (low - pad)), np.ceil(4 * (high + pad))]) / 4
    low = np.minimum.reduce([ends[0], *dragged])
    high = np.maximum.reduce([ends[1], *dragged])
    return np.stack([low, high], axis=1)


def to_border(directions: ArrayLike, ends: Floats) -> Floats:
    """Rays (n, d) from the origin, cut off at the `limits` of a picture."""
    ways = np.atleast_2d(np.asarray(directions, np.float64))
    border = np.where(ways > 0.0, ends[:, 1], ends[:, 0])
    steps = border / np.where(ways == 0.0, 1e-12, ways)
    return ways * np.abs(steps).min(axis=1, keepdims=True)


def room(usual: float, *points: Floats) -> float:
    """Return the ``usual`` reach, or more if points lie beyond it.

    A point dragged to the border stays on it, and the picture keeps its size.
    """
    return max(usual, *(float(np.abs(at).max()) for at in points))


def in_words(view: VisibleCone) -> str:
    """Return the text alternative of a picture of a cone among differences."""
    return (
        f"A cone of {view.basis.shape[1]} vectors contains "
        f"{percent(view.inside.mean())} of the differences; its direction ranks "
        f"{percent(view.right.mean())} of the pairs correctly."
    )


def difference_at(view: VisibleCone, trace: str, place: int) -> int | None:
    """Return the difference that a point of a picture represents, if any.

    Parameters
    ----------
    trace : str
        The trace's name.
    place : int
        The point's number in it, from 0.
    """
    kinds = {"in order": view.right, "out of order": ~view.right}
    rows = np.flatnonzero(kinds.get(trace, np.empty(0)))
    return int(rows[place]) if 0 <= place < len(rows) else None


def simplex_corners(state: ConeState) -> Floats:
    """Return the vectors (n, d) at both limits of the sum of weights, if it has a
    largest one."""
    totals = sorted(filter(np.isfinite, {*state.cone.limits}))
    return np.vstack([simplex(state.view.basis, total) for total in totals])


def square(palette: Palette, names: Sequence[str], ends: ArrayLike) -> dict[str, Any]:
    """Return the layout of a plane with these `limits`, the same scale on both axes.

    The axis with more room shows a longer range.
    """
    figure = layout(palette, escape(names[0]), escape(names[1]), HEIGHT)
    figure["margin"] |= {"l": 54, "r": 10, "t": 10, "b": 46}
    for name, (low, high) in zip(("xaxis", "yaxis"), np.asarray(ends), strict=True):
        figure[name] |= {
            "range": [float(low), float(high)],
            "showgrid": True,
            "zeroline": True,
            "zerolinecolor": palette.secondary,
        }
    figure["yaxis"]["scaleanchor"] = "x"
    figure["hovermode"] = "closest"
    return figure


def half_plane(
    direction: Floats, extent: float, colour: str, fill: bool = False
) -> list[dict[str, Any]]:
    """Return the line perpendicular to a direction and, on request, the side it points
    to."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return []
    unit = direction / length
    side = np.array([-unit[1], unit[0]]) * 3.0 * extent
    look = (1.3, "dash") if fill else (1.8, "dot")
    border = segment(-side, side, colour, *look, layer="below")
    if not fill:
        return [border]
    far = 3.0 * extent * unit
    corners = [-side, side, side + far, -side + far]
    path = "M " + " L ".join(f"{x:.6g},{y:.6g}" for x, y in corners) + " Z"
    shade = {
        "type": "path",
        "path": path,
        "layer": "below",
        "fillcolor": faded(colour, 0.06),
        "line": {"width": 0},
    }
    return [shade, border]
