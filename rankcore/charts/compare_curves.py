"""Runs compared along training: a curve each with its band; many algorithms apart."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from rankcore.charts._style import (
    Picture,
    axis,
    end_names,
    lines,
    marked,
    marks,
    padded_range,
    shortened,
)
from rankcore.charts.compare import LONGEST_NAME, styles_of
from rankcore.charts.multiples import Cell, multiples_figure
from rankcore.charts.palette import (
    LIGHT,
    MOST_TOGETHER,
    Palette,
    RunStyle,
    faded,
    shapes,
)
from rankcore.charts.training import AXES, plain
from rankcore.insight.comparison import Band, Contender, short_names
from rankcore.insight.curves import Axis

HEIGHT = 430
CHARACTER_WIDTH = 7
# Names at the ends of curves; more do not fit.
MOST_NAMES = 18


class _Curve(NamedTuple):
    """A contender as it is drawn."""

    one: Contender
    band: Band
    short: str
    style: RunStyle

    @property
    def end(self) -> tuple[str, str]:
        """Its name with its best value, and its colour."""
        name = escape(shortened(self.short, LONGEST_NAME))
        return f"{name} {self.band.best[1]:.3f}", self.style.colour


def curves_figure(
    contenders: Sequence[Contender],
    measure: str,
    over: Axis = "iteration",
    each: bool = False,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw each contender's measure along training.

    Contenders of more than `MOST_TOGETHER` algorithms are drawn as small multiples, one
    for each algorithm, with the same axes.

    Parameters
    ----------
    contenders : sequence of Contender
        The one with the highest value first.
    measure : str
    over : {"iteration", "seconds"}
    each : bool
        Whether every run has a thin line, rather than a band from the smallest to the
        largest.
    palette : Palette
    """
    styles, short = styles_of(contenders, palette), short_names(contenders)
    known = [(one, one.band(measure, over)) for one in contenders]
    drawn = [
        _Curve(one, band, short[one.name], styles[one.name])
        for one, band in known
        if band is not None
    ]
    many = len({curve.one.algorithm for curve in drawn}) > MOST_TOGETHER
    draw = _apart if many else _together
    said = ", ".join(f"{c.one.name} {c.band.best[1]:.3f}" for c in drawn)
    return draw(drawn, AXES[over], measure, each, palette).described(
        f"Best mean {measure} along training: {said or 'no curve is kept'}.",
        lambda: _table(drawn, measure, AXES[over]),
    )


def _together(
    drawn: Sequence[_Curve], x: str, y: str, each: bool, palette: Palette
) -> Picture:
    """All in one chart, with their names at the ends."""
    low, high = _heights(drawn)
    ends = {
        label: (float(curve.band.mean[-1]), colour)
        for curve in drawn[:MOST_NAMES]
        for label, colour in [curve.end]
    }
    longest = min(max((len(curve.short) for curve in drawn), default=0), LONGEST_NAME)
    figure = plain(palette) | {
        "height": HEIGHT,
        "margin": {
            "l": 60,
            "r": 30 + CHARACTER_WIDTH * (longest + 6),
            "t": 12,
            "b": 52,
        },
        "hovermode": "x",
        "xaxis": axis(palette, x) | {"showgrid": False, "rangemode": "tozero"},
        "yaxis": axis(palette, y) | {"range": [low, high], "tickformat": ".2f"},
        "annotations": end_names(
            ends, palette, (HEIGHT - 64) / (high - low), within=(low, high)
        ),
    }
    symbols = shapes([curve.style for curve in drawn])
    return Picture(_traces(drawn, symbols, each, palette), figure)


def _apart(
    drawn: Sequence[_Curve], x: str, y: str, each: bool, palette: Palette
) -> Picture:
    """A chart for each algorithm, the one with the best contender first."""
    cells = []
    for algorithm in dict.fromkeys(curve.one.algorithm for curve in drawn):
        own = [curve for curve in drawn if curve.one.algorithm == algorithm]
        traces = _traces(own, [""] * len(own), each, palette)
        cells.append(Cell([curve.end for curve in own], traces))
    width = 1.08 * max(float(curve.band.x[-1]) for curve in drawn)
    return multiples_figure(cells, x, y, width, _heights(drawn, 0.15), palette)


def _heights(drawn: Sequence[_Curve], room: float = 0.05) -> list[float]:
    """The range of the vertical axis, with a share of ``room`` for rings."""
    ends = [end for curve in drawn for end in (curve.band.low, curve.band.high)]
    return padded_range(room, *ends) if ends else [0.0, 1.0]


def _traces(
    drawn: Sequence[_Curve], symbols: Sequence[str], each: bool, palette: Palette
) -> list[dict[str, Any]]:
    """The best in front; behind all curves what their runs span."""
    several = [curve for curve in reversed(drawn) if len(curve.band.each) > 1]
    spread = _runs if each else _shade
    behind = [trace for curve in several for trace in spread(curve)]
    pairs = [*zip(drawn, symbols, strict=True)]
    means = [
        trace
        for curve, symbol in reversed(pairs)
        for trace in _mean(curve, symbol, palette)
    ]
    return [*behind, *means]


def _shade(curve: _Curve) -> list[dict[str, Any]]:
    band, colour = curve.band, curve.style.colour
    fill: dict[str, Any] = {"fill": "tonexty", "fillcolor": faded(colour, 0.16)}
    return [
        lines(band.x, band.low, colour, 0),
        lines(band.x, band.high, colour, 0, **fill),
    ]


def _runs(curve: _Curve) -> list[dict[str, Any]]:
    return [lines(x, y, faded(curve.style.colour, 0.55), 1) for x, y in curve.band.each]


def _mean(curve: _Curve, symbol: str, palette: Palette) -> list[dict[str, Any]]:
    band, colour, name = curve.band, curve.style.colour, escape(curve.one.name)
    x, y = band.best
    ring = {"size": 11, "color": palette.background}
    mean = lines(band.x, band.mean, colour, 2.2, hover=f"{name}: %{{y:.4g}}", name=name)
    return [
        marked(mean, symbol),
        marks([x], [y], ring | {"line": {"width": 2, "color": colour}}, name="best"),
    ]


def _table(drawn: Sequence[_Curve], measure: str, over: str) -> list[dict[str, Any]]:
    return [
        {
            "model": curve.one.name,
            over: float(x),
            f"mean {measure}": float(mean),
            "smallest": float(low),
            "largest": float(high),
            "runs": len(curve.band.each),
        }
        for curve in drawn
        for x, mean, low, high in zip(*curve.band[:4], strict=True)
    ]
