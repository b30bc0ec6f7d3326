"""Several runs in one picture: a curve each, or small multiples of many algorithms."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.charts._style import (
    Picture,
    area_between,
    axis,
    end_names,
    lines,
    marks,
    note,
    padded_range,
    shortened,
    span,
)
from rankcore.charts.palette import LIGHT, Palette, run_styles
from rankcore.charts.training import AXES, DASHES, plain
from rankcore.insight.bands import Band, mean_band
from rankcore.insight.curves import Axis, Curve, RunCurves, run_curves
from rankcore.training import Run

HEIGHT = 430
CELL_HEIGHT = 190
MOST_TOGETHER = 6
LONGEST_NAME = 26
CHARACTER_WIDTH = 7
COLUMNS = 3


class RunInRace(NamedTuple):
    """A run as it is to be drawn beside others.

    Attributes
    ----------
    name : str
        At the end of its curve.
    algorithm : str
        Decides its hue; see `rankcore.charts.palette.run_styles`.
    curves : RunCurves
    band : Band or None
        Shaded around its curve.
    """

    name: str
    algorithm: str
    curves: RunCurves
    band: Band | None = None

    @classmethod
    def of(
        cls, name: str, run: Run, over: Axis = "iteration", banded: bool = False
    ) -> "RunInRace":
        """A run that has a record, by its first measure; ``banded``: with its band."""
        measure = str(run.measures[0])
        curves = run_curves(run.history, measure, run.best, over)
        band = mean_band(run, measure, over) if banded else None
        return cls(name, type(run.algorithm).__name__, curves, band)

    @property
    def decisive(self) -> Curve | None:
        """Its curve on validation, else on training; None before the first record."""
        return self.curves.measured[-1] if self.curves.measured else None


def race_figure(
    runs: Sequence[RunInRace], over: Axis = "iteration", palette: Palette = LIGHT
) -> Picture:
    """Draw the measure of several runs; a ring marks the best record of each.

    An algorithm has one hue, and its settings lightness steps of it; the curves carry
    name and best value at their ends, and bands are shaded. More than six algorithms
    are drawn as small multiples, one for each, with the same axes.

    Parameters
    ----------
    runs : sequence of RunInRace
        Curves of one measure over the same axis.
    over : {"iteration", "seconds"}
        What that axis is.
    palette : Palette
    """
    styles = run_styles([run.algorithm for run in runs], palette)
    colours = [style.colour for style in styles]
    algorithms = list(dict.fromkeys(run.algorithm for run in runs))
    measure = runs[0].curves.measure if runs else ""
    if len(algorithms) <= MOST_TOGETHER:
        picture = _together(runs, colours, AXES[over], measure, palette)
    else:
        picture = _apart(algorithms, runs, colours, AXES[over], measure, palette)
    return picture.described(_said(runs, measure), lambda: _table(runs, AXES[over]))


def _together(
    runs: Sequence[RunInRace],
    colours: Sequence[str],
    over: str,
    measure: str,
    palette: Palette,
) -> Picture:
    traces = [
        trace
        for run, colour in zip(runs, colours, strict=True)
        for trace in _traces(run, colour, palette)
    ]
    low, high = _range(runs)
    ends = {
        _label(run): (float(run.decisive.y[-1]), colour)
        for run, colour in zip(runs, colours, strict=True)
        if run.decisive is not None
    }
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 60, "r": _room(runs), "t": 12, "b": 52},
        "hovermode": "x",
        "xaxis": axis(palette, over) | {"showgrid": False, "rangemode": "tozero"},
        "yaxis": axis(palette, measure) | {"range": [low, high], "tickformat": ".2f"},
        "annotations": end_names(ends, palette, (HEIGHT - 58) / (high - low)),
    }
    if not ends:
        layout["xaxis"]["range"] = [0, 100]
    return Picture(traces, layout)


def _apart(
    algorithms: Sequence[str],
    runs: Sequence[RunInRace],
    colours: Sequence[str],
    over: str,
    measure: str,
    palette: Palette,
) -> Picture:
    rows = -(-len(algorithms) // COLUMNS)
    low, high = _range(runs)
    drawn = [run.decisive for run in runs if run.decisive is not None]
    furthest = max((float(curve.x[-1]) for curve in drawn), default=100.0)
    layout = plain(palette) | {
        "height": CELL_HEIGHT * rows,
        "margin": {"l": 60, "r": 20, "t": 24, "b": 52},
        "annotations": [],
    }
    traces: list[dict[str, Any]] = []
    for place, algorithm in enumerate(algorithms):
        row, column = divmod(place, COLUMNS)
        number = str(place + 1) if place else ""
        left, bottom = column / COLUMNS, 1.0 - (row + 1) / rows
        last = place + COLUMNS >= len(algorithms)
        layout[f"xaxis{number}"] = axis(palette, over if last else "") | {
            "domain": [left + 0.02, left + 1 / COLUMNS - 0.02],
            "anchor": f"y{number}",
            "range": [0, furthest * 1.03],
            "showgrid": False,
            "nticks": 4,
        }
        layout[f"yaxis{number}"] = axis(palette, "" if column else measure) | {
            "domain": [bottom + 0.2 / rows, bottom + 0.86 / rows],
            "anchor": f"x{number}",
            "range": [low, high],
            "nticks": 4,
            "tickformat": ".2f",
        }
        own = [
            (run, colour)
            for run, colour in zip(runs, colours, strict=True)
            if run.algorithm == algorithm
        ]
        for run, colour in own:
            for trace in _traces(run, colour, palette):
                traces.append(trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"})
        titles = (
            f'<b style="color:{palette.readable(colour)}">{_label(run)}</b>'
            for run, colour in own
        )
        layout["annotations"].append(
            note(
                "  ".join(titles),
                left + 0.02,
                bottom + 0.86 / rows,
                palette.ink,
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="bottom",
            )
        )
    return Picture(traces, layout)


def _traces(run: RunInRace, colour: str, palette: Palette) -> list[dict[str, Any]]:
    """A run's band, its curve, and a ring at its best record."""
    curve, band = run.decisive, run.band
    if curve is None:
        return []
    found = [area_between(band.x, band.low, band.high, colour)] if band else []
    found += [
        lines(
            curve.x.astype(np.float32),
            curve.y.astype(np.float32),
            colour,
            2.2,
            hover=f"{escape(run.name)}: %{{y:.4g}}",
            line={"dash": DASHES[curve.name]},
            name=escape(run.name),
        )
    ]
    if run.curves.best is not None:
        x, y = run.curves.best
        ring = {"size": 11, "color": palette.background}
        found.append(
            marks([x], [y], ring | {"line": {"width": 2, "color": colour}}, name="best")
        )
    return found


