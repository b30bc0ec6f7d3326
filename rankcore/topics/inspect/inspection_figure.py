"""One query in several orders: lines between them, forces, effects of swaps."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import label_text, three_digits
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, minus, significant
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.inspect.inspection import Inspection, Side
from rankcore.topics.train.training_figure import plain

ROWS = 16
ROW_HEIGHT = 25
LEAST_HEIGHT = 400
TRACES = ("model", "ideal", "second")
LONGEST_NAME = 15
LONGEST_HEAD = 24
LONGEST_TEXT = 90
# Half the width of a chip; columns are 1 apart.
HALF = 0.27
_FORCE, _EFFECT = -0.37, -0.48
_LEFT = -0.82
# Space above the first row, and pixels for its headings, which grow with the type.
_TOP = -0.5
_ROOM = 44
_ABOVE: dict[str, Any] = {"yanchor": "bottom"}
# The longest arrow, in rows.
_ARROW = 0.8
_SMALLEST = 5e-4
_SMALL = 11


def orders_figure(
    inspection: Inspection, selected: int, palette: Palette = LIGHT, rows: int = ROWS
) -> Picture:
    """Draw columns of documents with lines between the same ones.

    Points of the traces named by `TRACES` are the documents of a column from the top
    down.

    Parameters
    ----------
    selected : int
        The framed document, by its place in the query.
    rows : int
        Number of documents drawn in each column.
    """
    shown = min(rows, len(inspection.query))
    columns = range(len(inspection.sides))
    traces = _connections(inspection, shown, palette)
    traces += [_column(inspection, k, shown, selected, palette) for k in columns]
    traces += _forces(inspection, shown, palette)
    traces += [
        *_ghosts(inspection, shown, palette),
        _effects(inspection, shown, palette),
    ]
    last = len(inspection.sides) - 1
    heads = [
        draw.note(_head(side), k, _TOP, palette.ink, **_ABOVE)
        if k < last
        else draw.note(
            _head(side), k + HALF, _TOP, palette.ink, xanchor="right", **_ABOVE
        )
        for k, side in enumerate(inspection.sides)
    ]
    layout = plain(palette) | {
        "height": max(LEAST_HEIGHT, ROW_HEIGHT * (shown + 2) + 14),
        "margin": {"l": 44, "r": 8, "t": _ROOM, "b": 8},
        "dragmode": False,
        "barmode": "overlay",
        "annotations": [*heads, *_titles(inspection, palette)],
        "xaxis": {
            "visible": False,
            "range": [_LEFT, last + HALF + 0.03],
            "fixedrange": True,
        },
        "yaxis": draw.axis(palette, "rank")
        | {
            "range": [shown - 0.4, _TOP],
            "tickmode": "array",
            "tickvals": list(range(shown)),
            "ticktext": [str(place + 1) for place in range(shown)],
            "showgrid": False,
            "fixedrange": True,
        },
    }
    return Picture(traces, layout, _alt_text(inspection), inspection.table)


def _connections(inspection: Inspection, shown: int, palette: Palette) -> list[dict]:
    """Lines between the columns, one trace per label; relevant ones coloured."""
    query, highest = inspection.query, inspection.query.y.max().item() or 1
    traces = []
    for label in np.unique(query.y).tolist():
        x: list[np.ndarray] = []
        y: list[np.ndarray] = []
        for k, (left, right) in enumerate(
            zip(inspection.sides[:-1], inspection.sides[1:], strict=True)
        ):
            a, b = left.order.places, right.order.places
            visible = (query.y == label) & (np.minimum(a, b) < shown)
            begins = np.full(int(visible.sum()), k + HALF)
            x.append(draw.joined(begins, begins + 1.0 - 2.0 * HALF))
            # Documents further down leave the picture at the bottom.
            y.append(
                draw.joined(
                    *(np.minimum(side[visible], shown - 0.45) for side in (a, b))
                )
            )
        if x and sum(map(len, x)):
            colour = palette.label(label, highest) if label else palette.line
            traces.append(
                draw.lines(
                    np.concatenate(x), np.concatenate(y), colour, 2 if label else 1
                )
            )
    return traces


def _column(
    inspection: Inspection, k: int, shown: int, selected: int, palette: Palette
) -> dict[str, Any]:
    query, side = inspection.query, inspection.sides[k]
    names = query.doc_names
    highest = query.y.max().item() or 1
    rows = side.order.rows[:shown].tolist()
    fills = [palette.label(query.y[row].item(), highest) for row in rows]
    return {
        "type": "bar",
        "orientation": "h",
        "name": TRACES[k],
        "y": np.arange(shown),
        "x": np.full(shown, 2.0 * HALF),
        "base": np.full(shown, k - HALF),
        "width": 0.84,
        "marker": {
            "color": fills,
            "line": {
                "color": palette.ink,
                "width": [2.5 if row == selected else 0 for row in rows],
            },
        },
        "text": [
            f"{escape(draw.shortened(names[row], LONGEST_NAME))} · {label_text(label)}"
            for row, label in zip(rows, query.y[rows].tolist(), strict=True)
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 12, "color": [palette.on(fill) for fill in fills]},
        "customdata": [_hover(inspection, side, place) for place in range(shown)],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _hover(inspection: Inspection, side: Side, place: int) -> str:
    query, row = inspection.query, int(side.order.rows[place])
    hover = f"{query.doc_ids[row]}: label {label_text(query.y[row])}, rank {place + 1}"
    if side.scores is not None:
        hover += f", score {significant(float(side.scores[row]))}"
    if query.doc_texts is not None:
        hover += f"\n{draw.shortened(query.doc_texts[row], LONGEST_TEXT)}"
    return escape(hover).replace("\n", "<br>")


def _head(side: Side) -> str:
    name = escape(draw.shortened(side.name, LONGEST_HEAD))
    return f"<b>{name}</b><br>{decimals(side.order.value)}"


def _forces(inspection: Inspection, shown: int, palette: Palette) -> list[dict]:
    """Return arrows beside the model's documents, or rings without a force."""
    if inspection.forces is None:
        return []
    forces = inspection.forces[inspection.sides[0].order.rows[:shown]]
    largest = float(np.abs(inspection.forces).max())
    lengths = _ARROW * forces / largest if largest > 0.0 else np.zeros(shown)
    at, up = np.arange(shown), palette.readable(palette.runs[2])
    down = palette.readable(palette.runs[1])
    pulled = np.abs(lengths) >= 0.02
    x = np.full(int(pulled.sum()), _FORCE)
    half = lengths[pulled] / 2.0
    colours = [up if length > 0.0 else down for length in lengths.tolist()]
    heads = ["triangle-up" if n > 0.0 else "triangle-down" for n in lengths.tolist()]
    stems = [
        draw.lines(
            draw.joined(x[side], x[side]),
            draw.joined((at[pulled] + half)[side], (at[pulled] - half)[side]),
            colour,
            2,
        )
        for colour, side in ((up, half > 0.0), (down, half < 0.0))
        if side.any()
    ]
    tips = draw.marks(
        np.full(shown, _FORCE),
        at - np.where(pulled, lengths / 2.0, 0.0),
        {
            "size": 8,
            "color": np.where(pulled, colours, palette.secondary),
            "symbol": np.where(pulled, heads, "circle-open"),
        },
        hover="force %{customdata}",
        customdata=[minus(three_digits(float(force))) for force in forces],
        name="forces",
    )
    return [*stems, tips]


