"""The picture of a cone in the plane, with the differences it was learned from."""

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture, joined, lines, marks, note
from rankcore.topics.cones.cone_figure import (
    PARTS,
    colours,
    half_plane,
    in_words,
    limits,
    probe_colour,
    simplex_corners,
    square,
    to_border,
    vector_name,
)
from rankcore.topics.cones.sight import DifferencePoints, VisibleCone, hull
from rankcore.topics.cones.trained import ConeState

# With more hollow marks than this, they hide each other.
MOST_HOLLOW = 100


def plane_figure(
    state: ConeState, parts: Collection[str] = PARTS, palette: Palette = LIGHT
) -> Picture:
    """Draw a cone of two features among the differences it was learned from.

    Parameters
    ----------
    state : ConeState
        Its z can be dragged.
    parts : collection of str
        The `PARTS` to draw.
    """
    points, view, svm = state.cone.points, state.view, state.svm
    cone_colour, svm_colour = colours(palette)
    ends = limits(np.vstack([points.z, view.basis.T]), state.z)
    extent = float(np.abs(ends).max())
    tip = 0.85 * to_border(view.direction, ends)[0]
    traces = [cone_area(view, extent, cone_colour)]
    if "simplex" in parts:
        traces.append(_simplex(state, palette))
    if "residuals" in parts:
        traces += _residuals(points, view, palette, cone_colour)
    traces += difference_marks(points, view, palette)
    traces += [generators(view, cone_colour), direction_arrow(tip, palette.ink)]
    traces += _probe(state, palette)
    figure = square(palette, state.scene.dataset.feature_names, ends)
    figure["annotations"] = [
        *vector_labels(view, palette.readable(cone_colour)),
        ray_label("a", tip, palette.ink),
        ray_label("z", state.z, palette.ink, shift=20),
    ]
    figure["shapes"] = []
    if "half-space" in parts:
        figure["shapes"] += half_plane(view.direction, extent, palette.ink, fill=True)
    if "RankSVM" in parts and svm is not None and svm.any():
        figure["shapes"] += half_plane(svm, extent, svm_colour)
        ink = palette.readable(svm_colour)
        figure["annotations"].append(ray_label("RankSVM", _edge(svm, ends), ink, -30))
    return Picture(traces, figure, in_words(view))


def cone_area(
    view: VisibleCone,
    extent: float,
    colour: str,
    apex: ArrayLike = (0.0, 0.0),
    name: str = "cone",
) -> dict[str, Any]:
    """Return the cone itself: the sector between its edges, or the whole plane.

    Parameters
    ----------
    extent : float
        Reach of the picture; below 0 for the negative of the cone.
    apex : (2,) float64
        The apex of the cone.
    name : str
        Name of the trace.
    """
    if len(view.sides) == 0 and view.opening > 1.5:
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    elif len(view.sides) == 1:
        normal = view.sides[0].normal
        along = np.array([-normal[1], normal[0]])
        corners = np.array([-along, along, along + normal, normal - along])
    else:
        rays = view.basis[:, view.rays]
        lengths = np.linalg.norm(rays, axis=0)
        tips = (rays / np.where(lengths, lengths, 1.0)).T * 10.0
        corners = np.vstack([np.zeros((1, 2)), tips, np.zeros((1, 2))])
    fill = faded(colour, 0.14)
    placed = corners * 3.0 * extent + np.asarray(apex)
    return _area(placed, name, colour, 2, fill)


def _simplex(state: ConeState, palette: Palette) -> dict[str, Any]:
    """Return the set of projections: the hull of the vectors at each allowed sum."""
    corners = simplex_corners(state)
    ring = hull(corners)
    fill = faded(palette.runs[2], 0.22)
    return _area(corners[[*ring, ring[0]]], "simplex", palette.runs[2], 3, fill)


def _area(
    corners: Floats, name: str, colour: str, width: float, fill: str
) -> dict[str, Any]:
    shape = lines(corners[:, 0], corners[:, 1], colour, width, name=name)
    return shape | {"fill": "toself", "fillcolor": fill}


