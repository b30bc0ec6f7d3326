"""Pictures of a cone in space.

Marks are only circles, squares and diamonds, as WebGL draws others as letters of a font
that may be missing. Names are annotations, which are ordinary text.
"""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.plot.palette import LIGHT, Palette, faded, mix
from rankcore.plot.style import Picture, layout, separate_labels
from rankcore.topics.cones.cone_figure import (
    HEIGHT,
    PARTS,
    colours,
    in_words,
    limits,
    probe_colour,
    simplex_corners,
    to_border,
    vector_name,
)
from rankcore.topics.cones.sight import (
    DifferencePoints,
    VisibleCone,
    box_slice,
    surface,
)
from rankcore.topics.cones.trained import ConeState

MOST_POINTS = 1500
# Distance at which the axes' names, below the cube, are in the picture.
CAMERA = {
    "eye": {"x": 1.36, "y": -1.47, "z": 0.7},
    "center": {"x": 0.0, "y": 0.0, "z": -0.1},
}
# Vertical angle of view of Plotly's camera.
ANGLE = np.pi / 4.0
CHARACTER_WIDTH, LABEL_HEIGHT = 9.0, 22.0
_AXES = ("x", "y", "z")
# Opacity of the furthest marks, and sizes of far and near marks.
_FADED, _SIZES = 0.45, (4.5, 8.5)


def space_figure(
    state: ConeState, parts: Collection[str] = PARTS, palette: Palette = LIGHT
) -> Picture:
    """Draw a cone of three features with the differences it was learned from.

    The parameters are those of `plane_figure`, with one dimension more. At most
    `MOST_POINTS` differences are drawn.
    """
    points, view, svm = state.cone.points, state.view, state.svm
    cone_colour, svm_colour = colours(palette)
    ends = limits(np.vstack([points.z, view.basis.T]), state.z)
    shown = np.linspace(0, len(points.z) - 1, min(len(points.z), MOST_POINTS))
    rows = np.unique(shown.astype(np.int64))
    tip = 0.8 * to_border(view.direction, ends)[0]
    traces = cone_sides(view, ends, cone_colour)
    if "simplex" in parts:
        traces += _simplex(state, palette)
    if "half-space" in parts and view.direction.any():
        traces += _plane(box_slice(view.direction, ends), palette)
    if "residuals" in parts:
        rebuilt = view.folds.projections[rows]
        traces += _residuals(points.z[rows], rebuilt, palette, cone_colour)
    traces += _differences(points, view, rows, palette)
    traces += [*generators(view.basis, cone_colour), _arrow(tip, palette.ink)]
    traces += _probe(state, palette)
    labels = [
        *vector_labels(view.basis, cone_colour, palette),
        label("a", tip, palette.ink, palette),
        label("z", state.z, palette.ink, palette),
    ]
    if "RankSVM" in parts and svm is not None and svm.any():
        corners = box_slice(svm, ends)
        traces.append(_ring(corners, "RankSVM", svm_colour, 6))
        labels.append(label("RankSVM", corners[0], svm_colour, palette))
    figure = box(palette, state.scene.dataset.feature_names, ends, labels)
    return Picture(traces, figure, in_words(view))


def box(
    palette: Palette,
    names: Sequence[str],
    ends: Floats,
    labels: Sequence[dict[str, Any]],
    height: int = HEIGHT,
) -> dict[str, Any]:
    """Return the layout of a box with these limits, the same scale on all axes."""
    figure = layout(palette, "", "", height=height)
    del figure["xaxis"], figure["yaxis"]
    figure["dragmode"] = "orbit"
    figure["margin"] = {"l": 0, "r": 0, "t": 0, "b": 0}
    sides = {
        f"{axis}axis": {
            "title": {"text": escape(name), "font": {"size": 12}},
            "range": [float(low), float(high)],
            "tickvals": inner_ticks(low, high),
            "showbackground": False,
            "gridcolor": palette.line,
            "zerolinecolor": palette.secondary,
            "color": palette.secondary,
            "showspikes": False,
        }
        for axis, name, (low, high) in zip(_AXES, names, ends, strict=True)
    }
    spans = np.ptp(ends, axis=1)
    # As large as a unit cube, so that the camera sees all of it.
    shares = spans / np.linalg.norm(spans) * np.sqrt(3.0)
    figure["scene"] = {
        **sides,
        "aspectmode": "manual",
        "aspectratio": dict(zip(_AXES, shares.tolist(), strict=True)),
        "camera": CAMERA,
        "annotations": _apart(labels, ends, shares, height),
    }
    return figure