def _titles(inspection: Inspection, palette: Palette) -> list[dict]:
    """Return titles of the effects of swaps, and of the forces if there are any."""
    size, grey, right = _SMALL, palette.secondary, {"xanchor": "right"}
    titles = [draw.note("swap", _EFFECT, _TOP, grey, size, **right, **_ABOVE)]
    if inspection.forces is not None:
        above = _ABOVE | {"yshift": draw.LINE_HEIGHT}
        titles.append(draw.note("force", -HALF, _TOP, grey, size, **right, **above))
    return titles


def _effects(inspection: Inspection, shown: int, palette: Palette) -> dict[str, Any]:
    """Return effects of swaps with the document above, drawn between the two."""
    effects = inspection.effects[:shown]
    places = np.flatnonzero(np.abs(effects) >= _SMALLEST)
    raised = effects[places] > 0.0
    return {
        "type": "scatter",
        "mode": "text",
        "name": "effects",
        "x": np.full(len(places), _EFFECT),
        "y": places - 0.5,
        "text": [
            f"<b>{_signed(effect)}</b>" if effect > 0.0 else _signed(effect)
            for effect in effects[places].tolist()
        ],
        "textposition": "middle left",
        "textfont": {
            "size": _SMALL,
            "color": np.where(raised, palette.ink, palette.secondary).tolist(),
        },
        "hoverinfo": "skip",
    }


def _ghosts(inspection: Inspection, shown: int, palette: Palette) -> list[dict]:
    """Return the previous places of changed documents, with lines from there."""
    places = inspection.sides[0].order.places
    rows = [r for r in inspection.edited if places[r] != inspection.before[r]]
    if not rows:
        return []
    before = np.minimum(inspection.before[rows], shown - 0.55)
    now = np.minimum(places[rows], shown - 0.55)
    edge = HALF + 0.03
    x = np.array([-edge, edge, edge, -edge, -edge, np.nan])
    y = np.array([-0.45, -0.45, 0.45, 0.45, -0.45, np.nan])
    frames = draw.lines(
        np.tile(x, len(rows)),
        np.concatenate([place + y for place in before]),
        palette.ink,
        1.5,
        line={"dash": "dot"},
        name="before",
    )
    way = np.full(len(rows), edge)
    return [
        frames,
        draw.lines(draw.joined(way, way), draw.joined(before, now), palette.ink, 1.5),
    ]


def _signed(effect: float) -> str:
    text = decimals(effect)
    return text if effect < 0.0 else f"+{text}"


def _alt_text(inspection: Inspection) -> str:
    values = ", ".join(f"{s.name} {decimals(s.order.value)}" for s in inspection.sides)
    alt = f"{inspection.measure} of {inspection.query.name}: {values}."
    best = inspection.best_swap
    if best is None:
        return f"{alt} No swap of neighbours raises it."
    place, effect = best
    rows, names = inspection.sides[0].order.rows, inspection.query.doc_names
    return (
        f"{alt} Of all swaps of neighbours, {names[rows[place]]} with "
        f"{names[rows[place - 1]]} above it raises it most, {_signed(effect)}."
    )
