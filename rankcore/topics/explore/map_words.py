"""Words and marks that the pictures of a map share."""

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
    """Return a row a cell that is known: its values, and what its runs found."""
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
    """Return the values of a cell on the axes, in words."""
    parts = zip(heat_map.plan.axes, cell.at, strict=True)
    return ", ".join(f"{axis.symbol} = {axis.text(at)}" for axis, at in parts)


def cell_text(heat_map: Map, cell: ModelResults) -> str:
    """Return a cell in words, in lines."""
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
    """Return the measure with the split that it is measured on."""
    split = {"train": "Training", "valid": "Validation"}[plan.split]
    return f"{split} {plan.measure}"


def best_text(heat_map: Map) -> str:
    """Where a map is highest, as a sentence."""
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
    """Ticks of a picture at the values of an axis."""
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
    """Return the words for each kind of report, amid the cells that have it."""
    names = []
    for state, words in WORDS.items():
        at = np.array([cell.at for cell in heat_map.cells if state_of(cell) == state])
        if not len(at):
            continue
        middle = at[((at - at.mean(axis=0)) ** 2).sum(axis=1).argmin()]
        two, last = len(middle) > 1, len(heat_map.plan.axes[0].values) - 1
        place: dict[str, Any] = {} if two else {"yref": "paper", "yanchor": "top"}
        # Words are wider than a cell; those at an edge stay within the map.
        x, place["xanchor"] = {
            0: (-0.5, "left"), last: (last + 0.5, "right"),
        }.get(int(middle[0]), (float(middle[0]), "center"))  # fmt: skip
        names.append(
            note(words, x, middle[1] if two else 1, palette.ink, **place)
            | {"bgcolor": palette.background, "opacity": 0.9}
        )
    return names


def dot(colour: str, size: int) -> dict[str, Any]:
    """Return a mark without an edge."""
    return {"color": colour, "size": size, "line": {"width": 0}}


def leads(cells: NDArray[np.int64], measured: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the cell at each point of a grid, in rows; a point without one is
    empty."""
    return {
        "leads": GROUP,
        "width": cells.shape[1],
        "cells": cells.ravel().tolist(),
        "empty": (~measured).ravel().tolist(),
    }


def known_at(heat_map: Map) -> NDArray[np.bool_]:
    """Whether each position has its own cell."""
    mask = np.zeros(heat_map.plan.shape, bool)
    for cell in heat_map.cells:
        mask[cell.at] = True
    return mask


def hover_texts(heat_map: Map) -> NDArray[np.object_]:
    """Return the words of the cell at each position, or of the nearest one."""
    texts = np.array([cell_text(heat_map, cell) for cell in heat_map.cells], object)
    mask = known_at(heat_map)
    return np.where(mask, "", "nearest model so far:<br>") + texts[heat_map.nearest]


def hatching(heat_map: Map, palette: Palette, rows: int = 1) -> list[dict[str, Any]]:
    """Lines over the cells where the algorithm reports a problem: rising where it
    diverges, fails or ranks nothing, falling where its gradient vanishes.

    A cell of a map over one axis is a column of so many rows.
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