def _apart(
    labels: Sequence[dict[str, Any]], ends: Floats, shares: Floats, height: int
) -> list[dict[str, Any]]:
    """Return labels moved up or down if they would hide each other from the initial
    camera, in a box with sides of these ``shares``."""
    at = np.array([[one[axis] for axis in _AXES] for one in labels]).reshape(-1, 3)
    x, y = _pixels((at - ends.mean(axis=1)) / np.ptp(ends, axis=1) * shares, height)
    widths = np.array([CHARACTER_WIDTH * len(one["text"][3:-4]) for one in labels])
    order = np.argsort(x, kind="stable")
    reached = np.maximum.accumulate((x + widths)[order])
    groups = np.split(order, np.flatnonzero(x[order][1:] > reached[:-1]) + 1)
    moves = np.zeros(len(labels))
    for group in groups:
        moves[group] = (
            separate_labels(y[group], np.full(len(group), LABEL_HEIGHT)) - y[group]
        )
    return [
        one | {"yshift": one["yshift"] + float(move)}
        for one, move in zip(labels, moves, strict=True)
    ]


def _pixels(at: Floats, height: int) -> tuple[Floats, Floats]:
    """Points (n, 3) in the initial camera's pixels, to the right and up."""
    eye, centre = (np.array([*CAMERA[name].values()]) for name in ("eye", "center"))
    ahead = (centre - eye) / np.linalg.norm(centre - eye)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    far = (at - eye) @ ahead
    scale = 0.5 * height / np.tan(ANGLE / 2.0) / far
    return (at - eye) @ right * scale, (at - eye) @ np.cross(right, ahead) * scale


def inner_ticks(low: float, high: float) -> list[float]:
    """Return round numbers of a range, not near its ends, where labels of two axes
    would overlap."""
    near = 0.15 * (high - low)
    apart = (0.5 * (high - low) - near) * (1.0 + 1e-9)
    power = 10.0 ** np.floor(np.log10(apart))
    step = max(n * power for n in (1.0, 2.0, 5.0) if n * power <= apart)
    first, last = np.ceil((low + near) / step), np.floor((high - near) / step)
    return (np.arange(first, last + 1.0) * step + 0.0).tolist()


def cone_sides(view: VisibleCone, ends: Floats, colour: str) -> list[dict[str, Any]]:
    """Return the sides of a cone as triangles; a flat cone is one triangle.

    Their edges extend beyond the vectors to the border.
    """
    spans = [side.rays for side in view.sides]
    if not spans and len(view.rays) == 2:
        spans = [(int(view.rays[0]), int(view.rays[1]))]
    if not spans:
        return []
    in_spans = sorted({ray for span in spans for ray in span})
    rays = view.basis[:, in_spans]
    tips = to_border(rays.T, ends)
    corners = np.vstack([np.zeros((1, 3)), tips])
    place = {ray: number + 1 for number, ray in enumerate(in_spans)}
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
    """Return lines from the origin to the vectors, with squares at their ends."""
    tips = basis.T
    return [
        _lines(np.zeros_like(tips), tips, "generator lines", colour, 6),
        {
            **_at(tips, "scatter3d", "generators"),
            "mode": "markers",
            "marker": {"symbol": "square", "size": 6, "color": colour},
            "hovertemplate": "vector (%{x:.3g}, %{y:.3g}, %{z:.3g})<extra></extra>",
        },
    ]


def vector_labels(basis: Floats, colour: str, palette: Palette) -> list[dict[str, Any]]:
    """Return the vectors' names."""
    return [
        label(vector_name(k), vector, colour, palette)
        for k, vector in enumerate(basis.T)
    ]


