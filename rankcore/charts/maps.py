"""Pictures of a map over one or two hyperparameters, and of the cell in focus.

The curve and the weights follow the pointer over the map within the browser: their
traces have a row of numbers a cell, see ``follow.js`` of the live figure.
"""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import (
    Picture,
    area_between,
    axis,
    bars,
    joined,
    layout,
    lines,
    marks,
    note,
    padded_range,
)
from rankcore.charts.landscape import SCALE, colour_bar
from rankcore.charts.numbers import decimals, minus, significant
from rankcore.charts.palette import LIGHT, Palette, faded
from rankcore.insight.maps import Axis, Map, MapCell
from rankcore.insight.trade_offs import front, usable

Floats = NDArray[np.float64]

HEIGHT = 424
SIDE_HEIGHT = 200
SCATTER_HEIGHT = 390
MOST_TICKS = 9
MOST_WEIGHTS = 60
# Contours are where so much of the best value is lost.
LOSSES = (0.01, 0.02, 0.05, 0.1, 0.2)
# Colours begin at this quantile: a few very poor models would make all others alike.
DARKEST = 0.1
# Fewer values on an axis make no contour.
FEWEST_FOR_CONTOURS = 5
GROUP = "map"
WORDS = {
    "diverges": "diverges",
    "failed": "cannot be trained",
    "vanishes": "gradient vanishes",
}
_LOW_LINES, _HIGH_LINES = "rgba(255,255,255,0.75)", "rgba(0,0,0,0.65)"
_GAP = 1
# The scale of colours stands above the map, at its right.
_ABOVE = {
    "x": 1.0,
    "xanchor": "right",
    "y": 1.0,
    "yanchor": "bottom",
    "len": 0.45,
    "ypad": 4,
    "xpad": 0,
}


def map_figure(
    found: Map, chosen: MapCell | None = None, palette: Palette = LIGHT
) -> Picture:
    """Draw a map over two axes: colours, contours, and what the algorithm reports.

    A cell without a model has the paler colour of the nearest one that has.

    Parameters
    ----------
    found : Map
        Of two axes, with a cell.
    chosen : MapCell, optional
        Has a frame.
    palette : Palette
    """
    across, up = found.plan.axes
    known, near = found.values.T, _nearest_values(found).T
    low, high = _ends(known)
    colours = {"zmin": low, "zmax": high, "colorscale": SCALE, "type": "heatmap"}
    texts = [cell_text(found, cell) for cell in found.cells]
    under = {
        **colours,
        "z": near.astype(np.float32),
        "opacity": 0.55,
        "showscale": False,
        "hoverongaps": True,
        "text": [[_said(found, n, at, texts) for at, n in row] for row in _rows(found)],
        "hovertemplate": "%{text}<extra></extra>",
        "name": GROUP,
        "meta": _leads(found.nearest.T.ravel(), len(across.values)),
    }
    cells = {
        **colours,
        "z": known.astype(np.float32),
        "xgap": _GAP,
        "ygap": _GAP,
        "hoverinfo": "skip",
        "colorbar": colour_bar(palette) | _ABOVE,
    }
    figure = layout(palette, across.title, up.title, height=HEIGHT)
    figure["margin"] |= {"t": 44}
    figure["xaxis"] |= _ticks(across)
    figure["yaxis"] |= _ticks(up) | {"showgrid": False}
    figure["annotations"] = _region_names(found, palette)
    traces = [under, cells, *_contours(found, low, high), *_hatching(found, palette)]
    if (best := found.best) is not None:
        traces.append(_ring(best))
        figure["annotations"].append(_best_name(best, len(up.values)))
    figure["shapes"] = [] if chosen is None else _frame(chosen)
    return Picture(traces, figure, _alt(found), lambda: map_table(found))


