"""Figure of a map over three or more hyperparameters: parallel coordinates."""

from collections.abc import Sequence
from html import escape

import numpy as np

from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.studies.results import ModelResults
from rankcore.topics.explore.map_words import (
    GROUP,
    WORDS,
    best_text,
    map_table,
    value_ticks,
)
from rankcore.topics.explore.maps import Map, state_of
from rankcore.topics.explore.parallel_figure import Lines, ParallelAxis


def lines_of(heat_map: Map) -> list[ModelResults]:
    """Return the cells that are drawn as lines: those with a measured model."""
    able = [cell for cell in heat_map.cells if cell.values]
    return [cell for cell in able if cell.ranks] or able


def map_lines_figure(
    heat_map: Map, chosen: ModelResults | None = None, palette: Palette = LIGHT
) -> Picture:
    """Draw each model of a map as a line over its hyperparameters, measure and costs.

    If the algorithm reports problems, one axis shows them. A model without a measured
    value has no line.

    Parameters
    ----------
    heat_map : Map
        With at least one measured cell.
    chosen : ModelResults, optional
        Its line has the text colour, see ``lines.js`` of the live figure.
    """
    cells, axes = lines_of(heat_map), []
    for number, axis in enumerate(heat_map.plan.axes):
        at = np.array([cell.at[number] for cell in cells], np.float64)
        ticks = value_ticks(axis)
        texts = dict(zip(ticks["tickvals"], ticks["ticktext"], strict=True))
        ends = (0.0, len(axis.values) - 1.0)
        axes.append(
            ParallelAxis(axis.name, escape(axis.symbol), at, ends, texts, axis.letter)
        )
    axes += _reports(cells)
    models = Lines(
        axes,
        heat_map.plan.measure,
        np.array([cell.mean for cell in cells]),
        np.array([cell.nonzeros for cell in cells]),
        np.array([cell.mean_seconds for cell in cells]),
        heat_map.plan.splits.train.n_features,
    )
    picture = models.picture(GROUP, palette)
    picture.data[0]["meta"] |= {
        "leads": GROUP,
        "cells": [heat_map.places[cell.at] for cell in cells],
        "at": cells.index(chosen) if chosen in cells else None,
    }
    return picture.described(best_text(heat_map), lambda: map_table(heat_map))


def _reports(cells: Sequence[ModelResults]) -> list[ParallelAxis]:
    """Return an axis of the algorithm's reports; empty without reports."""
    states = [
        state for state in WORDS if any(state_of(cell) == state for cell in cells)
    ]
    if not states:
        return []
    at = {state: float(number) for number, state in enumerate(["trained", *states])}
    texts = {at[state]: WORDS.get(state, "none") for state in at}
    places = np.array([at[state_of(cell)] for cell in cells])
    return [ParallelAxis("report", "report", places, (0.0, float(len(states))), texts)]
