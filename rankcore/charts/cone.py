"""Pictures of a cone in the plane, of one difference's weights, and of its training."""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, axis, layout
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.cone import Folds
from rankcore.insight.cone_view import Pass, Points, View, hull, simplex

Floats = NDArray[np.float64]

PARTS = ("residuals", "simplex", "half-space", "RankSVM")
HEIGHT = 520
WEIGHTS_HEIGHT = 230
TRAINING_HEIGHT = 190
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Probe(NamedTuple):
    """The difference one looks at.

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


def vector_name(k: int) -> str:
    """What the vector number ``k``, from 0, is called: u₁ …."""
    return "u" + str(k + 1).translate(_SUBSCRIPTS)


def probe_colour(palette: Palette) -> str:
    """The colour of what a visitor moves."""
    return palette.runs[4 if palette.kind == "light" else 1]


def faded(colour: str, share: float) -> str:
    """A colour ``#rrggbb``, seen through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"


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


def plane_picture(
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
    """Draw a cone of two features among the differences it was learned from.

    Parameters
    ----------
    points : Points
        With z of shape (m, 2).
    view : View
        From `rankcore.insight.cone_view.look`, for the same differences.
    probe : Probe
        It can be dragged.
    names : sequence of 2 str
        Of the axes.
    colours : Colours
    low, high : float
        Limits of the sum of weights.
    svm : (2,) float64, optional
        RankSVM's direction.
    parts : collection of str
        Which of `PARTS` to draw.
    palette : Palette
    """
    extent = reach(points, view, probe)
    traces = [_cone(view, extent, colours.cone)]
    if "simplex" in parts:
        traces += _simplex(view, low, high, palette)
    if "residuals" in parts:
        traces += _residuals(points, view, palette, colours.cone)
    traces += _differences(points, view, palette)
    traces += _generators(view, colours.cone)
    traces.append(_direction(view.direction, extent, palette.ink))
    traces += _probe(probe, palette)
    figure = square(palette, names, extent)
    figure["annotations"] = [
        *_vector_labels(view, palette.readable(colours.cone)),
        _label("a", np.array(_tip(view.direction, extent)), palette.ink),
        _label("z", probe.z, palette.ink, shift=20),
    ]
    figure["shapes"] = []
    if "half-space" in parts:
        figure["shapes"] += half_plane(view.direction, extent, palette.ink, fill=True)
    if "RankSVM" in parts and svm is not None and svm.any():
        figure["shapes"] += half_plane(svm, extent, colours.svm)
        ink = palette.readable(colours.svm)
        figure["annotations"].append(_label("RankSVM", _edge(svm, extent), ink))
    return Picture(traces, figure)


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


def weights_picture(
    weights: Floats, free: Floats, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the folding-in weights of one difference, one bar a vector.

    Parameters
    ----------
    weights : (K,) float64
        A weight of zero is a hollow mark.
    free : (K,) float64
        The weights without constraints, whose sum votes; drawn as lines.
    colour : str
    palette : Palette
    """
    names = [vector_name(k) for k in range(len(weights))]
    zero = weights <= 1e-12
    texts = ["0" if none else f"{w:.3f}" for w, none in zip(weights, zero, strict=True)]
    bars = {
        "type": "bar",
        "x": names,
        "y": np.where(zero, 0.0, weights),
        "text": texts,
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": colour},
        "hovertemplate": "%{x}: weight %{y:.4f}<extra></extra>",
    }
    hollow = {
        "type": "scatter",
        "mode": "markers",
        "x": [name for name, none in zip(names, zero, strict=True) if none],
        "y": np.zeros(int(zero.sum())),
        "marker": {
            "symbol": "circle-open",
            "size": 9,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
        "hoverinfo": "skip",
    }
    votes = {
        "type": "scatter",
        "mode": "markers",
        "x": names,
        "y": free,
        "marker": {
            "symbol": "line-ew-open",
            "size": 26,
            "color": palette.ink,
            "line": {"width": 2, "color": palette.ink},
        },
        "hovertemplate": "%{x}: without constraints %{y:.4f}<extra></extra>",
    }
    figure = layout(palette, "", "weight", height=WEIGHTS_HEIGHT)
    figure["xaxis"]["type"] = "category"
    span = [
        min(0.0, float(free.min())),
        max(1e-3, float(max(free.max(), weights.max()))),
    ]
    pad = 0.18 * (span[1] - span[0])
    figure["yaxis"] |= {
        "range": [span[0] - (pad if span[0] else 0.0), span[1] + pad],
        "zeroline": True,
        "zerolinecolor": palette.secondary,
    }
    return Picture([bars, hollow, votes], figure)


def training_picture(
    passes: Sequence[Pass],
    right: Floats,
    at: int,
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a training: the share of pairs in order above, the objective below.

    Parameters
    ----------
    passes : sequence of n Pass
    right : (n,) float64
        Share of pairs that each pass' direction puts in order.
    at : int
        The pass one looks at.
    colour : str
    palette : Palette
    """
    number = np.arange(len(passes))
    objective = np.array([one.objective for one in passes])
    shared = {"type": "scatter", "mode": "lines+markers", "x": number}
    look = {"line": {"color": colour, "width": 2}, "marker": {"color": colour}}
    traces: list[dict[str, Any]] = [
        {
            **shared,
            **look,
            "name": "in order",
            "y": right,
            "marker": {"color": colour, "size": _sizes(at, len(passes))},
            "hovertemplate": "pass %{x}: %{y:.1%} in order<extra></extra>",
        },
        {
            **shared,
            "name": "objective",
            "y": objective,
            "yaxis": "y2",
            "line": {"color": palette.secondary, "width": 2},
            "marker": {"color": palette.secondary, "size": _sizes(at, len(passes))},
            "hovertemplate": "pass %{x}: objective %{y:.4g}<extra></extra>",
        },
    ]
    figure = layout(palette, "pass", "in order", height=TRAINING_HEIGHT)
    figure["xaxis"] |= {"anchor": "y2"}
    figure["yaxis"] |= {"domain": [0.56, 1.0], "tickformat": ".0%", "nticks": 4}
    figure["yaxis2"] = axis(palette, "objective") | {
        "domain": [0.0, 0.44],
        "rangemode": "tozero",
        "nticks": 4,
    }
    return Picture(traces, figure)


def _sizes(at: int, count: int) -> NDArray[np.int64]:
    return np.where(np.arange(count) == at, 11, 4)


def _cone(view: View, extent: float, colour: str) -> dict[str, Any]:
    """The cone itself: the sector between its edges, or all if it has none."""
    if len(view.sides) == 0 and view.opening > 1.5:
        corners = extent * 3.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    elif len(view.sides) == 1:
        normal = view.sides[0].normal
        along = np.array([-normal[1], normal[0]])
        corners = (
            extent * 3.0 * np.array([-along, along, along + normal, normal - along])
        )
    else:
        rays = view.basis[:, view.rays]
        lengths = np.linalg.norm(rays, axis=0)
        tips = (rays / np.where(lengths, lengths, 1.0)).T * 30.0 * extent
        corners = np.vstack([np.zeros((1, 2)), tips, np.zeros((1, 2))])
    return {
        "type": "scatter",
        "name": "cone",
        "mode": "lines",
        "x": corners[:, 0],
        "y": corners[:, 1],
        "fill": "toself",
        "fillcolor": faded(colour, 0.14),
        "line": {"color": colour, "width": 2},
        "hoverinfo": "skip",
    }


def _simplex(
    view: View, low: float, high: float, palette: Palette
) -> list[dict[str, Any]]:
    """Where a difference is rebuilt to: the hull of the vectors at each sum allowed."""
    top = high if np.isfinite(high) else low
    corners = np.vstack([simplex(view.basis, total) for total in {low, top}])
    ring = hull(corners)
    closed = corners[[*ring, ring[0]]]
    return [
        {
            "type": "scatter",
            "name": "simplex",
            "mode": "lines",
            "x": closed[:, 0],
            "y": closed[:, 1],
            "fill": "toself",
            "fillcolor": faded(palette.runs[2], 0.22),
            "line": {"color": palette.runs[2], "width": 3},
            "hoverinfo": "skip",
        }
    ]


def _residuals(
    points: Points, view: View, palette: Palette, colour: str
) -> list[dict[str, Any]]:
    """Lines from the differences to what rebuilds them, hollow marks at the ends."""
    rebuilt = view.folds.projections
    gap = np.full_like(points.z, np.nan)
    ends = np.stack([points.z, rebuilt, gap], axis=1).reshape(-1, 2).astype(np.float32)
    return [
        {
            "type": "scatter",
            "name": "residuals",
            "mode": "lines",
            "x": ends[:, 0],
            "y": ends[:, 1],
            "line": {"color": faded(palette.secondary, 0.45), "width": 1},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "name": "projections",
            "mode": "markers",
            "x": rebuilt[:, 0].astype(np.float32),
            "y": rebuilt[:, 1].astype(np.float32),
            "marker": {
                "symbol": "circle-open",
                "size": 5,
                "color": colour,
                "line": {"width": 1},
            },
            "hoverinfo": "skip",
        },
    ]


def _differences(points: Points, view: View, palette: Palette) -> list[dict[str, Any]]:
    """Pairs in order as discs, darker for larger gaps; others as orange diamonds."""
    highest = max(int(points.gaps.max()) if len(points.gaps) else 1, 2)
    colours = np.array([palette.label(int(gap), highest) for gap in points.gaps])
    traces = []
    for name, chosen, symbol in (
        ("in order", view.right, "circle"),
        ("out of order", ~view.right, "diamond"),
    ):
        colour = colours[chosen].tolist() if symbol == "circle" else palette.runs[1]
        traces.append(
            {
                "type": "scatter",
                "name": name,
                "mode": "markers",
                "x": points.z[chosen, 0].astype(np.float32),
                "y": points.z[chosen, 1].astype(np.float32),
                "customdata": points.gaps[chosen],
                "marker": {
                    "symbol": symbol,
                    "size": 7,
                    "color": colour,
                    "line": {"color": palette.secondary, "width": 0.5},
                },
                "hovertemplate": f"{name}, labels %{{customdata}} apart<extra></extra>",
            }
        )
    return traces


def _generators(view: View, colour: str) -> list[dict[str, Any]]:
    gap = np.full(view.basis.shape[1], np.nan)
    zero = np.zeros_like(gap)
    x, y = (np.stack([zero, row, gap], axis=1).ravel() for row in view.basis)
    return [
        {
            "type": "scatter",
            "name": "generators",
            "mode": "lines+markers",
            "x": x,
            "y": y,
            "line": {"color": colour, "width": 3},
            "marker": {
                "symbol": "square",
                "color": colour,
                "size": np.tile([0, 9, 0], len(gap)),
            },
            "hovertemplate": "vector (%{x:.3f}, %{y:.3f})<extra></extra>",
        }
    ]


def _direction(direction: Floats, extent: float, colour: str) -> dict[str, Any]:
    x, y = _tip(direction, extent)
    return {
        "type": "scatter",
        "name": "direction",
        "mode": "lines+markers",
        "x": [0.0, x],
        "y": [0.0, y],
        "line": {"color": colour, "width": 2},
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 13],
            "color": colour,
        },
        "hovertemplate": "scoring direction a<extra></extra>",
    }


