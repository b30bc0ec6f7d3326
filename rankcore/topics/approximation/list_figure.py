"""Pictures of one list and its smooth measures: positions, forces and values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import three_digits
from rankcore.plot.numbers import decimals, subscript
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, axis, joined, layout, lines, marks, outlined
from rankcore.topics.approximation.approximate_list import ListValue
from rankcore.topics.approximation.bounds import PositionErrors

# The longest arrow, as a share of the scores' range.
REACH = 0.15
# The height of a list in pixels; and the heights of a row from which there is room for
# an approximated position as text, and for the name of each document.
LOWEST, HIGHEST, FRAME = 390, 450, 56
ROOMY, WITH_NAMES = 28, 18


def list_figure(
    scores: Floats,
    labels: Sequence[int],
    positions: PositionErrors,
    value: ListValue,
    alpha: float,
    strongest: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a list: its scores with the forces on them, and its positions.

    Scores can be dragged; the trace of chips, ``documents``, can be clicked. An arrow's
    length is the square root of its force. A force that raises a score is a solid arrow
    with a filled head, one that lowers it a dotted arrow with a hollow head.

    Parameters
    ----------
    scores : (n,) float64
    labels : sequence of n int
    value : ListValue
        The measure whose forces are drawn.
    strongest : float
        The force whose arrow is the longest; for example over all sharpnesses, so that
        arrows shrink as forces vanish.
    """
    n = len(scores)
    rows = np.arange(n, dtype=np.float64)
    low, high = score_range(scores)
    height = int(np.clip(FRAME + 40 * n, LOWEST, HIGHEST))
    pixels, reach = (height - FRAME) / n, (high - low) * REACH
    figure = layout(palette, "score", "", height=height)
    figure["margin"] |= {"l": 8, "r": 40, "t": 4}
    figure["xaxis"] |= {"domain": [0.13, 0.55], "range": [low, high], "showgrid": True}
    figure["xaxis2"] = axis(palette, "position") | {
        "domain": [0.63, 1.0],
        "range": [0.2, n + 0.8],
        "anchor": "y",
        "dtick": max(1, n // 8),
        "tick0": 1,
        "showgrid": pixels >= ROOMY,
    }
    hidden = {"visible": False, "fixedrange": True}
    figure["xaxis3"] = hidden | {"domain": [0.0, 0.1], "range": [0, 1]}
    figure["yaxis"] = hidden | {"range": [n - 0.4, -0.6]}
    traces = [
        _chips(labels, rows, pixels, palette),
        *_arrows(scores, pixels, value, alpha, strongest, reach, palette),
        _points(scores, labels, rows, pixels, palette),
        *_positions(positions, rows, pixels, palette),
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
    """Return round ends of the scores' axis, so that it stays while a score is
    dragged."""
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
    """Draw every measure with its surrogate, and its forces on each document."""
    m, n = len(values), len(labels)
    rows = np.arange(m, dtype=np.float64)
    exact = np.array([value.exact for value in values])
    smooth = np.array([value.smooth for value in values])
    figure = layout(palette, "value", "", height=54 + 34 * m)
    figure["margin"] |= {"l": 72, "r": 16, "t": 4}
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
    """Return the names of a list's documents in tables: x1, x2, … ."""
    return [f"x{i}" for i in range(1, n + 1)]


def _chips(
    labels: Sequence[int], rows: Floats, pixels: float, palette: Palette
) -> dict[str, Any]:
    fills = [palette.label(label) for label in labels]
    inside = pixels >= WITH_NAMES
    names = [f"x{subscript(i)}" for i in range(1, len(labels) + 1)]
    chips = [f"{name} · {label}" for name, label in zip(names, labels, strict=True)]
    # In a long list only every fifth document has a name, beside its chip.
    few = [name if i % 5 == 0 else "" for i, name in enumerate(names, 1)]
    ink = [palette.on(fill) if inside else palette.ink for fill in fills]
    return marks(
        np.full(len(labels), 0.5),
        rows,
        outlined(min(34.0, 0.85 * pixels), fills, palette.line, symbol="square"),
        hover="%{hovertext}; click for the next label",
        mode="markers+text",
        name="documents",
        xaxis="x3",
        text=chips if inside else few,
        textposition="middle center" if inside else "middle left",
        textfont={"color": ink, "size": 12 if pixels >= ROOMY else 9},
        hovertext=chips,
        cliponaxis=False,
    )


def _points(
    scores: Floats, labels: Sequence[int], rows: Floats, pixels: float, palette: Palette
) -> dict[str, Any]:
    return marks(
        scores,
        rows,
        label_marker(labels, palette, round(min(15.0, 0.75 * pixels))),
        hover="score %{x:.3g}; drag it",
        name="scores",
        meta={"drag": "x", "names": document_names(len(scores))},
    )


def force_colours(palette: Palette) -> tuple[str, str]:
    """Return the colours of forces that raise a score and of those that lower it."""
    return palette.runs[0], palette.runs[1]


def _arrows(
    scores: Floats,
    pixels: float,
    value: ListValue,
    alpha: float,
    strongest: float,
    reach: float,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Shafts and heads of arrows, and a hollow mark for each vanished force."""
    below = np.arange(len(scores)) + 0.32
    gone = value.vanished(alpha)
    share = np.sqrt(np.minimum(np.abs(value.force) / (strongest or 1.0), 1.0))
    heads = scores + np.sign(value.force) * share * reach
    raised, lowered = force_colours(palette)
    traces = []
    for way, of, colour, dash, head in (
        ("up", value.force > 0.0, raised, "solid", "triangle-right"),
        ("down", value.force <= 0.0, lowered, "2px,2px", "triangle-left-open"),
    ):
        arrows = of & ~gone
        x, y = (
            joined(scores[arrows], heads[arrows]),
            joined(below[arrows], below[arrows]),
        )
        traces += [
            lines(x, y, colour, line={"dash": dash}, name=f"arrows {way}"),
            marks(
                heads[arrows],
                below[arrows],
                outlined(min(10.0, 0.8 * pixels), colour, colour, 1.5, symbol=head),
                hover="force %{customdata:.3g}",
                name=f"forces {way}",
                customdata=value.force[arrows],
                cliponaxis=False,
            ),
        ]
    return [*traces, _vanished(scores[gone], below[gone], value.force[gone], palette)]


def _vanished(
    x: Any, y: Any, force: Floats, palette: Palette, **details: Any
) -> dict[str, Any]:
    """Small rings in place of vanished forces."""
    ring = {"symbol": "circle-open", "size": 6, "color": palette.secondary}
    return marks(
        x,
        y,
        ring | {"line": {"width": 1.2}},
        hover="vanished: %{customdata:.3g}",
        name="vanished",
        customdata=force,
        **details,
    )


def _positions(
    positions: PositionErrors, rows: Floats, pixels: float, palette: Palette
) -> list[dict[str, Any]]:
    colour, size = palette.runs[0], round(min(11.0, 0.75 * pixels))
    traces = [
        _joined(positions.exact, positions.soft, rows, palette),
        _marks(positions.exact, rows, "true position", colour, filled=True, size=size),
        _marks(
            positions.soft,
            rows,
            "approximated position",
            colour,
            filled=False,
            size=size,
        )
        | {
            "mode": "markers+text" if pixels >= ROOMY else "markers",
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
    x: Floats, rows: Floats, name: str, colour: str, *, filled: bool, size: int = 11
) -> dict[str, Any]:
    return marks(
        x,
        rows,
        outlined(size, colour, colour, 2, symbol="circle" if filled else "circle-open"),
        hover=f"{name}: %{{x:.3g}}",
        name=name,
        cliponaxis=False,
    )


def _triangles(
    values: Sequence[ListValue], alpha: float, n: int, palette: Palette
) -> list[dict[str, Any]]:
    """Return the forces of all measures as one grid, scaled per measure."""
    force = np.array([value.force for value in values])
    gone = np.array([value.vanished(alpha) for value in values])
    largest = np.abs(force).max(axis=1, keepdims=True)
    share = np.sqrt(np.abs(force) / np.where(largest > 0.0, largest, 1.0))
    row, column = np.nonzero(~gone)
    forces = force[row, column]
    raised, lowered = force_colours(palette)
    colours, narrow = [raised if f > 0 else lowered for f in forces], min(1.0, 14 / n)
    hollow_row, hollow_column = np.nonzero(gone)
    return [
        marks(
            column + 1.0,
            row.astype(np.float64),
            outlined(
                4.0 + 14.0 * share[row, column] * narrow,
                colours,
                colours,
                2.0 * narrow,
                symbol=[
                    "triangle-up" if f > 0 else "triangle-down-open" for f in forces
                ],
            ),
            hover="force on document %{x}: %{customdata:.3g}",
            name="forces",
            xaxis="x2",
            customdata=forces,
        ),
        _vanished(
            hollow_column + 1.0,
            hollow_row.astype(np.float64),
            force[hollow_row, hollow_column],
            palette,
            xaxis="x2",
        ),
    ]


def label_marker(labels: Sequence[int], palette: Palette, size: int) -> dict[str, Any]:
    """Markers in the colours of their labels."""
    return outlined(size, [palette.label(label) for label in labels], palette.ink, 1.2)
