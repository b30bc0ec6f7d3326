"""Figures of the focused cell of a map: training curve and weights.

They follow the pointer over the map in the browser: each trace holds one row of numbers
per cell, see ``follow.js`` of the live figure.
"""

from html import escape
from typing import Any

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.studies.results import ModelResults
from rankcore.topics.explore.map_words import GROUP, measure_title
from rankcore.topics.explore.maps import Map
from rankcore.topics.train.coefficients import Weighing

SIDE_HEIGHT = 200
MOST_WEIGHTS = 60


def curve_figure(
    heat_map: Map, chosen: ModelResults, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the training curve of the focused cell over that of the best cell.

    Parameters
    ----------
    chosen : ModelResults
        The focused cell while the pointer is not on the map.
    """
    curves = heat_map.curves()
    at = heat_map.places[chosen.at]
    values = curves.values.astype(np.float32)
    x = curves.iterations.astype(np.float32)
    dash = {"dash": "dash" if heat_map.plan.split == "valid" else "solid"}
    traces = []
    if heat_map.best is not None:
        best = values[heat_map.places[heat_map.best.at]]
        line: dict[str, Any] = {"line": dash, "connectgaps": True}
        traces.append(draw.lines(x, best, palette.secondary, 1.5, opacity=0.5, **line))
    traces.append(
        draw.lines(
            x,
            values[at],
            colour,
            2.2,
            hover="iteration %{x}: %{y:.3f}",
            line=dash,
            connectgaps=True,
            name="curve",
            meta=_follows(values, at),
        )
    )
    figure = draw.layout(
        palette, "iteration", measure_title(heat_map.plan), height=SIDE_HEIGHT
    )
    finite = values[np.isfinite(values)]
    if finite.size:
        figure["yaxis"] |= {
            "range": draw.padded_range(0.05, finite),
            "tickformat": ".2f",
        }
    figure["yaxis"] |= {"nticks": 4}
    title = measure_title(heat_map.plan)
    alt = f"At the selected cell {title} ends at {decimals(chosen.value)}."
    table = {"iteration": curves.iterations, heat_map.plan.measure: curves.values[at]}
    return Picture(traces, figure, alt, lambda: table)


def weights_figure(
    heat_map: Map,
    chosen: ModelResults,
    colour: str,
    weighing: Weighing,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the feature weights of the focused cell's model; a hollow mark is a removed
    feature. The parameters are those of `curve_figure`."""
    every = np.array([heat_map.weights(cell) for cell in heat_map.cells])
    importances = weighing.importances(every)
    sizes = np.nansum(np.abs(_shares(importances)), axis=0)
    order = np.argsort(-sizes, kind="stable")[:MOST_WEIGHTS]
    rows = np.round(_shares(weighing.drawn(every))[:, order], 4).astype(np.float32)
    zeros = np.where(every[:, order] == 0, np.float32(0), np.float32(np.nan))
    at = heat_map.places[chosen.at]
    names = np.array(heat_map.plan.splits.train.feature_names, object)[order]
    labels = [escape(name) for name in names]
    place = np.arange(len(order), dtype=np.int32)
    hover = "%{customdata}<br>%{y:.3g}"
    shape = {"symbol": "square-open", "size": 5, "color": palette.secondary}
    traces = [
        draw.bars(
            place,
            rows[at],
            {"color": colour, "line": {"width": 0}},
            hover=hover,
            customdata=labels,
            name="weights",
            meta=_follows(rows, at),
        ),
        draw.marks(
            place,
            zeros[at],
            shape | {"line": {"width": 1}},
            hover="%{customdata}<br>removed",
            customdata=labels,
            name="removed",
            meta=_follows(zeros, at),
        ),
    ]
    figure = draw.layout(palette, "", weighing.title, height=SIDE_HEIGHT)
    figure["margin"] |= {"b": 16}
    figure["xaxis"] |= {"visible": False, "range": [-1, max(len(order), 12)]}
    low = -1.05 if np.nanmin(rows, initial=0.0) < 0 else -0.05
    zero = {"zeroline": True, "zerolinecolor": palette.ink}
    figure["yaxis"] = (
        draw.axis(palette, "") | zero | {"range": [low, 1.05], "nticks": 4}
    )
    weights_here = np.nan_to_num(every[at])[order]
    alt = f"{np.count_nonzero(weights_here)} of {len(sizes)} weights are not zero."
    columns = weighing.columns(every[at][order], importances[at][order])
    return Picture(traces, figure, alt, lambda: {"feature": names, **columns})


def _shares(weights: np.ndarray) -> np.ndarray:
    """Return each model's weights relative to its largest: scaling the coefficients of
    a linear model does not change its ranking."""
    largest = np.nanmax(np.abs(weights), axis=1, initial=0.0, keepdims=True)
    return np.asarray(weights / np.where(largest > 0, largest, 1.0))


def _follows(rows: np.ndarray, at: int) -> dict[str, Any]:
    """Return the values of a trace at every cell, and the current cell."""
    return {"follows": GROUP, "rows": rows, "at": at}