def _probe(probe: Probe, palette: Palette) -> list[dict[str, Any]]:
    """The difference one looks at, with its projection; it can be dragged."""
    rebuilt = probe.folds.projections[0]
    return [
        {
            "type": "scatter",
            "name": "residual of z",
            "mode": "lines+markers",
            "x": [probe.z[0], rebuilt[0]],
            "y": [probe.z[1], rebuilt[1]],
            "line": {"color": palette.ink, "width": 2},
            "marker": {
                "symbol": "circle-open",
                "size": [0, 12],
                "color": palette.ink,
                "line": {"width": 2},
            },
            "hovertemplate": "rebuilt (%{x:.3f}, %{y:.3f})<extra></extra>",
        },
        {
            "type": "scatter",
            "name": "z",
            "mode": "markers",
            "x": [probe.z[0]],
            "y": [probe.z[1]],
            "meta": {"drag": "xy"},
            "marker": {
                "symbol": "circle",
                "size": 17,
                "color": probe_colour(palette),
                "line": {"color": palette.ink, "width": 2},
            },
            "hovertemplate": "z = (%{x:.3f}, %{y:.3f}), drag it<extra></extra>",
        },
    ]


def _vector_labels(view: View, colour: str) -> list[dict[str, Any]]:
    return [
        _label(vector_name(k), view.basis[:, k], colour)
        for k in range(view.basis.shape[1])
    ]


def _label(text: str, at: Floats, colour: str, shift: int = 17) -> dict[str, Any]:
    """Text just beyond a point, as seen from the origin."""
    x, y = map(float, at)
    length = float(np.hypot(x, y)) or 1.0
    return {
        "text": f"<b>{text}</b>",
        "x": x,
        "y": y,
        "xshift": shift * x / length,
        "yshift": shift * y / length,
        "showarrow": False,
        "font": {"color": colour, "size": 13},
    }


def _tip(direction: Floats, extent: float) -> tuple[float, float]:
    """Where the arrow of a direction ends, nearly at the border."""
    length = float(np.linalg.norm(direction)) or 1.0
    x, y = direction / length * 0.78 * extent
    return float(x), float(y)


def _edge(direction: Floats, extent: float) -> Floats:
    """A place near the border on the line at right angles to a direction."""
    along = np.array([-direction[1], direction[0]])
    along = along if along[1] > 0.0 else -along
    return along / max(float(np.abs(along).max()), 1e-12) * 0.84 * extent
