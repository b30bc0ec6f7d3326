"""Figure of a map over two hyperparameters: colours, contours, reports."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, layout, marks, note
from rankcore.studies.results import ModelResults
from rankcore.topics.approximation.landscape_figure import SCALE, colour_bar
from rankcore.topics.explore.map_words import (
    GROUP,
    HEIGHT,
    best_text,
    hatching,
    hover_texts,
    known_at,
    leads,
    map_table,
    region_names,
    value_ticks,
)
from rankcore.topics.explore.maps import Map

Floats = NDArray[np.float64]

# Contours: losses relative to the best value.
LOSSES = (0.01, 0.02, 0.05, 0.1, 0.2)
# The colour scale starts at this quantile, so that poor models do not compress it.
DARKEST = 0.1
# Fewest values on each axis for contours.
FEWEST_FOR_CONTOURS = 5
_LOW_LINES, _HIGH_LINES = "rgba(255,255,255,0.75)", "rgba(0,0,0,0.65)"
_GAP = 1
# The colour bar stands above the map, on the right.
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
    heat_map: Map, chosen: ModelResults | None = None, palette: Palette = LIGHT
) -> Picture:
    """Draw a map over two axes: colours, contours and the algorithm's reports.

    A cell without a model has a paler shade of the nearest model's colour.

    Parameters
    ----------
    heat_map : Map
        Over two axes, with at least one cell.
    chosen : ModelResults, optional
        The model to mark with a frame.
    """
    across, up = heat_map.plan.axes
    values, near = heat_map.values.T, _nearest_values(heat_map).T
    low, high = _ends(values)
    colours = {"zmin": low, "zmax": high, "colorscale": SCALE, "type": "heatmap"}
    under = {
        **colours,
        "z": near.astype(np.float32),
        "opacity": 0.55,
        "showscale": False,
        "hoverongaps": True,
        "text": hover_texts(heat_map).T.tolist(),
        "hovertemplate": "%{text}<extra></extra>",
        "name": GROUP,
        "meta": leads(heat_map.nearest.T, known_at(heat_map).T),
    }
    cells = {
        **colours,
        "z": values.astype(np.float32),
        "xgap": _GAP,
        "ygap": _GAP,
        "hoverinfo": "skip",
        "colorbar": colour_bar(palette) | _ABOVE,
    }
    figure = layout(palette, across.title, up.title, height=HEIGHT)
    figure["margin"] |= {"l": 80, "t": 60}
    figure["xaxis"] |= value_ticks(across)
    figure["yaxis"] |= value_ticks(up) | {"showgrid": False}
    figure["annotations"] = region_names(heat_map, palette)
    traces = [
        under,
        cells,
        *_contours(heat_map, low, high),
        *hatching(heat_map, palette),
    ]
    if (best := heat_map.best) is not None:
        traces.append(_ring(best))
        figure["annotations"].append(_best_name(best, len(up.values), figure))
    figure["shapes"] = [] if chosen is None else _frame(chosen)
    return Picture(traces, figure, best_text(heat_map), lambda: map_table(heat_map))


def _nearest_values(heat_map: Map) -> Floats:
    each = np.array([c.value if c.usable else np.nan for c in heat_map.cells])
    return each[heat_map.nearest]


def _ends(values: Floats) -> tuple[float, float]:
    """Lower and upper end of the colour scale."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(np.quantile(finite, DARKEST)), float(finite.max())
    return (low, high) if high > low else (low - 0.005, high + 0.005)


def _contours(heat_map: Map, low: float, high: float) -> list[dict[str, Any]]:
    """Contour lines over the finest complete grid: pale on the dark half of the scale,
    dark on the bright half."""
    x, y = heat_map.complete
    best = heat_map.best
    if best is None or min(len(x), len(y)) < FEWEST_FOR_CONTOURS:
        return []
    z = heat_map.values[np.ix_(x, y)].T.astype(np.float32)
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


def _ring(best: ModelResults) -> dict[str, Any]:
    shape = {"symbol": "circle-open", "size": 15, "color": "#000000"}
    x, y = best.at
    return marks([x], [y], shape | {"line": {"width": 3}}, name="best")


def _best_name(
    best: ModelResults, high: int, figure: Mapping[str, Any]
) -> dict[str, Any]:
    """Label with the best value, above the frame of its cell, or below it in the top
    row."""
    x, y = best.at
    margin = figure["margin"]
    cell = (figure["height"] - margin["t"] - margin["b"]) / high
    shift = max(19.0, cell / 2.0 + 11.0)
    shift = -shift if y == high - 1 else shift
    text = f"<b>best {decimals(best.value)}</b>"
    return note(text, x, y, "#000000", yshift=shift) | {
        "bgcolor": "rgba(255,255,255,0.7)"
    }


def _frame(chosen: ModelResults) -> list[dict[str, Any]]:
    """Return a frame that is visible on dark and on bright colours; a click moves it,
    found by its name."""
    x, y = chosen.at
    box = {
        "type": "rect",
        "name": "chosen",
        "x0": x - 0.5,
        "x1": x + 0.5,
        "y0": y - 0.5,
        "y1": y + 0.5,
    }
    return [
        box | {"line": {"color": "#ffffff", "width": 4}},
        box | {"line": {"color": "#000000", "width": 1.5}},
    ]
