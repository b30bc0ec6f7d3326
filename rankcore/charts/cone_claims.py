"""Pictures of what the ConeRank paper claims and what is true."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.charts._style import Picture, apart, layout
from rankcore.charts.cone import (
    faded,
    half_plane,
    probe_colour,
    room,
    square,
    vector_name,
)
from rankcore.charts.cone_space import box, cone_sides, generators, label, marks
from rankcore.charts.palette import LIGHT, Palette, mix
from rankcore.insight.cone_claims import FoldingPath, Interior, Negative, Order
from rankcore.insight.cone_view import View

Floats = NDArray[np.float64]

HEIGHT = 400
RULE_NAMES = {"exact": "exact", "eg": "EG", "sg": "SG, as printed"}


def documents_picture(
    basis: ArrayLike,
    documents: Floats,
    found: Order,
    names: Sequence[str],
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw documents, the vectors of a cone, and each document's place along a.

    Parameters
    ----------
    basis : (2, K) float64
    documents : (n, 2) float64
        They can be dragged.
    found : Order
    names : sequence of n str
    colour : str
    palette : Palette
    """
    U = np.asarray(basis)
    extent = room(1.5, documents, U)
    unit = found.direction / (np.linalg.norm(found.direction) or 1.0)
    feet = np.outer(documents @ unit, unit)
    traces = [
        *_arrows(U, colour),
        _segment(-unit * 2 * extent, unit * 2 * extent, palette.ink, "direction"),
        _segments(documents, feet, faded(palette.secondary, 0.6), "feet"),
        _dots(feet, "places along a", palette.ink, "circle-open", 7),
        _dots(documents, "documents", palette.primary, "circle", 16, drag=True),
    ]
    figure = square(palette, ("feature 1", "feature 2"), extent) | {"height": HEIGHT}
    figure["annotations"] = [
        *(
            _text(n, x, palette.ink, up=16)
            for n, x in zip(names, documents, strict=True)
        ),
        *_vector_texts(U, palette.readable(colour)),
        _text("a", 0.9 * extent * unit, palette.ink, up=14),
    ]
    return Picture(traces, figure)


