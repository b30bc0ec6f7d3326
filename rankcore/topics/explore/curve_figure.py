"""Picture of a map over one hyperparameter: a curve with its band."""

from typing import Any

import numpy as np

from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture, area_between, layout, lines, marks, note
from rankcore.studies.results import ModelResults
from rankcore.topics.explore.map_words import (
    GROUP,
    HEIGHT,
    best_text,
    dot,
    hatching,
    hover_texts,
    known_at,
    leads,
    map_table,
    measure_title,
    region_names,
    value_ticks,
)
from rankcore.topics.explore.maps import Map

# Of each column, in which hatching is drawn and the pointer found.
ROWS = 7


def line_figure(
    heat_map: Map,
    colour: str,
    chosen: ModelResults | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a map over one axis: a curve with its band, and each run.

    Parameters
    ----------
    heat_map : Map
        Of one axis, with a cell.
    colour : str
    chosen : ModelResults, optional
        Has a ring.
    palette : Palette
    """
    (across,) = heat_map.plan.axes
    x = np.array([cell.at[0] for cell in heat_map.cells])
    y = np.array([cell.value if cell.usable else np.nan for cell in heat_map.cells])
    ends = heat_map.intervals()
    banded = np.isfinite(ends[:, 0]) & np.isfinite(y)
    points = np.array(
        [(c.at[0], value) for c in heat_map.cells for value in c.values if c.usable]
    )
    several = heat_map.plan.repeats > 1
    traces = [
        *(
            own | {"yaxis": "y2", "opacity": 0.5}
            for own in hatching(heat_map, palette, ROWS)
        ),
        _columns(heat_map),
        *(
            [area_between(x[banded], ends[banded, 0], ends[banded, 1], colour)]
            if banded.sum() > 1
            else []
        ),
        lines(x.astype(np.float32), y.astype(np.float32), colour),
        *(
            [marks(points[:, 0], points[:, 1], dot(faded(colour, 0.5), 5))]
            if several and len(points)
            else []
        ),
        marks(x, y, dot(colour, 8), hoverinfo="skip", name="cells"),
    ]
    figure = layout(palette, across.title, measure_title(heat_map.plan), height=HEIGHT)
    figure["xaxis"] |= value_ticks(across)
    figure["yaxis"] |= {"tickformat": ".2f", "overlaying": "y2"}
    figure["yaxis2"] = {
        "visible": False,
        "fixedrange": True,
        "range": [-0.5, ROWS - 0.5],
    }
    figure["hovermode"] = "closest"
    figure["annotations"] = region_names(heat_map, palette)
    for cell, size in ((heat_map.best, 15), (chosen, 11)):
        if cell is not None and cell.usable:
            ring = dot("rgba(0,0,0,0)", size) | {
                "line": {"width": 2, "color": palette.ink}
            }
            traces.append(marks([cell.at[0]], [cell.value], ring, hoverinfo="skip"))
    if (best := heat_map.best) is not None:
        said = f"<b>best {decimals(best.value)}</b>"
        named = note(said, best.at[0], best.value, palette.ink, yshift=18)
        figure["annotations"].append(named)
    return Picture(traces, figure, best_text(heat_map), lambda: map_table(heat_map))


def _columns(heat_map: Map) -> dict[str, Any]:
    """Return an unseen grid that has the cell of each value over the whole height: one
    can point at it anywhere, also where there is no model yet."""
    return {
        "type": "heatmap",
        "z": np.zeros((ROWS, *heat_map.plan.shape), np.float32),
        "yaxis": "y2",
        "opacity": 0,
        "showscale": False,
        "text": np.tile(hover_texts(heat_map), (ROWS, 1)).tolist(),
        "hovertemplate": "%{text}<extra></extra>",
        "name": GROUP,
        "meta": leads(
            np.tile(heat_map.nearest, (ROWS, 1)), np.tile(known_at(heat_map), (ROWS, 1))
        ),
    }
