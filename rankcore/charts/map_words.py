"""Words and marks that the pictures of a map share."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import note
from rankcore.charts.numbers import decimals, minus, significant
from rankcore.charts.palette import Palette
from rankcore.insight.maps import Axis, Map, MapCell, MapPlan
from rankcore.insight.search import SearchPlan

HEIGHT = 424
MOST_TICKS = 9
GROUP = "map"
WORDS = {
    "diverges": "diverges",
    "failed": "cannot be trained",
    "vanishes": "gradient vanishes",
}


def map_table(found: Map) -> list[dict[str, Any]]:
    """A row a cell that is known: its values, and what its runs found."""
    return [
        {
            **cell.settings,
            measure_title(found.plan): cell.value,
            "features kept": cell.kept,
            "iterations": cell.iterations,
            "runs": len(cell.rows),
            "seconds": cell.seconds,
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


def measure_title(plan: MapPlan | SearchPlan) -> str:
    """The measure with the split that it is measured on."""
    split = {"train": "Training", "valid": "Validation"}[plan.split]
    return f"{split} {plan.measure}"


def best_text(found: Map) -> str:
    """Where a map is highest, as a sentence."""
    best, known = found.best, len(found.cells)
    total = int(np.prod(found.plan.shape))
    extent = f"{known} of {total} cells" if known < total else f"all {known} cells"
    if best is None:
        return f"No model of {extent} could be trained."
    settings = ", ".join(
        f"{own.symbol} = {own.text(at)}"
        for own, at in zip(found.plan.axes, best.at, strict=True)
    )
    title = measure_title(found.plan)
    return f"{title} is highest, {decimals(best.value)}, at {settings}, of {extent}."


def value_ticks(own: Axis) -> dict[str, Any]:
    """Ticks of a picture at the values of an axis."""
    count = len(own.values)
    step = -(-(count - 1) // (MOST_TICKS - 1)) or 1
    at = list(range(0, count, step))
    return {
        "tickvals": at,
        "ticktext": [minus(escape(own.text(i))) for i in at],
        "range": [-0.5, count - 0.5],
        "fixedrange": True,
    }


def region_names(found: Map, palette: Palette) -> list[dict[str, Any]]:
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


def dot(colour: str, size: int) -> dict[str, Any]:
    """A mark without an edge."""
    return {"color": colour, "size": size, "line": {"width": 0}}


def leads(cells: NDArray[np.int64], width: int) -> dict[str, Any]:
    """Which cell is at each point of a trace; ``width`` points a row."""
    return {"leads": GROUP, "width": width, "cells": cells.tolist()}
