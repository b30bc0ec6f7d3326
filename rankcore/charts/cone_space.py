"""Pictures of a cone in space.

Marks are circles, squares and diamonds only: WebGL draws the others as letters of a
font that may not be there. Names are annotations, which are ordinary text.
"""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, layout
from rankcore.charts.cone import (
    HEIGHT,
    PARTS,
    Colours,
    Probe,
    in_words,
    probe_colour,
    reach,
    simplex_corners,
    vector_name,
)
from rankcore.charts.palette import LIGHT, Palette, faded
from rankcore.insight.cone_view import Points, View, surface

Floats = NDArray[np.float64]

MOST_POINTS = 1500
# Far enough away that the names of the axes, below the cube, are in the picture.
CAMERA = {
    "eye": {"x": 1.36, "y": -1.47, "z": 0.7},
    "center": {"x": 0.0, "y": 0.0, "z": -0.13},
}
_AXES = ("x", "y", "z")
_PLANE_SHARE = 0.75


def space_figure(
    points: Points,
    view: View,
    probe: Probe,
    names: Sequence[str],
    colours: Colours,
    *,
    low: float = 1.0,
    high: float = 1.0,
    svm: Floats | None = None,
    parts: Collection[str] = PARTS,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a cone of three features among the differences it was learned from.

    The parameters are those of `rankcore.charts.cone.plane_figure`, with one dimension
    more. At most `MOST_POINTS` differences are drawn.
    """
    extent = reach(points, view, probe)
    shown = np.linspace(0, len(points.z) - 1, min(len(points.z), MOST_POINTS))
    rows = np.unique(shown.astype(np.int64))
    traces = cone_sides(view, extent, colours.cone)
    if "simplex" in parts:
        traces += _simplex(view, low, high, palette)
    if "half-space" in parts and view.direction.any():
        traces.append(_plane(view.direction, extent, palette.secondary, "half-space"))
    if "RankSVM" in parts and svm is not None and svm.any():
        traces.append(_border(svm, extent, colours.svm))
    if "residuals" in parts:
        traces += _residuals(
            points.z[rows], view.folds.projections[rows], palette, colours
        )
    traces += _differences(points, view, rows, palette)
    traces += generators(view.basis, colours.cone)
    tip = view.direction / (np.linalg.norm(view.direction) or 1.0) * 0.85 * extent
    traces.append(_arrow(tip, palette.ink))
    traces += _probe(probe, palette)
    labels = [
        *vector_labels(view.basis, palette.readable(colours.cone)),
        label("a", tip, palette.ink),
        label("z", probe.z, palette.ink),
    ]
    if "RankSVM" in parts and svm is not None and svm.any():
        corner = _square(svm, extent)[0]
        labels.append(label("RankSVM", corner, palette.readable(colours.svm)))
    return Picture(traces, box(palette, names, extent, labels), in_words(view))


def box(
    palette: Palette,
    names: Sequence[str],
    extent: float,
    labels: Sequence[dict[str, Any]],
    height: int = HEIGHT,
) -> dict[str, Any]:
    """The layout of a cube around the origin."""
    figure = layout(palette, "", "", height=height)
    del figure["xaxis"], figure["yaxis"]
    figure["dragmode"] = "orbit"
    figure["margin"] = {"l": 0, "r": 0, "t": 0, "b": 0}
    sides = {
        f"{axis}axis": {
            "title": {"text": escape(name), "font": {"size": 12}},
            "range": [-extent, extent],
            "nticks": 5,
            "showbackground": False,
            "gridcolor": palette.line,
            "zerolinecolor": palette.secondary,
            "color": palette.secondary,
            "showspikes": False,
        }
        for axis, name in zip(_AXES, names, strict=True)
    }
    figure["scene"] = {
        **sides,
        "aspectmode": "cube",
        "camera": CAMERA,
        "annotations": list(labels),
    }
    return figure


def cone_sides(view: View, extent: float, colour: str) -> list[dict[str, Any]]:
    """The sides of a cone as triangles; a flat cone is one triangle.

    Their edges go on where the vectors end.
    """
    spans = [side.rays for side in view.sides]
    if not spans and len(view.rays) == 2:
        spans = [(int(view.rays[0]), int(view.rays[1]))]
    if not spans:
        return []
    used = sorted({ray for span in spans for ray in span})
    rays = view.basis[:, used]
    tips = (rays / np.linalg.norm(rays, axis=0)).T * extent
    corners = np.vstack([np.zeros((1, 3)), tips])
    place = {ray: number + 1 for number, ray in enumerate(used)}
    return [
        {
            **_at(corners, "mesh3d", "cone"),
            "i": [0] * len(spans),
            "j": [place[first] for first, _ in spans],
            "k": [place[second] for _, second in spans],
            "color": colour,
            "opacity": 0.22,
            "flatshading": True,
            "hoverinfo": "skip",
        },
        _lines(rays.T, tips, "edges", faded(colour, 0.6), 3),
    ]


def generators(basis: Floats, colour: str) -> list[dict[str, Any]]:
    """Lines from the origin to the vectors, with squares at their ends."""
    tips = basis.T
    return [
        _lines(np.zeros_like(tips), tips, "generator lines", colour, 6),
        {
            **_at(tips, "scatter3d", "generators"),
            "mode": "markers",
            "marker": {"symbol": "square", "size": 6, "color": colour},
            "hovertemplate": "vector (%{x:.3f}, %{y:.3f}, %{z:.3f})<extra></extra>",
        },
    ]


def vector_labels(basis: Floats, colour: str) -> list[dict[str, Any]]:
    """The vectors' names."""
    return [label(vector_name(k), basis[:, k], colour) for k in range(basis.shape[1])]


def label(text: str, at: Floats, colour: str) -> dict[str, Any]:
    """Text a little above a point."""
    return {
        "text": f"<b>{text}</b>",
        **dict(zip(_AXES, map(float, at), strict=True)),
        "showarrow": False,
        "yshift": 13,
        "font": {"color": colour, "size": 13},
    }


def dots(
    at: Floats, name: str, colour: Any, symbol: str = "circle", size: float = 3.5
) -> dict[str, Any]:
    """Points in space."""
    return {
        **_at(at, "scatter3d", name),
        "mode": "markers",
        "marker": {"symbol": symbol, "size": size, "color": colour},
        "hovertemplate": f"{name}<extra></extra>",
    }


def _differences(
    points: Points, view: View, rows: NDArray[np.int64], palette: Palette
) -> list[dict[str, Any]]:
    highest = max(int(points.gaps.max()) if len(points.gaps) else 1, 2)
    right, wrong = rows[view.right[rows]], rows[~view.right[rows]]
    shades = [palette.label(int(gap), highest) for gap in points.gaps[right]]
    return [
        dots(points.z[right], "in order", shades),
        dots(points.z[wrong], "out of order", palette.runs[1], "diamond"),
    ]


def _residuals(
    z: Floats, rebuilt: Floats, palette: Palette, colours: Colours
) -> list[dict[str, Any]]:
    hollow = dots(rebuilt, "projections", colours.cone, size=2)
    hollow["hoverinfo"] = "skip"
    del hollow["hovertemplate"]
    return [_lines(z, rebuilt, "residuals", faded(palette.secondary, 0.5), 1), hollow]


def _simplex(
    view: View, low: float, high: float, palette: Palette
) -> list[dict[str, Any]]:
    """The hull of the vectors at each sum of weights allowed: always a surface and its
    edges, even if there is little to see of one, as a redraw is quick that way."""
    corners = simplex_corners(view, low, high)
    colour = palette.runs[2]
    triangles, edges = surface(corners)
    numbers = triangles if len(triangles) else np.zeros((1, 3), dtype=np.int64)
    begins, ends = corners[edges.T]
    shown = _lines(begins, ends, "simplex edges", colour, 4)
    if (corners == corners[0]).all():
        shown |= {"mode": "markers", "marker": {"size": 7, "color": colour}}
    mesh = {
        **_at(corners, "mesh3d", "simplex"),
        **dict(zip("ijk", numbers.T.astype(np.int32), strict=True)),
        "color": colour,
        "opacity": 0.2,
        "flatshading": True,
        "hoverinfo": "skip",
    }
    return [mesh, shown]


def _plane(direction: Floats, extent: float, colour: str, name: str) -> dict[str, Any]:
    """The plane at right angles to a direction."""
    return {
        **_at(_square(direction, extent), "mesh3d", name),
        "i": [0, 0],
        "j": [1, 2],
        "k": [2, 3],
        "color": colour,
        "opacity": 0.16,
        "hoverinfo": "skip",
    }


def _border(direction: Floats, extent: float, colour: str) -> dict[str, Any]:
    """The border of the plane at right angles to a direction."""
    corners = _square(direction, extent)
    return _lines(corners, np.roll(corners, -1, axis=0), "RankSVM", colour, 6)


def _square(direction: Floats, extent: float) -> Floats:
    across = np.linalg.svd(direction[None])[2][1:] * _PLANE_SHARE * extent
    one, other = across
    return np.stack([one + other, one - other, -one - other, other - one])


def _arrow(tip: Floats, colour: str) -> dict[str, Any]:
    line = _lines(np.zeros((1, 3)), tip[None], "direction", colour, 5)
    return line | {
        "mode": "lines+markers",
        "marker": {"symbol": "diamond", "size": [0, 7, 0], "color": colour},
    }


def _probe(probe: Probe, palette: Palette) -> list[dict[str, Any]]:
    rebuilt = probe.folds.projections[0]
    colour = probe_colour(palette)
    return [
        _lines(probe.z[None], rebuilt[None], "residual of z", palette.ink, 5),
        dots(rebuilt[None], "rebuilt z", palette.ink, size=5),
        dots(probe.z[None], "z", colour, size=9) | {"meta": {"drag": "xyz"}},
    ]


def _lines(
    begins: Floats, ends: Floats, name: str, colour: str, width: float
) -> dict[str, Any]:
    gap = np.full_like(begins, np.nan)
    joined = np.stack([begins, ends, gap], axis=1).reshape(-1, 3)
    return {
        **_at(joined, "scatter3d", name),
        "mode": "lines",
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def _at(points: Floats, kind: str, name: str) -> dict[str, Any]:
    packed = np.asarray(points, dtype=np.float32).T
    return {"type": kind, "name": name, **dict(zip(_AXES, packed, strict=True))}
