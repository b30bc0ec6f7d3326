"""Figure of a map over one hyperparameter: a curve with its band."""

from typing import Any

import numpy as np

from rankcore.algorithms import StructuredRanker
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture, area_between, axis, layout, lines, marks, note
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
from rankcore.topics.explore.reduction import NAMES, Ends, ends_of, ends_text

# Rows per column, for the hatching and for the pointer.
ROWS = 7
# Name of the ring around the best cell, at which a lesson's arrow can point.
BEST = "best on validation"


def line_figure(
    heat_map: Map,
    colour: str,
    chosen: ModelResults | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a map over one axis: a curve with its band, and every run; below it, the
    objective of the models, or its reduction by training.

    Parameters
    ----------
    heat_map : Map
        Over one axis, with at least one cell.
    chosen : ModelResults, optional
        The model to mark with a ring.
    """
    x = np.array([cell.at[0] for cell in heat_map.cells])
    y = np.array([cell.value if cell.usable else np.nan for cell in heat_map.cells])
    ends, models = heat_map.intervals(), ends_of(heat_map)
    banded = np.isfinite(ends[:, 0]) & np.isfinite(y)
    points = np.array(
        [(c.at[0], value) for c in heat_map.cells for value in c.values if c.usable]
    )
    several = heat_map.plan.repeats > 1
    traces = [
        *(
            mark | {"yaxis": "y2", "opacity": 0.5}
            for mark in hatching(heat_map, palette, ROWS)
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
        *_objective(heat_map, models, colour, palette),
    ]
    figure = _layout(heat_map, models, palette)
    for cell, size, name in ((heat_map.best, 15, BEST), (chosen, 11, "selected")):
        if cell is not None and cell.usable:
            ring = dot("rgba(0,0,0,0)", size) | {
                "line": {"width": 2, "color": palette.ink}
            }
            traces.append(
                marks([cell.at[0]], [cell.value], ring, hoverinfo="skip", name=name)
            )
    if (best := heat_map.best) is not None:
        text = f"<b>best {decimals(best.value)}</b>"
        label = note(text, best.at[0], best.value, palette.ink, yshift=18)
        figure["annotations"].append(label)
    text = f"{best_text(heat_map)} {ends_text(heat_map)}".strip().replace("**", "")
    return Picture(traces, figure, text, lambda: map_table(heat_map))


def _layout(heat_map: Map, ends: Ends, palette: Palette) -> dict[str, Any]:
    """Return the layout: the axis of the measure above the axis of the objective."""
    (across,) = heat_map.plan.axes
    figure = layout(palette, across.title, measure_title(heat_map.plan), height=HEIGHT)
    figure["xaxis"] |= value_ticks(across)
    figure["yaxis"] |= {"tickformat": ".2f", "overlaying": "y2"}
    figure["xaxis"] |= {"anchor": "y3"}
    figure["yaxis3"] = _objective_axis(ends, palette)
    figure["yaxis2"] = {
        "visible": False,
        "domain": [0.36, 1.0],
        "fixedrange": True,
        "range": [-0.5, ROWS - 0.5],
    }
    figure["hovermode"] = "closest"
    figure["annotations"] = region_names(heat_map, palette)
    return figure


def _objective(
    heat_map: Map, ends: Ends, colour: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return the training measure, and below it the objective or its reduction."""
    measure = heat_map.plan.measure
    x = np.array([cell.at[0] for cell in heat_map.cells])
    share = np.nan_to_num(ends.share)
    more = f", %{{customdata:.1%}} {ends.name}" if ends.name else ""
    reduced = ends.name == NAMES[StructuredRanker]
    below = lines(
        x,
        ends.share if reduced else ends.objective,
        palette.secondary,
        hover=f"%{{y:.1%}} {ends.name}" if reduced else f"objective %{{y:.3~r}}{more}",
        name="reduction" if reduced else "objective",
        mode="lines+markers",
        yaxis="y3",
        customdata=share,
        marker={"size": 7, "color": palette.secondary},
    )
    if heat_map.plan.split == "train":
        return [below]
    hover = f"training {measure}: %{{y:.3f}}"
    dotted = {"dash": "dot", "color": colour, "width": 1.5}
    training = lines(x, ends.train, colour, hover=hover, name="training", line=dotted)
    return [training, below]


def _objective_axis(ends: Ends, palette: Palette) -> dict[str, Any]:
    reduced = ends.name == NAMES[StructuredRanker]
    scale = {"range": [0, 1.04], "tickformat": ".0%"} if reduced else {}
    title = "reduction" if reduced else "objective"
    place = {"domain": [0.0, 0.28], "nticks": 4, "rangemode": "tozero"}
    return axis(palette, title) | place | scale


def _columns(heat_map: Map) -> dict[str, Any]:
    """Return an invisible grid with the cell of each value over the full height, so
    that the pointer finds a cell even where no model exists yet."""
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