def _residuals(
    points: DifferencePoints, view: VisibleCone, palette: Palette, colour: str
) -> list[dict[str, Any]]:
    """Lines from differences to projections, with hollow marks at the ends."""
    rebuilt = view.folds.projections.astype(np.float32)
    x, y = (joined(*ends) for ends in zip(points.z.T, rebuilt.T, strict=True))
    traces = [
        lines(
            x.astype(np.float32),
            y.astype(np.float32),
            faded(palette.secondary, 0.45),
            1,
            name="residuals",
        )
    ]
    if len(rebuilt) <= MOST_HOLLOW:
        hollow = {"symbol": "circle-open", "size": 5, "color": colour}
        traces.append(marks(rebuilt[:, 0], rebuilt[:, 1], hollow, name="projections"))
    return traces


def difference_marks(
    points: DifferencePoints, view: VisibleCone, palette: Palette
) -> list[dict[str, Any]]:
    """Pairs in order as discs, darker for larger gaps, and others as diamonds."""
    highest = max(points.gaps.max(initial=1).item(), 2)
    steps = math.ceil(highest)
    shades = [[gap / steps, palette.label(gap, steps)] for gap in range(steps + 1)]
    gaps = points.gaps[view.right]
    gaps = gaps.astype(np.int8 if gaps.dtype.kind == "i" else np.float32)
    scale = {"colorscale": shades, "cmin": 0, "cmax": highest}
    discs = {
        "size": 8,
        "color": gaps,
        **scale,
    }
    edge = {"line": {"color": palette.secondary, "width": 0.5}}
    diamonds = {"size": 8, "color": palette.runs[1], "symbol": "diamond"}
    traces = []
    for name, kind, marker, hover in (
        ("in order", view.right, discs, "in order, labels %{marker.color} apart"),
        ("out of order", ~view.right, diamonds, "out of order"),
    ):
        x, y = points.z[kind].T.astype(np.float32)
        traces.append(marks(x, y, marker | edge, hover, name=name))
    return traces


def generators(view: VisibleCone, colour: str) -> dict[str, Any]:
    """Return lines from the origin to the vectors, with squares at their ends."""
    x, y = (joined(np.zeros_like(row), row) for row in view.basis)
    tips = {
        "symbol": "square",
        "color": colour,
        "size": np.tile([0, 9, 0], view.basis.shape[1]),
    }
    hover = "vector (%{x:.3g}, %{y:.3g})"
    return lines(x, y, colour, 3, hover, name="generators") | {
        "mode": "lines+markers",
        "marker": tips,
    }


def direction_arrow(tip: Floats, colour: str) -> dict[str, Any]:
    """Return the scoring direction as an arrow from the origin."""
    x, y = tip
    hover, name = "scoring direction a", "direction"
    return lines([0.0, x], [0.0, y], colour, 2, hover, name=name) | {
        "mode": "lines+markers",
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 13],
            "color": colour,
        },
    }


def _probe(state: ConeState, palette: Palette) -> list[dict[str, Any]]:
    """Return the selected difference, which can be dragged, with its projection."""
    (x, y), rebuilt = state.z, state.folds.projections[0]
    hollow = {"symbol": "circle-open", "size": [0, 12], "color": palette.ink}
    disc = {"symbol": "circle", "size": 17, "color": probe_colour(palette)}
    return [
        lines(
            [x, rebuilt[0]],
            [y, rebuilt[1]],
            palette.ink,
            hover="rebuilt (%{x:.3g}, %{y:.3g})",
            name="residual of z",
        )
        | {"mode": "lines+markers", "marker": hollow | {"line": {"width": 2}}},
        marks(
            [x],
            [y],
            disc | {"line": {"color": palette.ink, "width": 2}},
            "z = (%{x:.3g}, %{y:.3g}), drag it",
            name="z",
            meta={"drag": "xy"},
        ),
    ]


def vector_labels(view: VisibleCone, colour: str) -> list[dict[str, Any]]:
    """Return the names of the vectors, beside them."""
    return [
        ray_label(vector_name(k), view.basis[:, k], colour)
        for k in range(view.basis.shape[1])
    ]


def ray_label(text: str, at: Floats, colour: str, shift: int = 17) -> dict[str, Any]:
    """Return text just beyond a point, seen from the origin, beside its ray."""
    x, y = map(float, at)
    turn = np.arctan2(y, x) + 0.7
    aside = {"xshift": shift * np.cos(turn), "yshift": shift * np.sin(turn)}
    return note(f"<b>{text}</b>", x, y, colour, 13, **aside)


def _edge(direction: Floats, ends: Floats) -> Floats:
    """Return the border of the picture perpendicular to a direction."""
    along = np.array([-direction[1], direction[0]])
    return to_border(along if along[1] > 0.0 else -along, ends)[0]
