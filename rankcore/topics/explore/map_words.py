"""Texts and marks that the figures of a map share."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.numbers import RANKS_NOTHING, counted, listed
from rankcore.plot.numbers import decimals, minus, significant
from rankcore.plot.palette import Palette
from rankcore.plot.style import joined, lines, note
from rankcore.studies.results import ModelResults
from rankcore.topics.explore.maps import Axis, Map, report_of, state_of
from rankcore.topics.explore.model_study import ModelPlan
from rankcore.topics.explore.reduction import ends_columns

HEIGHT = 424
MOST_TICKS = 9
GROUP = "map"
WORDS = {
    "diverges": "diverges",
    "nothing": RANKS_NOTHING,
    "failed": "cannot be trained",
    "vanishes": "gradient vanishes",
}


def map_table(heat_map: Map) -> list[dict[str, Any]]:
    """Return one row per known cell: its settings and the results of its runs."""
    return [
        {
            **cell.settings,
            measure_title(heat_map.plan): listed(cell.mean, cell.ranks),
            "features kept": cell.nonzeros,
            "best iteration": cell.best_iteration,
            "iterations": cell.iterations,
            "runs": len(cell.rows),
            "seconds": cell.mean_seconds,
            "state": state_of(cell),
            "reason": report_of(cell),
            **columns,
        }
        for cell, columns in zip(heat_map.cells, ends_columns(heat_map), strict=True)
    ]


def place_text(heat_map: Map, cell: ModelResults) -> str:
    """Return the settings of a cell on the axes as text."""
    parts = zip(heat_map.plan.axes, cell.at, strict=True)
    return ", ".join(f"{axis.symbol} = {axis.text(at)}" for axis, at in parts)


def cell_text(heat_map: Map, cell: ModelResults) -> str:
    """Return the description of a cell, in lines."""
    plan, best = heat_map.plan, heat_map.best
    lines = [escape(place_text(heat_map, cell))]
    if cell.values and cell.ranks:
        below = ""
        if best is not None and cell.usable and best.value > 0:
            share = 100.0 * (best.value - cell.value) / best.value
            lower = cell.value < best.value
            below = f", {share:.2g}% below the best" if lower else ", the best"
        lines.append(f"{plan.measure} <b>{decimals(cell.mean)}</b>{below}")
    if cell.values:
        features = plan.splits.train.n_features
        lines.append(
            f"{significant(cell.nonzeros)} of {counted(features, 'features')} kept"
        )
    lines.append(counted(cell.iterations, "iterations"))
    if cell.values:
        lines.append(heat_map.chosen(cell)[1])
    if state_of(cell) != "trained":
        lines.append(WORDS[state_of(cell)])
    return "<br>".join(lines)


def measure_title(plan: ModelPlan) -> str:
    """Return the measure with the split on which it is computed."""
    split = {"train": "Training", "valid": "Validation"}[plan.split]
    return f"{split} {plan.measure}"


def best_text(heat_map: Map) -> str:
    """Sentence that names the best cell of a map."""
    best, count = heat_map.best, len(heat_map.cells)
    total = int(np.prod(heat_map.plan.shape))
    extent = (
        f"{count} of {counted(total, 'cells')}"
        if count < total
        else f"all {counted(count, 'cells')}"
    )
    if best is None:
        return f"No model of {extent} could be trained."
    title, place = measure_title(heat_map.plan), place_text(heat_map, best)
    return f"{title} is highest, {decimals(best.value)}, at {place}, of {extent}."


def value_ticks(axis: Axis) -> dict[str, Any]:
    """Axis ticks at the values of a map's axis."""
    count = len(axis.values)
    step = -(-(count - 1) // (MOST_TICKS - 1)) or 1
    at = list(range(0, count, step))
    return {
        "tickvals": at,
        "ticktext": [minus(escape(axis.text(i))) for i in at],
        "range": [-0.5, count - 0.5],
        "fixedrange": True,
    }


def region_names(heat_map: Map, palette: Palette) -> list[dict[str, Any]]:
    """Return a label for each kind of report, in the middle of its cells."""
    names = []
    for state, words in WORDS.items():
        at = np.array([cell.at for cell in heat_map.cells if state_of(cell) == state])
        if not len(at):
            continue
        middle = at[((at - at.mean(axis=0)) ** 2).sum(axis=1).argmin()]
        two, last = len(middle) > 1, len(heat_map.plan.axes[0].values) - 1
        place: dict[str, Any] = {} if two else {"yref": "paper", "yanchor": "top"}
        # Labels are wider than a cell; those at an edge stay within the map.
        x, place["xanchor"] = {
            0: (-0.5, "left"), last: (last + 0.5, "right"),
        }.get(int(middle[0]), (float(middle[0]), "center"))  # fmt: skip
        names.append(
            note(words, x, middle[1] if two else 1, palette.ink, **place)
            | {"bgcolor": palette.background, "opacity": 0.9}
        )
    return names


def dot(colour: str, size: int) -> dict[str, Any]:
    """Return a marker style without an outline."""
    return {"color": colour, "size": size, "line": {"width": 0}}


def leads(cells: NDArray[np.int64], measured: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the cell at each grid point, row by row, and a mask of the empty
    points."""
    return {
        "leads": GROUP,
        "width": cells.shape[1],
        "cells": cells.ravel().tolist(),
        "empty": (~measured).ravel().tolist(),
    }


def known_at(heat_map: Map) -> NDArray[np.bool_]:
    """Return a mask of the positions that have a cell of their own."""
    mask = np.zeros(heat_map.plan.shape, bool)
    for cell in heat_map.cells:
        mask[cell.at] = True
    return mask


def hover_texts(heat_map: Map) -> NDArray[np.object_]:
    """Return the hover text at each position: its own cell's, or the nearest cell's."""
    texts = np.array([cell_text(heat_map, cell) for cell in heat_map.cells], object)
    mask = known_at(heat_map)
    return np.where(mask, "", "nearest model so far:<br>") + texts[heat_map.nearest]


def hatching(heat_map: Map, palette: Palette, rows: int = 1) -> list[dict[str, Any]]:
    """Hatching of the cells with a reported problem: rising lines if training diverges,
    fails or ranks nothing, falling lines if the gradient vanishes.

    In a map over one axis, a cell is a column of ``rows`` rows.
    """
    states = np.array([state_of(cell) for cell in heat_map.cells])[heat_map.nearest]
    if states.ndim == 1:
        states = np.repeat(states[:, None], rows, axis=1)
    traces = []
    unusable = "diverges", "failed", "nothing"
    for rising, marked in ((True, unusable), (False, ("vanishes",))):
        at = np.argwhere(np.isin(states, marked))
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