def label(text: str, at: Floats, colour: str, palette: Palette) -> dict[str, Any]:
    """Text to the right of a point, on its own background."""
    return {
        "text": f"<b>{text}</b>",
        **dict(zip(_AXES, map(float, at), strict=True)),
        "showarrow": False,
        "xanchor": "left",
        "xshift": 9,
        "yshift": 10,
        "bgcolor": faded(palette.background, 0.7),
        "borderpad": 1,
        "font": {"color": palette.readable(colour), "size": 13},
    }


def dots(
    at: Floats, name: str, colour: Any, symbol: str = "circle", size: Any = 4
) -> dict[str, Any]:
    """Points in space."""
    return {
        **_at(at, "scatter3d", name),
        "mode": "markers",
        "marker": {"symbol": symbol, "size": size, "color": colour},
        "hovertemplate": f"{name}<extra></extra>",
    }


def depths(at: Floats) -> Floats:
    """Nearness (n,) of points to the initial camera, 0 to 1."""
    near = at @ np.array([CAMERA["eye"][axis] for axis in _AXES])
    return (near - near.min(initial=np.inf)) / max(float(np.ptp(near)), 1e-9)


def _differences(
    points: DifferencePoints,
    view: VisibleCone,
    rows: Integers,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Return discs and diamonds, larger and more opaque if nearer."""
    highest = max(points.gaps.max(initial=1).item(), 2)
    near = depths(points.z[rows])
    sizes = np.interp(near, (0.0, 1.0), _SIZES).round(1)
    shades = [
        mix(
            palette.label(gap, highest) if right else palette.runs[1],
            palette.background,
            _FADED * (1.0 - depth),
        )
        for gap, right, depth in zip(
            points.gaps[rows], view.right[rows], near, strict=True
        )
    ]
    traces = []
    for name, symbol, kind in (
        ("in order", "circle", view.right[rows]),
        ("out of order", "diamond", ~view.right[rows]),
    ):
        colours = [shade for shade, one in zip(shades, kind, strict=True) if one]
        marks = dots(points.z[rows[kind]], name, colours, symbol, sizes[kind])
        marks["marker"]["line"] = {"color": palette.secondary, "width": 0.5}
        traces.append(marks)
    return traces


def _residuals(
    z: Floats, rebuilt: Floats, palette: Palette, colour: str
) -> list[dict[str, Any]]:
    hollow = dots(rebuilt, "projections", colour, size=2)
    hollow["hoverinfo"] = "skip"
    del hollow["hovertemplate"]
    return [_lines(z, rebuilt, "residuals", faded(palette.secondary, 0.5), 1), hollow]


def _simplex(state: ConeState, palette: Palette) -> list[dict[str, Any]]:
    """Return the hull of the vectors at each allowed sum of weights: always a surface
    and its edges, even if hardly visible, because that makes redraws fast."""
    corners = simplex_corners(state)
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


def _plane(corners: Floats, palette: Palette) -> list[dict[str, Any]]:
    """Return the border of the half-space within the picture."""
    fan = np.arange(1, len(corners) - 1)
    mesh = {
        **_at(corners, "mesh3d", "half-space"),
        "i": np.zeros_like(fan).astype(np.int32),
        "j": fan.astype(np.int32),
        "k": (fan + 1).astype(np.int32),
        "color": palette.primary,
        "opacity": 0.2,
        "flatshading": True,
        "hoverinfo": "skip",
    }
    edge = _ring(corners, "half-space border", faded(palette.primary, 0.8), 3)
    return [mesh, edge]


def _ring(corners: Floats, name: str, colour: str, width: float) -> dict[str, Any]:
    """Return a closed line through corners."""
    return _lines(corners, np.roll(corners, -1, axis=0), name, colour, width)


def _arrow(tip: Floats, colour: str) -> dict[str, Any]:
    line = _lines(np.zeros((1, 3)), tip[None], "direction", colour, 5)
    return line | {
        "mode": "lines+markers",
        "marker": {"symbol": "diamond", "size": [0, 7, 0], "color": colour},
    }


def _probe(state: ConeState, palette: Palette) -> list[dict[str, Any]]:
    z, rebuilt = state.z[None], state.folds.projections[:1]
    return [
        _lines(z, rebuilt, "residual of z", palette.ink, 5),
        dots(rebuilt, "rebuilt z", palette.ink, size=5),
        dots(z, "z", probe_colour(palette), size=9) | {"meta": {"drag": "xyz"}},
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