def orders_picture(
    found: Order, names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw both orders as columns of names, with a line for each document.

    Parameters
    ----------
    found : Order
    names : sequence of n str
    palette : Palette
    """
    n = len(names)
    left, right = np.argsort(found.by_votes), np.argsort(found.by_score)
    traces: list[dict[str, Any]] = []
    for i in range(n):
        same = left[i] == right[i]
        colour = palette.primary if same else palette.runs[1]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": [0, 1],
                "y": [left[i] + 1, right[i] + 1],
                "text": [
                    f"{escape(names[i])} · {found.votes[i]} votes",
                    f"{escape(names[i])} · {found.scores[i]:+.3f}".replace("-", "−"),
                ],
                "textposition": ["middle left", "middle right"],
                "textfont": {"color": palette.ink, "size": 13},
                "line": {"color": colour, "width": 2},
                "marker": {"color": colour, "size": 9},
                "hoverinfo": "skip",
                "cliponaxis": False,
            }
        )
    figure = layout(palette, "", "rank", height=HEIGHT)
    figure["xaxis"] |= {
        "range": [-0.9, 1.9],
        "tickvals": [0, 1],
        "ticktext": ["votes, pair by pair", "score aᵀx"],
        "side": "top",
        "showline": False,
    }
    figure["margin"] |= {"t": 34, "b": 10}
    figure["yaxis"] |= {"range": [n + 0.6, 0.4], "dtick": 1, "showgrid": False}
    return Picture(traces, figure)


def segment_picture(
    curve: tuple[Floats, Floats],
    paths: Mapping[str, FoldingPath],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the squared distance along the weights of two vectors, and where each rule
    of folding-in ends.

    Parameters
    ----------
    curve : tuple of two (t,) float64
        The first vector's weight, and the squared distance.
    paths : dict of str to FoldingPath
    palette : Palette
    """
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "name": "squared distance",
            "mode": "lines",
            "x": curve[0],
            "y": curve[1],
            "line": {"color": palette.ink, "width": 2},
            "hovertemplate": "w₁ = %{x:.3f}: %{y:.4f}<extra></extra>",
        }
    ]
    colours = _rule_colours(palette)
    figure = layout(palette, "weight w₁ (w₂ = 1 − w₁)", "squared distance")
    figure["height"] = 300
    figure["annotations"] = []
    near = [float(path.weights[-1, 0]) for path in paths.values()]
    for rule, path in paths.items():
        x, y = float(path.weights[-1, 0]), float(path.values[-1])
        traces.append(
            {
                "type": "scatter",
                "name": RULE_NAMES[rule],
                "mode": "markers",
                "x": [x],
                "y": [y],
                "marker": {
                    "color": colours[rule],
                    "size": 18 if rule == "exact" else 10,
                    "symbol": "circle-open" if rule == "exact" else "circle",
                    "line": {"width": 2},
                },
                "hovertemplate": f"{RULE_NAMES[rule]}: w₁ = %{{x:.6f}}, %{{y:.6f}}"
                "<extra></extra>",
            }
        )
    middle, half = float(np.mean(near)), max(float(np.ptp(near)) * 3.0, 0.04)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    inside = curve[1][(curve[0] >= low - 0.005) & (curve[0] <= high + 0.005)]
    pad = max(float(np.ptp(inside)) * 0.1, 1e-6)
    figure["xaxis"] |= {"range": [low, high]}
    figure["yaxis"] |= {"range": [float(inside.min()) - pad, float(inside.max()) + pad]}
    exact = paths["exact"]
    for rule, up, across in (("exact", 34, 0), ("sg", -14, 66)):
        if rule in paths:
            path = paths[rule]
            figure["annotations"].append(
                _text(
                    "exact and EG" if rule == "exact" else RULE_NAMES[rule],
                    np.array([path.weights[-1, 0], path.values[-1]]),
                    palette.readable(colours[rule]),
                    up=up,
                    across=across,
                )
            )
    figure["shapes"] = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": float(exact.values[-1]),
            "y1": float(exact.values[-1]),
            "line": {"color": palette.secondary, "width": 1, "dash": "dot"},
        }
    ]
    return Picture(traces, figure)


def excess_picture(
    paths: Mapping[str, FoldingPath], palette: Palette = LIGHT
) -> Picture:
    """Draw by how much the squared distance exceeds the best one, step after step.

    Parameters
    ----------
    paths : dict of str to FoldingPath
        With ``"exact"``, from which the best one is taken.
    palette : Palette
    """
    best = float(paths["exact"].values[-1])
    colours, traces, ends = _rule_colours(palette), [], []
    for rule, path in paths.items():
        if rule == "exact":
            continue
        excess = np.maximum(path.values - best, 1e-12)
        traces.append(
            {
                "type": "scatter",
                "name": RULE_NAMES[rule],
                "mode": "lines+markers",
                "x": path.steps,
                "y": excess,
                "line": {"color": colours[rule], "width": 2},
                "marker": {"color": colours[rule], "size": 5},
                "hovertemplate": f"{RULE_NAMES[rule]}, %{{x}} steps: %{{y:.3g}} too "
                "much<extra></extra>",
            }
        )
        ends.append(
            (rule, float(np.log10(excess[-1])), float(np.log10(path.steps[-1])))
        )
    figure = layout(palette, "steps (log scale)", "above the best (log scale)")
    figure["height"] = 300
    figure["margin"]["r"] = 108
    figure["xaxis"] |= {
        "type": "log",
        "dtick": 1,
        "exponentformat": "power",
        "range": [-0.2, float(np.log10(paths["exact"].steps[-1])) + 0.2],
    }
    figure["yaxis"] |= {
        "type": "log",
        "dtick": 3,
        "exponentformat": "power",
        "range": [-12.6, 0.6],
    }
    heights = np.array([y for _, y, _ in ends]) / 13.0 * 240
    figure["annotations"] = [
        {
            **_text(
                RULE_NAMES[rule], np.array([x, y]), palette.readable(colours[rule])
            ),
            "xanchor": "left",
            "xshift": 8,
            "yshift": float(shift),
        }
        for (rule, y, x), shift in zip(ends, apart(heights) - heights, strict=True)
    ]
    return Picture(traces, figure)