def line_figure(
    found: Map,
    colour: str,
    chosen: MapCell | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a map over one axis: a curve with its band, and each run.

    Parameters
    ----------
    found : Map
        Of one axis, with a cell.
    colour : str
    chosen : MapCell, optional
        Has a ring.
    palette : Palette
    """
    (across,) = found.plan.axes
    x = np.array([cell.at[0] for cell in found.cells])
    y = np.array([cell.value if cell.usable else np.nan for cell in found.cells])
    ends = found.intervals()
    banded = np.isfinite(ends[:, 0]) & np.isfinite(y)
    points = np.array(
        [(c.at[0], value) for c in found.cells for value in c.values if c.usable]
    )
    several = len(found.plan.seeds) > 1
    texts = [cell_text(found, cell) for cell in found.cells]
    traces = [
        *(
            [area_between(x[banded], ends[banded, 0], ends[banded, 1], colour)]
            if banded.sum() > 1
            else []
        ),
        lines(x.astype(np.float32), y.astype(np.float32), colour),
        *(
            [marks(points[:, 0], points[:, 1], _dot(faded(colour, 0.5), 5))]
            if several and len(points)
            else []
        ),
        marks(
            x,
            _level(y),
            _dot(colour, 8),
            hover="%{customdata}",
            customdata=texts,
            name=GROUP,
            meta=_leads(np.arange(len(x)), 0),
        ),
    ]
    figure = layout(palette, across.title, _title(found), height=HEIGHT)
    figure["xaxis"] |= _ticks(across)
    figure["yaxis"] |= {"tickformat": ".2f"}
    figure["hovermode"] = "closest"
    figure["shapes"] = [
        {
            "type": "rect",
            "yref": "paper",
            "x0": cell.at[0] - 0.5,
            "x1": cell.at[0] + 0.5,
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": faded(palette.secondary, 0.15),
        }
        for cell in found.cells
        if cell.state != "trained"
    ]
    figure["annotations"] = _region_names(found, palette)
    for cell, size in ((found.best, 15), (chosen, 11)):
        if cell is not None and cell.usable:
            ring = _dot("rgba(0,0,0,0)", size) | {
                "line": {"width": 2, "color": palette.ink}
            }
            traces.append(marks([cell.at[0]], [cell.value], ring, hoverinfo="skip"))
    if (best := found.best) is not None:
        said = f"<b>best {decimals(best.value)}</b>"
        named = note(said, best.at[0], best.value, palette.ink, yshift=18)
        figure["annotations"].append(named)
    return Picture(traces, figure, _alt(found), lambda: map_table(found))


def curve_figure(
    found: Map, chosen: MapCell, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the training curve of the cell in focus, that of the best one behind it.

    Parameters
    ----------
    found : Map
    chosen : MapCell
        In focus while the pointer is elsewhere.
    colour : str
    palette : Palette
    """
    curves = found.curves()
    at = found.places[chosen.at]
    values = curves.values.astype(np.float32)
    x = curves.iterations.astype(np.float32)
    dash = {"dash": "dash" if found.plan.split == "valid" else "solid"}
    traces = []
    if found.best is not None:
        best = values[found.places[found.best.at]]
        line: dict[str, Any] = {"line": dash, "connectgaps": True}
        traces.append(lines(x, best, palette.secondary, 1.5, opacity=0.5, **line))
    traces.append(
        lines(
            x,
            values[at],
            colour,
            2.2,
            hover="iteration %{x}: %{y:.4f}",
            line=dash,
            connectgaps=True,
            name="curve",
            meta=_follows(values, at),
        )
    )
    figure = layout(palette, "iteration", _title(found), height=SIDE_HEIGHT)
    finite = values[np.isfinite(values)]
    if finite.size:
        figure["yaxis"] |= {"range": padded_range(0.05, finite), "tickformat": ".2f"}
    figure["yaxis"] |= {"nticks": 4}
    said = f"At the chosen cell {_title(found)} ends at {decimals(chosen.value)}."
    table = {"iteration": curves.iterations, found.plan.measure: curves.values[at]}
    return Picture(traces, figure, said, lambda: table)


def weights_figure(
    found: Map, chosen: MapCell, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the weights of the features at the cell in focus; zero is a hollow mark.

    Parameters
    ----------
    found, chosen, colour, palette
        As of `curve_figure`.
    """
    every = np.array([found.weights(cell) for cell in found.cells])
    # A linear model ranks alike whatever the length of its coefficients.
    largest = np.nanmax(np.abs(every), axis=1, initial=0.0, keepdims=True)
    shares = every / np.where(largest > 0, largest, 1.0)
    sizes = np.nansum(np.abs(shares), axis=0)
    order = np.argsort(-sizes, kind="stable")[:MOST_WEIGHTS]
    rows = np.round(shares[:, order], 4).astype(np.float32)
    zeros = np.where(rows == 0, np.float32(0), np.float32(np.nan))
    at = found.places[chosen.at]
    names = np.array(found.plan.splits.train.feature_names, object)[order]
    labels = [escape(name) for name in names]
    place = np.arange(len(order), dtype=np.int32)
    hover = "%{customdata}<br>%{y:.3g}"
    shape = {"symbol": "square-open", "size": 5, "color": palette.secondary}
    traces = [
        bars(
            place,
            rows[at],
            {"color": colour, "line": {"width": 0}},
            hover=hover,
            customdata=labels,
            name="weights",
            meta=_follows(rows, at),
        ),
        marks(
            place,
            zeros[at],
            shape | {"line": {"width": 1}},
            hover="%{customdata}<br>removed",
            customdata=labels,
            name="removed",
            meta=_follows(zeros, at),
        ),
    ]
    figure = layout(palette, "", found.plan.ranker.weights_title, height=SIDE_HEIGHT)
    figure["margin"] |= {"b": 16}
    figure["xaxis"] |= {"visible": False, "range": [-1, max(len(order), 12)]}
    low = -1.05 if np.nanmin(rows, initial=0.0) < 0 else -0.05
    zero = {"zeroline": True, "zerolinecolor": palette.ink}
    figure["yaxis"] = axis(palette, "") | zero | {"range": [low, 1.05], "nticks": 4}
    used = np.nan_to_num(every[at])[order]
    said = f"{np.count_nonzero(used)} of {len(sizes)} weights are not zero."
    table = {"feature": names, "weight": every[at][order]}
    return Picture(traces, figure, said, lambda: table)


def map_table(found: Map) -> list[dict[str, Any]]:
    """A row a cell that is known: its values, and what its runs found."""
    return [
        {
            **cell.settings,
            _title(found): cell.value,
            "features kept": cell.kept,
            "iterations": cell.iterations,
            "seeds": len(cell.rows),
            "seconds": float(np.mean([row.seconds for row in cell.rows])),
            "state": cell.state,
            "reason": cell.reason,
        }
        for cell in found.cells
    ]


def cell_text(found: Map, cell: MapCell) -> str:
    """A cell in words, in lines."""
    plan, best = found.plan, found.best
    settings = ", ".join(
        f"{own.symbol} = {own.text(at)}"
        for own, at in zip(plan.axes, cell.at, strict=True)
    )
    said = [escape(settings)]
    if cell.values:
        below = ""
        if best is not None and cell.usable and best.value > 0:
            share = 100.0 * (best.value - cell.value) / best.value
            lower = cell.value < best.value
            below = f", {share:.2g} % below the best" if lower else ", the best"
        features = plan.splits.train.n_features
        said.append(f"{plan.measure} <b>{decimals(cell.value)}</b>{below}")
        said.append(f"{significant(cell.kept)} of {features} features kept")
    row = found.best_row(cell)
    said.append(
        f"{cell.iterations} iterations"
        + ("" if row is None else f", best after {row.iteration}")
    )
    if cell.state != "trained":
        said.append(WORDS[cell.state])
    return "<br>".join(said)


def _title(found: Map) -> str:
    split = {"train": "Training", "valid": "Validation"}[found.plan.split]
    return f"{split} {found.plan.measure}"


def _alt(found: Map) -> str:
    best, known = found.best, len(found.cells)
    total = int(np.prod(found.plan.shape))
    extent = f"{known} of {total} cells" if known < total else f"all {known} cells"
    if best is None:
        return f"No model of {extent} could be trained."
    settings = ", ".join(
        f"{own.symbol} = {own.text(at)}"
        for own, at in zip(found.plan.axes, best.at, strict=True)
    )
    return (
        f"{_title(found)} is highest, {decimals(best.value)}, at {settings}, of "
        f"{extent}."
    )


def _rows(found: Map) -> list[list[tuple[tuple[int, int], int]]]:
    """Position and nearest cell, a row for each value of the vertical axis."""
    wide, high = found.plan.shape
    return [
        [((i, j), int(found.nearest[i, j])) for i in range(wide)] for j in range(high)
    ]


def _said(found: Map, number: int, at: tuple[int, int], texts: list[str]) -> str:
    known = found.cells[number].at == at
    return texts[number] if known else f"nearest model so far:<br>{texts[number]}"


def _nearest_values(found: Map) -> Floats:
    each = np.array([c.value if c.usable else np.nan for c in found.cells])
    return each[found.nearest]


def _ends(values: Floats) -> tuple[float, float]:
    """Where the colours begin and end."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(np.quantile(finite, DARKEST)), float(finite.max())
    return (low, high) if high > low else (low - 0.005, high + 0.005)


def _leads(cells: NDArray[np.int64], width: int) -> dict[str, Any]:
    """Which cell is at each point of a trace; ``width`` points a row."""
    return {"leads": GROUP, "width": width, "cells": cells.tolist()}


def _follows(rows: np.ndarray, at: int) -> dict[str, Any]:
    """The values of a trace at each cell, and the cell where it is now."""
    return {"follows": GROUP, "rows": rows, "at": at}


def _ticks(own: Axis) -> dict[str, Any]:
    count = len(own.values)
    step = -(-(count - 1) // (MOST_TICKS - 1)) or 1
    at = list(range(0, count, step))
    return {
        "tickvals": at,
        "ticktext": [minus(escape(own.text(i))) for i in at],
        "range": [-0.5, count - 0.5],
        "fixedrange": True,
    }


def _contours(found: Map, low: float, high: float) -> list[dict[str, Any]]:
    """Lines over the finest grid that is complete: pale ones on the dark half of the
    scale, dark ones on the bright half."""
    x, y = found.complete
    best = found.best
    if best is None or min(len(x), len(y)) < FEWEST_FOR_CONTOURS:
        return []
    z = found.values[np.ix_(x, y)].T.astype(np.float32)
    traces = []
    for loss in LOSSES:
        level = (1.0 - loss) * best.value
        if not np.nanmin(z) < level:
            continue
        colour = _LOW_LINES if level < (low + high) / 2.0 else _HIGH_LINES
        contours = {
            "coloring": "none",
            "start": level,
            "end": level,
            "size": 1,
            "showlabels": True,
            "labelformat": ".3f",
            "labelfont": {"size": 11, "color": colour},
        }
        traces.append(
            {
                "type": "contour",
                "x": x,
                "y": y,
                "z": z,
                "contours": contours,
                "line": {"color": colour, "width": 1.2, "smoothing": 0.9},
                "showscale": False,
                "hoverinfo": "skip",
                "name": f"{loss:.0%} below the best",
            }
        )
    return traces


def _hatching(found: Map, palette: Palette) -> list[dict[str, Any]]:
    """Lines over the cells where the algorithm reports a problem: rising where it
    diverges or fails, falling where its gradient vanishes."""
    states = np.array([cell.state for cell in found.cells])[found.nearest]
    traces = []
    for rising, own in ((True, ("diverges", "failed")), (False, ("vanishes",))):
        at = np.argwhere(np.isin(states, own))
        if len(at):
            traces.append(_strokes(at, rising, palette))
    return traces


def _strokes(at: np.ndarray, rising: bool, palette: Palette) -> dict[str, Any]:
    begin = np.array([[-0.5, 0.0], [-0.5, -0.5], [0.0, -0.5]])
    end = np.array([[0.0, 0.5], [0.5, 0.5], [0.5, 0.0]])
    if not rising:
        begin, end = begin * [1, -1], end * [1, -1]
    first = (at[:, None, :] + begin).reshape(-1, 2)
    last = (at[:, None, :] + end).reshape(-1, 2)
    return lines(
        joined(first[:, 0], last[:, 0]).astype(np.float32),
        joined(first[:, 1], last[:, 1]).astype(np.float32),
        palette.secondary,
        1,
        name="reported",
    )


def _region_names(found: Map, palette: Palette) -> list[dict[str, Any]]:
    """The words for each kind of report, amid the cells that have it."""
    names = []
    for state, words in WORDS.items():
        at = np.array([cell.at for cell in found.cells if cell.state == state])
        if not len(at):
            continue
        middle = at[((at - at.mean(axis=0)) ** 2).sum(axis=1).argmin()]
        two = len(middle) > 1
        place: dict[str, Any] = {} if two else {"yref": "paper", "yanchor": "top"}
        names.append(
            note(words, middle[0], middle[1] if two else 1, palette.ink, **place)
            | {"bgcolor": palette.background, "opacity": 0.9}
        )
    return names


def _ring(best: MapCell) -> dict[str, Any]:
    shape = {"symbol": "circle-open", "size": 15, "color": "#000000"}
    x, y = best.at
    return marks([x], [y], shape | {"line": {"width": 3}}, name="best")


def _best_name(best: MapCell, high: int) -> dict[str, Any]:
    """Its value above it, or below it in the highest of the rows."""
    x, y = best.at
    shift = -19 if y == high - 1 else 19
    text = f"<b>best {decimals(best.value)}</b>"
    return note(text, x, y, "#000000", yshift=shift) | {
        "bgcolor": "rgba(255,255,255,0.7)"
    }


def _frame(chosen: MapCell) -> list[dict[str, Any]]:
    """A frame that is seen on dark and on bright colours."""
    x, y = chosen.at
    box = {
        "type": "rect",
        "x0": x - 0.5,
        "x1": x + 0.5,
        "y0": y - 0.5,
        "y1": y + 0.5,
    }
    return [
        box | {"line": {"color": "#ffffff", "width": 4}},
        box | {"line": {"color": "#000000", "width": 1.5}},
    ]


def _dot(colour: str, size: int) -> dict[str, Any]:
    return {"color": colour, "size": size, "line": {"width": 0}}


def _level(values: Floats) -> Floats:
    """Values, those that are missing at the lowest of the others: one can point at
    them."""
    finite = values[np.isfinite(values)]
    return np.where(np.isfinite(values), values, finite.min() if finite.size else 0.0)


def trade_off_figure(
    found: Map,
    over: str,
    chosen: MapCell | None,
    colour: str,
    loss: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of every model over its cost, with the front of the best ones.

    Parameters
    ----------
    found : Map
        With a usable cell.
    over : {"features", "seconds"}
    chosen : MapCell or None
        Has a ring.
    colour : str
    loss : float
        The share of the best value that may be lost; those within are in a band.
    palette : Palette
    """
    cells = usable(found)
    y = np.array([cell.value for cell in cells])
    x = np.array([cost_of(cell, over) for cell in cells])
    texts = [cell_text(found, cell) for cell in cells]
    at = front(y, x)
    traces = [
        marks(
            x,
            y,
            _dot(faded(palette.secondary, 0.5), 7),
            hover="%{customdata}",
            customdata=texts,
            name="models",
        ),
        lines(
            x[at],
            y[at],
            colour,
            2,
            hover="%{customdata}",
            line={"shape": "hv"},
            mode="lines+markers",
            marker=_dot(colour, 9),
            customdata=[texts[number] for number in at],
            name="front",
        ),
    ]
    if chosen is not None:
        ring = _dot("rgba(0,0,0,0)", 17)
        ring["line"] = {"width": 2.5, "color": palette.ink}
        place = [cost_of(chosen, over)], [chosen.value]
        traces.append(marks(*place, ring, name="chosen"))
    titles = {"features": "features kept", "seconds": "training, seconds"}
    figure = layout(palette, titles[over], _title(found), height=SCATTER_HEIGHT)
    best = float(y.max())
    low, high = max(float(y.min()), 0.7 * best), best
    figure["yaxis"] |= {"range": padded_range(0.06, [low, high]), "tickformat": ".3f"}
    figure["xaxis"] |= {"rangemode": "tozero"}
    figure["shapes"] = [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": (1.0 - loss) * best,
            "y1": best,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": faded(colour, 0.12),
        }
    ]
    said = (
        f"{len(at)} of {len(cells)} models are on the front; the best reaches "
        f"{decimals(best)}."
    )
    return Picture(traces, figure, said, lambda: map_table(found))


def cost_of(cell: MapCell, over: str) -> float:
    """The cost of a cell, a mean over its runs: features kept, or seconds."""
    if over == "features":
        return cell.kept
    return float(np.mean([row.seconds for row in cell.rows]))
