"""Pictures of one list seen by smooth measures: positions, forces and values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, axis, joined, layout, lines, marks
from rankcore.charts.numbers import decimals, subscript
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.approximate_list import ListValue
from rankcore.insight.approximation import PositionErrors
from rankcore.numbers import three_digits

Floats = NDArray[np.float64]

# The longest arrow, as a share of the scores' range.
REACH = 0.15
ROOMY = 14


def list_figure(
    scores: Floats,
    labels: Sequence[int],
    positions: PositionErrors,
    value: ListValue,
    alpha: float,
    strongest: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a list: its scores with the forces on them, and its positions beside them.

    Scores can be dragged; the trace of chips, ``documents``, can be clicked. An arrow's
    length is the square root of its force.

    Parameters
    ----------
    scores : (n,) float64
    labels : sequence of n int
    positions : PositionErrors
    value : ListValue
        Whose forces are drawn.
    alpha : float
    strongest : float
        The force whose arrow is the longest; for example over all sharpnesses, so that
        arrows shrink as forces vanish.
    palette : Palette
    """
    n = len(scores)
    rows = np.arange(n, dtype=np.float64)
    low, high = score_range(scores)
    figure = layout(palette, "score", "", height=_height(n))
    figure["margin"] |= {"l": 8, "r": 40, "t": 4}
    figure["xaxis"] |= {"domain": [0.13, 0.55], "range": [low, high], "showgrid": True}
    figure["xaxis2"] = axis(palette, "position") | {
        "domain": [0.63, 1.0],
        "range": [0.2, n + 0.8],
        "anchor": "y",
        "dtick": max(1, n // 8),
        "tick0": 1,
        "showgrid": n <= ROOMY,
    }
    hidden = {"visible": False, "fixedrange": True}
    figure["xaxis3"] = hidden | {"domain": [0.0, 0.1], "range": [0, 1]}
    figure["yaxis"] = hidden | {"range": [n - 0.4, -0.6]}
    traces = [
        _chips(labels, rows, palette),
        *_arrows(scores, rows, value, alpha, strongest, (high - low) * REACH, palette),
        _points(scores, labels, rows, palette),
        *_positions(positions, rows, palette),
    ]
    worst = int(np.argmax(positions.error))
    alt = (
        f"The position of x{worst + 1} has the largest error, "
        f"{three_digits(positions.error[worst])}; the force of {value.name} has "
        f"vanished on {value.vanished(alpha).sum()} of {n} documents."
    )
    table = {
        "document": document_names(n),
        "label": labels,
        "score": scores,
        "position": positions.exact,
        "approximated": positions.soft,
        "error": positions.error,
        "bound": positions.bound,
        "force": value.force,
    }
    return Picture(traces, figure, alt, table)


def score_range(scores: Floats) -> tuple[float, float]:
    """Ends of the scores' axis: round, so that it rests while a score is dragged."""
    low, high = float(scores.min()), float(scores.max())
    spread = high - low or max(abs(high), 1.0)
    step = 10.0 ** np.floor(np.log10(spread)) / 2.0
    room = 0.3 * spread
    ends = np.floor((low - room) / step) * step, np.ceil((high + room) / step) * step
    return float(ends[0]), float(ends[1])


def values_figure(
    values: Sequence[ListValue],
    chosen: int,
    alpha: float,
    labels: Sequence[int],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw every measure beside its surrogate, and its forces on each document."""
    m, n = len(values), len(labels)
    rows = np.arange(m, dtype=np.float64)
    exact = np.array([value.exact for value in values])
    smooth = np.array([value.smooth for value in values])
    figure = layout(palette, "value", "", height=54 + 34 * m)
    figure["margin"] |= {"l": 64, "r": 16, "t": 4}
    figure["xaxis"] |= {"domain": [0.0, 0.46], "range": [-0.03, 1.12]}
    figure["xaxis2"] = axis(palette, "document") | {
        "domain": [0.54, 1.0],
        "range": [0.4, n + 0.6],
        "anchor": "y",
        "showgrid": False,
        "tickvals": list(range(1, n + 1, max(1, n // 10))),
        "ticktext": [f"x{subscript(i)}" for i in range(1, n + 1, max(1, n // 10))],
    }
    figure["yaxis"] |= {
        "title": {"text": ""},
        "range": [m - 0.4, -0.6],
        "tickvals": rows,
        "ticktext": [
            f"<b>{value.name}</b>" if i == chosen else value.name
            for i, value in enumerate(values)
        ],
        "fixedrange": True,
    }
    traces = [
        _joined(exact, smooth, rows, palette),
        _marks(exact, rows, "exact", palette.runs[0], filled=True),
        _marks(smooth, rows, "approximated", palette.runs[0], filled=False)
        | {
            "mode": "markers+text",
            "text": [decimals(value) for value in smooth],
            "textposition": "top center",
            "textfont": {"size": 10, "color": palette.secondary},
        },
        *_triangles(values, alpha, n, palette),
    ]
    worst = max(values, key=lambda value: float(np.nan_to_num(value.error)))
    alt = (
        f"The surrogate of {worst.name} has the largest error: "
        f"{decimals(worst.smooth)} where {worst.name} is "
        f"{decimals(worst.exact)}."
    )
    return Picture(traces, figure, alt, [_row(value) for value in values])


def _row(value: ListValue) -> dict[str, Any]:
    names = document_names(len(value.force))
    return {
        "measure": value.name,
        "exact": value.exact,
        "approximated": value.smooth,
        "error": value.error,
        "bound": value.bound,
    } | {
        f"force on {name}": float(force)
        for name, force in zip(names, value.force, strict=True)
    }


def document_names(n: int) -> list[str]:
    """The names of a list's documents in tables: x1, x2, … ."""
    return [f"x{i}" for i in range(1, n + 1)]


def _height(n: int) -> int:
    return 56 + (40 if n <= ROOMY else 20) * n


def _chips(labels: Sequence[int], rows: Floats, palette: Palette) -> dict[str, Any]:
    fills = [palette.label(label) for label in labels]
    roomy = len(labels) <= ROOMY
    return marks(
        np.full(len(labels), 0.5),
        rows,
        {
            "symbol": "square",
            "size": 34 if roomy else 18,
            "color": fills,
            "line": {"color": palette.line, "width": 1},
        },
        hover="label %{text}; click for the next label",
        mode="markers+text",
        name="documents",
        xaxis="x3",
        text=[f"x{subscript(i)} · {label}" for i, label in enumerate(labels, 1)],
        textfont={
            "color": [palette.on(f) for f in fills],
            "size": 12 - 3 * (not roomy),
        },
        cliponaxis=False,
    )


def _points(
    scores: Floats, labels: Sequence[int], rows: Floats, palette: Palette
) -> dict[str, Any]:
    return marks(
        scores,
        rows,
        label_marker(labels, palette, 15 if len(labels) <= ROOMY else 10),
        hover="score %{x:.5g}; drag it",
        name="scores",
        meta={"drag": "x"},
    )


def _arrows(
    scores: Floats,
    rows: Floats,
    value: ListValue,
    alpha: float,
    strongest: float,
    reach: float,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Shafts, heads, and a hollow mark for each force that has vanished."""
    below = rows + 0.32
    gone = value.vanished(alpha)
    share = np.sqrt(np.minimum(np.abs(value.force) / (strongest or 1.0), 1.0))
    heads = scores + np.sign(value.force) * share * reach
    alive = ~gone
    colour = palette.runs[2]
    shafts = lines(
        joined(scores[alive], heads[alive]),
        joined(below[alive], below[alive]),
        colour,
        name="arrows",
    )
    tips = marks(
        heads[alive],
        below[alive],
        {
            "symbol": [
                "triangle-right" if force > 0 else "triangle-left"
                for force in value.force[alive]
            ],
            "size": 9,
            "color": colour,
        },
        hover="force %{customdata:.3g}",
        name="forces",
        customdata=value.force[alive],
        cliponaxis=False,
    )
    hollow = marks(
        scores[gone],
        below[gone],
        {
            "symbol": "circle-open",
            "size": 6,
            "color": palette.secondary,
            "line": {"width": 1.2},
        },
        hover="vanished: %{customdata:.3g}",
        name="vanished",
        customdata=value.force[gone],
    )
    return [shafts, tips, hollow]


def _positions(
    positions: PositionErrors, rows: Floats, palette: Palette
) -> list[dict[str, Any]]:
    colour = palette.runs[0]
    roomy = len(rows) <= ROOMY
    traces = [
        _joined(positions.exact, positions.soft, rows, palette),
        _marks(positions.exact, rows, "true position", colour, filled=True),
        _marks(positions.soft, rows, "approximated position", colour, filled=False)
        | {
            "mode": "markers+text" if roomy else "markers",
            "text": [f"{soft:.2f}" for soft in positions.soft],
            "textposition": [
                "middle left" if soft < exact else "middle right"
                for soft, exact in zip(positions.soft, positions.exact, strict=True)
            ],
            "textfont": {"size": 11, "color": palette.secondary},
        },
    ]
    return [trace | {"xaxis": "x2"} for trace in traces]


def _joined(
    exact: Floats, smooth: Floats, rows: Floats, palette: Palette
) -> dict[str, Any]:
    x, y = joined(exact, smooth), joined(rows, rows)
    return lines(x, y, palette.runs[0], name="error")


def _marks(
    x: Floats, rows: Floats, name: str, colour: str, *, filled: bool
) -> dict[str, Any]:
    return marks(
        x,
        rows,
        {
            "size": 11,
            "color": colour,
            "symbol": "circle" if filled else "circle-open",
            "line": {"width": 2, "color": colour},
        },
        hover=f"{name}: %{{x:.5g}}",
        name=name,
        cliponaxis=False,
    )


def _triangles(
    values: Sequence[ListValue], alpha: float, n: int, palette: Palette
) -> list[dict[str, Any]]:
    """The forces of all measures as one grid; sizes within a measure."""
    force = np.array([value.force for value in values])
    gone = np.array([value.vanished(alpha) for value in values])
    largest = np.abs(force).max(axis=1, keepdims=True)
    share = np.sqrt(np.abs(force) / np.where(largest > 0.0, largest, 1.0))
    row, column = np.nonzero(~gone)
    kept = force[row, column]
    hollow_row, hollow_column = np.nonzero(gone)
    return [
        marks(
            column + 1.0,
            row.astype(np.float64),
            {
                "symbol": ["triangle-up" if f > 0 else "triangle-down" for f in kept],
                "size": 4.0 + 14.0 * share[row, column] * min(1.0, ROOMY / n),
                "color": palette.runs[2],
            },
            hover="force on document %{x}: %{customdata:.3g}",
            name="forces",
            xaxis="x2",
            customdata=kept,
        ),
        marks(
            hollow_column + 1.0,
            hollow_row.astype(np.float64),
            {
                "symbol": "circle-open",
                "size": 6,
                "color": palette.secondary,
                "line": {"width": 1.2},
            },
            hover="vanished: %{customdata:.3g}",
            name="vanished",
            xaxis="x2",
            customdata=force[hollow_row, hollow_column],
        ),
    ]


def label_marker(labels: Sequence[int], palette: Palette, size: int) -> dict[str, Any]:
    """Points in the colours of their labels."""
    return {
        "size": size,
        "color": [palette.label(label) for label in labels],
        "line": {"color": palette.ink, "width": 1.2},
    }