def interior_picture(
    view: View,
    differences: Floats,
    found: Interior,
    names: Sequence[str],
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a cone in space, a point of it, and the point moved to either side.

    Parameters
    ----------
    view : View
    differences : (m, 3) float64
        Those that lie in the cone are filled squares.
    found : Interior
    names : sequence of 3 str
    colour : str
    palette : Palette
    """
    U = view.basis
    extent = 1.15 * max(
        float(np.linalg.norm(U, axis=0).max()),
        float(np.linalg.norm(differences, axis=1).max(initial=0.1)),
    )
    middle = found.inside / (np.linalg.norm(found.inside) or 1.0) * 0.6 * extent
    moved = np.stack([middle + 0.25 * extent * s * found.across for s in (1, -1)])
    inside = view.inside
    traces = [
        *cone_sides(view, extent, colour),
        *generators(U, colour),
        marks(differences[~inside], "outside", palette.label(1, 2), size=3),
        marks(differences[inside], "inside", palette.runs[2], "square", 4),
        marks(middle[None], "in the cone", palette.ink, size=7),
        marks(moved, "moved a little", palette.runs[1], "diamond", 7),
    ]
    ink = palette.readable(palette.runs[1])
    labels = [
        *(
            label(vector_name(k), U[:, k], palette.readable(colour))
            for k in range(U.shape[1])
        ),
        label("p", middle, palette.ink),
        *(label(f"p {sign} εn", x, ink) for sign, x in zip("+−", moved, strict=True)),
    ]
    return Picture(traces, box(palette, names, extent, labels, HEIGHT))


def interior_shares_picture(
    shares: Sequence[float], at: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the share of differences inside cones of 1, 2, … vectors; none is a hollow
    mark.

    Parameters
    ----------
    shares : sequence of float
    at : int
        The number of vectors one looks at.
    colour : str
    palette : Palette
    """
    values = np.array(shares)
    numbers = np.arange(1, len(values) + 1)
    none = values == 0.0
    bars = {
        "type": "bar",
        "x": numbers,
        "y": values,
        "text": [
            "" if zero else f"{v:.0%}" for v, zero in zip(values, none, strict=True)
        ],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {
            "color": [
                colour if k == at else mix(colour, palette.background, 0.5)
                for k in numbers
            ],
        },
        "hovertemplate": "K = %{x}: %{y:.1%} inside<extra></extra>",
    }
    hollow = {
        "type": "scatter",
        "mode": "markers+text",
        "x": numbers[none],
        "y": values[none],
        "text": ["0"] * int(none.sum()),
        "textposition": "top center",
        "marker": {
            "symbol": "circle-open",
            "size": 10,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
        "hovertemplate": "K = %{x}: none inside<extra></extra>",
    }
    figure = layout(palette, "vectors K", "differences inside", height=260)
    figure["yaxis"] |= {"tickformat": ".0%", "range": [-0.06, 1.18]}
    figure["xaxis"] |= {"dtick": 1}
    return Picture([bars, hollow], figure)


def negative_picture(
    basis: ArrayLike,
    z: Floats,
    found: Negative,
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a cone of two vectors, its negative, and where a difference projects to.

    Parameters
    ----------
    basis : (2, 2) float64
        Its vectors can be dragged.
    z : (2,) float64
        It can be dragged.
    found : Negative
    colour : str
    palette : Palette
    """
    U = np.asarray(basis)
    extent = room(1.9, U, z)
    grey = palette.secondary
    far = U / np.maximum(np.linalg.norm(U, axis=0), 1e-12) * 30 * extent
    traces = [
        _sector(far, faded(colour, 0.18), colour, "cone"),
        _sector(-far, faded(grey, 0.16), grey, "its negative"),
        _segments(np.zeros_like(U.T), U.T, colour, "vectors", 3),
        _segment(z, found.projection, palette.ink, "residual"),
        _dots(found.projection[None], "P(z)", palette.ink, "circle-open", 14),
        _dots(U.T, "u", colour, "square", 13, drag=True),
        _dots(z[None], "z", probe_colour(palette), "circle", 17, drag=True),
    ]
    figure = square(palette, ("", ""), extent) | {"height": HEIGHT}
    if (found.products > 0.0).any():
        k = int(np.argmax(found.products))
        figure["shapes"] = half_plane(U[:, k], extent, palette.secondary)
    figure["annotations"] = [
        *_vector_texts(U, palette.readable(colour)),
        _text("z", z, palette.ink, up=16),
        _text("P(z)", found.projection, palette.ink, up=-18),
        _text("cone", far.sum(axis=1) / 120, palette.readable(colour)),
        _text("− cone", -far.sum(axis=1) / 120, palette.secondary),
    ]
    return Picture(traces, figure)


def _rule_colours(palette: Palette) -> dict[str, str]:
    return {"exact": palette.ink, "eg": palette.runs[2], "sg": palette.runs[1]}


def _arrows(U: Floats, colour: str) -> list[dict[str, Any]]:
    return [
        _segments(np.zeros_like(U.T), U.T, colour, "vectors", 3),
        _dots(U.T, "u", colour, "square", 9),
    ]


def _vector_texts(U: Floats, colour: str) -> list[dict[str, Any]]:
    return [
        _text(vector_name(k), U[:, k], colour, up=15, across=10)
        for k in range(U.shape[1])
    ]


def _segment(a: Floats, b: Floats, colour: str, name: str) -> dict[str, Any]:
    return _segments(a[None], b[None], colour, name, 2)


def _segments(
    begins: Floats, ends: Floats, colour: str, name: str, width: float = 1
) -> dict[str, Any]:
    gap = np.full_like(begins, np.nan)
    x, y = np.stack([begins, ends, gap], axis=1).reshape(-1, 2).T
    return {
        "type": "scatter",
        "name": name,
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def _sector(far: Floats, fill: str, colour: str, name: str) -> dict[str, Any]:
    corners = np.vstack([np.zeros((1, 2)), far.T, np.zeros((1, 2))])
    return {
        "type": "scatter",
        "name": name,
        "mode": "lines",
        "x": corners[:, 0],
        "y": corners[:, 1],
        "fill": "toself",
        "fillcolor": fill,
        "line": {"color": colour, "width": 1},
        "hoverinfo": "skip",
    }


def _dots(
    at: Floats, name: str, colour: str, symbol: str, size: int, drag: bool = False
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": "markers",
        "x": at[:, 0],
        "y": at[:, 1],
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": size,
            "line": {"width": 2},
        },
        "hovertemplate": f"{name} (%{{x:.3f}}, %{{y:.3f}})<extra></extra>",
        **({"meta": {"drag": "xy"}} if drag else {}),
    }


def _text(
    text: str, at: Floats, colour: str, up: float = 0, across: float = 0
) -> dict[str, Any]:
    return {
        "text": f"<b>{escape(text)}</b>",
        "x": float(at[0]),
        "y": float(at[1]),
        "yshift": up,
        "xshift": across,
        "showarrow": False,
        "font": {"color": colour, "size": 13},
    }