def _label(run: RunInRace) -> str:
    """Its name and its best value, which a ring marks."""
    best = run.curves.best
    value = "" if best is None else f" ○ {best[1]:.3f}"
    return escape(shortened(run.name, LONGEST_NAME)) + value


def _room(runs: Sequence[RunInRace]) -> int:
    """Pixels for the names at the ends."""
    longest = max((len(run.name) for run in runs), default=0)
    return 24 + CHARACTER_WIDTH * (min(longest, LONGEST_NAME) + len(" ○ 0.000"))


def _range(runs: Sequence[RunInRace]) -> list[float]:
    curves = [run.decisive.y for run in runs if run.decisive is not None]
    curves += [end for run in runs if run.band for end in run.band[1:3]]
    known = [curve[np.isfinite(curve)] for curve in curves]
    known = [curve for curve in known if len(curve)]
    if not known:
        return [0.0, 1.0]
    room = 0.06 if span(*known) > 1e-9 else 0.05
    return padded_range(room, *known)


def _said(runs: Sequence[RunInRace], measure: str) -> str:
    known = [run.decisive for run in runs if run.decisive is not None]
    if not known:
        return "The runs have not begun; their curves will be drawn here."
    values = ", ".join(
        f"{run.name} {run.curves.best[1]:.3f}" for run in runs if run.curves.best
    )
    split = known[0].name
    return f"Best {measure} on {split} queries so far: {values}."


def _table(runs: Sequence[RunInRace], over: str) -> list[dict[str, Any]]:
    return [
        {"run": run.name, over: float(x), run.curves.measure: float(y)}
        for run in runs
        if run.decisive is not None
        for x, y in zip(run.decisive.x, run.decisive.y, strict=True)
    ]
