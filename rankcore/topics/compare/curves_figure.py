"""Runs compared along training: a curve with a band each; small multiples for many."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, MOST_TOGETHER, Palette, RunStyle, faded, shapes
from rankcore.plot.style import Picture
from rankcore.topics.compare.comparison import Band, Contender, short_names
from rankcore.topics.compare.differences_figure import LONGEST_NAME, styles_of
from rankcore.topics.train.curves import Axis
from rankcore.topics.train.multiples_figure import multiples_figure
from rankcore.topics.train.training_figure import AXES, plain

HEIGHT = 430
CHARACTER_WIDTH = 7
# Letters that fit above one of two small charts side by side on a telephone.
LONGEST_LINE = 20
# Largest number of names that fit at the ends of curves.
MOST_NAMES = 18


class _Curve(NamedTuple):
    """A contender as it is drawn."""

    one: Contender
    band: Band
    short: str
    style: RunStyle

    @property
    def name(self) -> str:
        """Its name as HTML."""
        return escape(draw.shortened(self.short, LONGEST_NAME))

    @property
    def last(self) -> float:
        return float(self.band.mean[-1])

    @property
    def best(self) -> str:
        """Its best value."""
        return f"{self.band.best[1]:.3f}"


def curves_figure(
    contenders: Sequence[Contender],
    measure: str,
    over: Axis = "iteration",
    each: bool = False,
    palette: Palette = LIGHT,
    values: Mapping[str, float] | None = None,
) -> Picture:
    """Draw each contender's measure along training.

    A ring marks the best value, which is written at the end of the line: the mean of
    the runs' best values, as in facts and tables.

    Contenders of more than `MOST_TOGETHER` algorithms are drawn as small multiples, one
    for each algorithm, with the same axes.

    Parameters
    ----------
    contenders : sequence of Contender
        The contender with the highest value first.
    over : {"iteration", "seconds"}
    each : bool
        Whether every run has a thin line, rather than a band from the smallest to the
        largest.
    values : mapping of str to float, optional
        Best values by contender's name, where known, as in a comparison on common
        queries.
    """
    styles, short = styles_of(contenders, palette), short_names(contenders)
    bands = [(one, one.band(measure, over)) for one in contenders]
    curves = [
        _Curve(one, _valued(band, (values or {}).get(one.name)), short[one.name], style)
        for one, band in bands
        for style in [styles[one.name]]
        if band is not None
    ]
    many = len({curve.one.algorithm for curve in curves}) > MOST_TOGETHER
    draw = _apart if many else _together
    bests = ", ".join(f"{c.one.name} {c.best}" for c in curves)
    return draw(curves, AXES[over], measure, each, palette).described(
        f"Best {measure}, mean of the runs: {bests or 'no curve is stored'}.",
        lambda: _table(curves, measure, AXES[over]),
    )


def _valued(band: Band, value: float | None) -> Band:
    """Return a band with this best value, if there is one."""
    return band if value is None else band._replace(best=(band.best[0], value))


def _together(
    curves: Sequence[_Curve], x: str, y: str, each: bool, palette: Palette
) -> Picture:
    """Draw all in one chart, with names at their ends."""
    low, high = _heights(curves)
    # Values stand below the names if there is room, so that curves are wide on a
    # telephone.
    few = len(curves) <= MOST_NAMES // 2
    ends = {
        f"{curve.name}{'<br>' if few else ' '}○ {curve.best}": (
            curve.last, curve.style.colour,
        )
        for curve in curves[:MOST_NAMES]
    }  # fmt: skip
    pixels = (HEIGHT - 64) / (high - low)
    longest = min(max((len(curve.short) for curve in curves), default=0), LONGEST_NAME)
    figure = plain(palette) | {
        "height": HEIGHT,
        "margin": {
            "l": 60,
            "r": 30 + CHARACTER_WIDTH * (max(longest, 7) if few else longest + 6),
            "t": 12,
            "b": 52,
        },
        "hovermode": "x",
        "xaxis": draw.axis(palette, x) | {"showgrid": False, "rangemode": "tozero"},
        "yaxis": draw.axis(palette, y) | {"range": [low, high], "tickformat": ".2f"},
        "annotations": [
            *draw.end_names(ends, palette, pixels, within=(low, high), align="left"),
        ],
    }
    symbols = shapes([curve.style for curve in curves])
    return Picture(_traces(curves, symbols, each, palette), figure)


def _apart(
    every: Sequence[_Curve], x: str, y: str, each: bool, palette: Palette
) -> Picture:
    """Return a chart for each algorithm, the one with the best contender first."""
    cells = []
    for algorithm in dict.fromkeys(curve.one.algorithm for curve in every):
        curves = [curve for curve in every if curve.one.algorithm == algorithm]
        traces = _traces(curves, [""] * len(curves), each, palette)
        names = [
            (draw.in_lines(f"{c.name} ○ {c.best}", LONGEST_LINE), c.style.colour)
            for c in curves
        ]
        cells.append((names, traces))
    width = 1.08 * max(float(curve.band.x[-1]) for curve in every)
    return multiples_figure(cells, x, y, width, _heights(every, 0.15), palette)


def _heights(curves: Sequence[_Curve], room: float = 0.05) -> list[float]:
    """Return the range of the vertical axis, with a share of ``room`` for rings."""
    bands = [curve.band for curve in curves]
    ends = [end for band in bands for end in (band.low, band.high, band.best[1])]
    return draw.padded_range(room, *ends) if ends else [0.0, 1.0]


def _traces(
    curves: Sequence[_Curve], symbols: Sequence[str], each: bool, palette: Palette
) -> list[dict[str, Any]]:
    """Return the best curve in front, and the runs' bands behind all curves."""
    several = [curve for curve in reversed(curves) if len(curve.band.each) > 1]
    spread = _runs if each else _shade
    behind = [trace for curve in several for trace in spread(curve)]
    pairs = [*zip(curves, symbols, strict=True)]
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
        draw.lines(band.x, band.low, colour, 0),
        draw.lines(band.x, band.high, colour, 0, **fill),
    ]


def _runs(curve: _Curve) -> list[dict[str, Any]]:
    return [
        draw.lines(x, y, faded(curve.style.colour, 0.55), 1) for x, y in curve.band.each
    ]


def _mean(curve: _Curve, symbol: str, palette: Palette) -> list[dict[str, Any]]:
    band, colour, name = curve.band, curve.style.colour, escape(curve.one.name)
    x, y = band.best
    ring = draw.outlined(11, palette.background, colour, 2)
    mean = draw.lines(
        band.x, band.mean, colour, 2.2, hover=f"{name}: %{{y:.3f}}", name=name
    )
    return [
        draw.marked(mean, symbol),
        draw.marks(
            [x],
            [y],
            ring,
            f"{name}: best {curve.best}",
            name="best",
        ),
    ]


def _table(curves: Sequence[_Curve], measure: str, over: str) -> list[dict[str, Any]]:
    return [
        {
            "model": curve.one.name,
            over: float(x),
            f"mean {measure}": float(mean),
            "smallest": float(low),
            "largest": float(high),
            f"best {measure}": curve.band.best[1],
            "runs": len(curve.band.each),
        }
        for curve in curves
        for x, mean, low, high in zip(*curve.band[:4], strict=True)
    ]
