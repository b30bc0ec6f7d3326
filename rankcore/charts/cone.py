"""Names, colours and ranges that all pictures of cones share."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import layout
from rankcore.charts.numbers import subscript
from rankcore.charts.palette import Palette, algorithm_style, faded
from rankcore.insight.cone import Folds
from rankcore.insight.cone_view import Points, View, simplex

Floats = NDArray[np.float64]

PARTS = ("residuals", "simplex", "half-space", "RankSVM")
HEIGHT = 520


class Probe(NamedTuple):
    """The selected difference.

    Attributes
    ----------
    z : (d,) float64
    folds : Folds
        It alone, folded in.
    """

    z: Floats
    folds: Folds


class Colours(NamedTuple):
    """The colours, as ``#rrggbb``, of the two algorithms in the picture."""

    cone: str
    svm: str


def colours(palette: Palette) -> Colours:
    """Those of ConeRank and RankSVM, or another where both have the same one."""
    cone, svm = (algorithm_style(name, palette)[0] for name in ("ConeRank", "RankSVM"))
    return Colours(cone, svm if svm != cone else palette.runs[3])


def vector_name(k: int) -> str:
    """Name of the vector number ``k``, from 0: u₁ …."""
    return f"u{subscript(k + 1)}"


def probe_colour(palette: Palette) -> str:
    """The colour of points that can be dragged."""
    return palette.runs[4 if palette.kind == "light" else 1]


def reach(points: Points, view: View, probe: Probe) -> float:
    """How far from the origin a picture has to reach."""
    lengths = np.linalg.norm(points.z, axis=1)
    largest = max(
        float(np.quantile(lengths, 0.995)) if len(lengths) else 1.0,
        float(np.linalg.norm(view.basis, axis=0).max()),
    )
    return room(1.15 * max(largest, 0.1), probe.z)


def room(usual: float, *points: Floats) -> float:
    """The ``usual`` reach, or more where points lie beyond it.

    One that is dragged to the border stays on it, and the picture as large as it is.
    """
    return max(usual, *(float(np.abs(at).max()) for at in points))


def in_words(view: View) -> str:
    """The text alternative of a picture of a cone among differences."""
    return (
        f"A cone of {view.basis.shape[1]} vectors contains {view.inside.mean():.0%} of "
        f"the differences; its direction ranks {view.right.mean():.0%} of the pairs "
        "correctly."
    )


def drawn_order(view: View) -> NDArray[np.int64]:
    """Which difference each point stands for: pairs out of order lie on top."""
    return np.argsort(~view.right, kind="stable")


def difference_at(view: View, trace: str, place: int) -> int | None:
    """Which difference a point of a picture stands for; None if it is none.

    Parameters
    ----------
    view : View
    trace : str
        The trace's name.
    place : int
        The point's number in it, from 0.
    """
    rows = {
        "differences": drawn_order(view),
        "in order": np.flatnonzero(view.right),
        "out of order": np.flatnonzero(~view.right),
    }.get(trace, np.empty(0, np.int64))
    return int(rows[place]) if 0 <= place < len(rows) else None


def simplex_corners(view: View, low: float, high: float) -> Floats:
    """The vectors (n, d) at both sums of weights allowed, where a largest one is."""
    top = high if np.isfinite(high) else low
    return np.vstack([simplex(view.basis, total) for total in sorted({low, top})])


def square(palette: Palette, names: Sequence[str], extent: float) -> dict[str, Any]:
    """The layout of a plane around the origin, the same scale on both axes."""
    figure = layout(palette, escape(names[0]), escape(names[1]), height=HEIGHT)
    figure["xaxis"] |= {"showgrid": True, "range": [-extent, extent]}
    figure["yaxis"] |= {
        "range": [-extent, extent],
        "scaleanchor": "x",
        "constrain": "domain",
    }
    for name in ("xaxis", "yaxis"):
        figure[name] |= {"zeroline": True, "zerolinecolor": palette.secondary}
    figure["xaxis"]["constrain"] = "domain"
    figure["hovermode"] = "closest"
    return figure


def half_plane(
    direction: Floats, extent: float, colour: str, fill: bool = False
) -> list[dict[str, Any]]:
    """The line at right angles to a direction and, if asked, the side it points to."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return []
    unit = direction / length
    side = np.array([-unit[1], unit[0]]) * 3.0 * extent
    border = {
        "type": "line",
        "layer": "below",
        "line": {"color": colour, "width": 1.3, "dash": "dash"},
        **dict(zip(("x0", "y0", "x1", "y1"), [*-side, *side], strict=True)),
    }
    if not fill:
        return [border | {"line": {"color": colour, "width": 1.8, "dash": "dot"}}]
    far = 3.0 * extent * unit
    corners = [-side, side, side + far, -side + far]
    path = "M " + " L ".join(f"{x:.6g},{y:.6g}" for x, y in corners) + " Z"
    shade = {
        "type": "path",
        "path": path,
        "layer": "below",
        "fillcolor": faded(colour, 0.05),
        "line": {"width": 0},
    }
    return [shade, border]
