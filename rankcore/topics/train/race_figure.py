"""Several runs in one picture, with one curve each."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.numbers import listed
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, run_styles, shapes
from rankcore.plot.style import Picture
from rankcore.topics.train.bands import MeanInterval, mean_band
from rankcore.topics.train.curves import Axis, Curve, RunCurves, run_curves
from rankcore.topics.train.training_figure import AXES, DASHES, plain
from rankcore.training import Run

HEIGHT = 430
LONGEST_NAME = 26
CHARACTER_WIDTH = 7


class RunInRace(NamedTuple):
    """A run to draw among others.

    Attributes
    ----------
    name : str
        Name at the end of its curve.
    algorithm : str
        Decides its hue; see `rankcore.plot.palette.run_styles`.
    band : MeanInterval or None
        Shaded around its curve.
    hidden : bool
        Whether it is left out; the others keep their styles.
    ranks : bool
        Whether its best model ranks documents, rather than tying them all.
    """

    name: str
    algorithm: str
    curves: RunCurves
    band: MeanInterval | None = None
    hidden: bool = False
    ranks: bool = True

    @classmethod
    def of(
        cls, name: str, run: Run, over: Axis = "iteration", banded: bool = False
    ) -> "RunInRace":
        """Return a run that has a record, by its first measure; ``banded``: with its
        band."""
        measure = str(run.measures[0])
        curves = run_curves(run.history, measure, run.best, over)
        band = mean_band(run, measure, over) if banded else None
        kind = type(run.algorithm).__name__
        return cls(name, kind, curves, band, ranks=run.best.ranks)

    @property
    def decisive(self) -> Curve | None:
        """Its curve on validation or else training; None before a record."""
        return self.curves.measured[-1] if self.curves.measured else None


def race_figure(
    runs: Sequence[RunInRace], over: Axis = "iteration", palette: Palette = LIGHT
) -> Picture:
    """Draw the measure of several runs; a ring marks the best record of each.

    Each algorithm has one hue and one marker, and its settings are lightness steps of
    the hue. Curves have name and best value at their ends, and bands are shaded.

    Parameters
    ----------
    runs : sequence of RunInRace
        Curves of one measure over the same axis.
    over : {"iteration", "seconds"}
        The quantity on that axis.
    """
    styles = run_styles([run.algorithm for run in runs], palette)
    measure = runs[0].curves.measure if runs else ""
    visible = [
        entry
        for entry in zip(runs, styles, shapes(styles), strict=True)
        if not entry[0].hidden
    ]
    shown = [run for run, _, _ in visible]
    traces = [
        trace
        for run, style, symbol in visible
        for trace in _traces(run, style.colour, symbol, palette)
    ]
    low, high = _range(shown)
    ends = {
        _label(run): (float(run.decisive.y[-1]), style.colour)
        for run, style, _ in visible
        if run.decisive is not None
    }
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 60, "r": _room(shown), "t": 12, "b": 52},
        "hovermode": "x",
        "xaxis": draw.axis(palette, AXES[over])
        | {"showgrid": False, "rangemode": "tozero"},
        "yaxis": draw.axis(palette, measure)
        | {"range": [low, high], "tickformat": ".2f"},
        "annotations": draw.end_names(
            ends, palette, (HEIGHT - 64) / (high - low), within=(low, high)
        ),
    }
    if not ends:
        layout["xaxis"]["range"] = [0, 100]
    return Picture(traces, layout).described(
        _alt_text(shown, measure) if shown or not runs else "All runs are hidden.",
        lambda: _table(shown, AXES[over]),
    )


def _traces(
    run: RunInRace, colour: str, symbol: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return a run's band, its curve with marks, and a ring at its best record."""
    curve, band = run.decisive, run.band
    if curve is None:
        return []
    traces = [draw.area_between(band.x, band.low, band.high, colour)] if band else []
    line = draw.lines(
        curve.x.astype(np.float32),
        curve.y.astype(np.float32),
        colour,
        2.2,
        hover=f"{escape(run.name)}: %{{y:.3g}}",
        line={"dash": DASHES[curve.name]},
        name=escape(run.name),
    )
    traces.append(draw.marked(line, symbol))
    if run.curves.best is not None:
        x, y = run.curves.best
        ring = draw.outlined(11, palette.background, colour, 2)
        traces.append(draw.marks([x], [y], ring, name="best"))
    return traces


def _label(run: RunInRace) -> str:
    """Return the name of a run and its best value, which a ring marks."""
    best = run.curves.best
    value = "" if best is None else f" {listed(f'○ {best[1]:.3f}', run.ranks)}"
    return escape(draw.shortened(run.name, LONGEST_NAME)) + value


def _room(runs: Sequence[RunInRace]) -> int:
    """Return the right margin, in pixels, for line-end labels."""
    longest = max((len(run.name) for run in runs), default=0)
    return 24 + CHARACTER_WIDTH * (min(longest, LONGEST_NAME) + len(" ○ 0.000"))


def _range(runs: Sequence[RunInRace]) -> list[float]:
    curves = [run.decisive.y for run in runs if run.decisive is not None]
    curves += [end for run in runs if run.band for end in run.band[1:3]]
    finite = [curve[np.isfinite(curve)] for curve in curves]
    finite = [curve for curve in finite if len(curve)]
    if not finite:
        return [0.0, 1.0]
    room = 0.06 if draw.span(*finite) > 1e-9 else 0.05
    return draw.padded_range(room, *finite)


def _alt_text(runs: Sequence[RunInRace], measure: str) -> str:
    decisive = [run.decisive for run in runs if run.decisive is not None]
    if not decisive:
        return "The runs have not started; their curves will be drawn here."
    values = ", ".join(
        f"{run.name} {listed(f'{run.curves.best[1]:.3f}', run.ranks)}"
        for run in runs
        if run.curves.best
    )
    split = decisive[0].name
    return f"Best {measure} on {split} queries so far: {values}."


def _table(runs: Sequence[RunInRace], over: str) -> list[dict[str, Any]]:
    return [
        {"run": run.name, over: float(x), run.curves.measure: float(y)}
        for run in runs
        if run.decisive is not None
        for x, y in zip(run.decisive.x, run.decisive.y, strict=True)
    ]
