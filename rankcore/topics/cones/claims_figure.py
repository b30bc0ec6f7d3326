"""Pictures of the plane that test claims of the ConeRank paper."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.plot.numbers import minus
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture, joined, layout, lines, marks, note
from rankcore.topics.cones.claims import Negative, TwoOrders
from rankcore.topics.cones.cone_figure import (
    colours,
    half_plane,
    probe_colour,
    room,
    square,
    vector_name,
)

HEIGHT = 380


def documents_figure(
    basis: ArrayLike,
    documents: Floats,
    orders: TwoOrders,
    names: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw documents, the vectors of a cone, and each document's place along a.

    Parameters
    ----------
    basis : (2, K) float64
    documents : (n, 2) float64
        The documents, which can be dragged.
    names : sequence of n str
    """
    U, colour = np.asarray(basis), colours(palette).cone
    extent = room(1.5, documents, U)
    unit = orders.direction / (np.linalg.norm(orders.direction) or 1.0)
    feet = np.outer(documents @ unit, unit)
    traces = [
        *_arrows(U, colour),
        _segment(-unit * 2 * extent, unit * 2 * extent, palette.ink, "direction"),
        _segments(documents, feet, faded(palette.secondary, 0.6), "feet"),
        _dots(feet, "places along a", palette.ink, "circle-open", 7),
        _dots(documents, "documents", palette.primary, "circle", 16, drag=names),
    ]
    figure = _plane(palette, extent)
    figure["annotations"] = [
        *(
            _text(n, x, palette.ink, up=16)
            for n, x in zip(names, documents, strict=True)
        ),
        *_vector_texts(U, palette.readable(colour)),
        _text("a", 0.9 * extent * unit, palette.ink, up=14),
    ]
    table = {
        "document": names,
        "feature 1": documents[:, 0],
        "feature 2": documents[:, 1],
        "score": orders.scores,
        "votes": orders.votes,
    }
    alt = f"{names[orders.by_score[0]]} lies furthest along a and ranks first."
    return Picture(traces, figure, alt, table)


def orders_figure(
    orders: TwoOrders, names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw both orders as columns of names, with a line for each document.

    Parameters
    ----------
    names : sequence of n str
    """
    n = len(names)
    left, right = (
        np.argsort(order, kind="stable") for order in (orders.by_votes, orders.by_score)
    )
    traces = [
        _crossing(orders, i, names[i], (int(left[i]), int(right[i])), palette)
        for i in range(n)
    ]
    figure = layout(palette, "", "rank", height=HEIGHT)
    figure["xaxis"] |= {
        "range": [-0.9, 1.9],
        "tickvals": [0, 1],
        "ticktext": ["votes, pair by pair", "score aᵀx"],
        "side": "top",
        "showline": False,
    }
    figure["margin"] |= {"t": 50, "b": 10}
    figure["yaxis"] |= {"range": [n + 0.6, 0.4], "dtick": 1, "showgrid": False}
    same = "the same order" if (left == right).all() else "different orders"
    table = {
        "document": names,
        "rank by votes": left + 1,
        "rank by score": right + 1,
        "votes": orders.votes,
        "score": orders.scores,
    }
    return Picture(traces, figure, f"Votes and scores give {same}.", table)


def negative_figure(
    basis: ArrayLike, z: Floats, negative: Negative, palette: Palette = LIGHT
) -> Picture:
    """Draw a cone of two vectors, its negative, and the projection of a difference.

    Parameters
    ----------
    basis : (2, 2) float64
        Its vectors can be dragged.
    z : (2,) float64
        The difference, which can be dragged.
    """
    U, colour = np.asarray(basis), colours(palette).cone
    extent = room(1.9, U, z)
    grey = palette.secondary
    far = U / np.maximum(np.linalg.norm(U, axis=0), 1e-12) * 30 * extent
    traces = [
        _sector(far, faded(colour, 0.18), colour, "cone"),
        _sector(-far, faded(grey, 0.16), grey, "its negative"),
        _segments(np.zeros_like(U.T), U.T, colour, "vectors", 3),
        _segment(z, negative.projection, palette.ink, "residual"),
        _dots(negative.projection[None], "P(z)", palette.ink, "circle-open", 14),
        _dots(U.T, "u", colour, "square", 13, drag=["u₁", "u₂"]),
        _dots(z[None], "z", probe_colour(palette), "circle", 17, drag=["z"]),
    ]
    figure = _plane(palette, extent)
    if (negative.products > 0.0).any():
        k = int(np.argmax(negative.products))
        figure["shapes"] = half_plane(U[:, k], extent, palette.secondary)
    figure["annotations"] = [
        *_vector_texts(U, palette.readable(colour)),
        _text("z", z, palette.ink, up=16),
        _text("P(z)", negative.projection, palette.ink, up=-18),
        _text("cone", far.sum(axis=1) / 120, palette.readable(colour)),
        _text("− cone", -far.sum(axis=1) / 120, palette.secondary),
    ]
    at = "({:.3f}, {:.3f})".format(*(negative.projection + 0.0))
    lies = "lies" if negative.in_negative else "does not lie"
    columns = zip(("1", "2"), U, z, negative.projection, strict=True)
    table = {"point": ["u₁", "u₂", "z", "P(z)"]} | {
        name: [*row, value, projected] for name, row, value, projected in columns
    }
    alt = f"z {lies} in the negative of the cone, and projects to {at}."
    return Picture(traces, figure, alt, table)


def _crossing(
    orders: TwoOrders, i: int, name: str, places: tuple[int, int], palette: Palette
) -> dict[str, Any]:
    """Return the line of one document from its place by votes to that by score."""
    colour = palette.primary if places[0] == places[1] else palette.runs[1]
    score = minus(f"{orders.scores[i]:+.3f}")
    return lines([0, 1], [place + 1 for place in places], colour) | {
        "mode": "lines+markers+text",
        "text": [
            f"{escape(name)} · {orders.votes[i]} votes",
            f"{escape(name)} · {score}",
        ],
        "textposition": ["middle left", "middle right"],
        "textfont": {"color": palette.ink, "size": 13},
        "marker": {"color": colour, "size": 9},
        "cliponaxis": False,
    }


def _plane(palette: Palette, extent: float) -> dict[str, Any]:
    ends = [[-extent, extent]] * 2
    return square(palette, ("feature 1", "feature 2"), ends) | {"height": HEIGHT}


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
    x, y = (joined(*both) for both in zip(begins.T, ends.T, strict=True))
    return lines(x, y, colour, width, name=name)


def _sector(far: Floats, fill: str, colour: str, name: str) -> dict[str, Any]:
    x, y = np.vstack([np.zeros((1, 2)), far.T, np.zeros((1, 2))]).T
    area = {"fill": "toself", "fillcolor": fill}
    return lines(x, y, colour, 1, name=name, **area)


def _dots(
    at: Floats, name: str, colour: str, symbol: str, size: int, drag: Sequence[str] = ()
) -> dict[str, Any]:
    """Return points, which can be dragged if they have names."""
    marker = {"color": colour, "symbol": symbol, "size": size, "line": {"width": 2}}
    hover = f"{name} (%{{x:.3g}}, %{{y:.3g}})"
    details = {"meta": {"drag": "xy", "names": list(drag)}} if drag else {}
    return marks(at[:, 0], at[:, 1], marker, hover, name=name, **details)


def _text(
    text: str, at: Floats, colour: str, up: float = 0, across: float = 0
) -> dict[str, Any]:
    x, y = map(float, at)
    return note(f"<b>{escape(text)}</b>", x, y, colour, 13, yshift=up, xshift=across)
