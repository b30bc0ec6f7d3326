"""Pictures of a path: measure against features kept, and the features."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import rounded
from rankcore.plot import style as draw
from rankcore.plot.palette import DASHES, LIGHT, Palette, faded, mix, rising_steps
from rankcore.plot.style import Picture
from rankcore.topics.sparsity.paths import Smallest, SparsityCurves
from rankcore.topics.train.coefficients import Weighing

HEIGHT = 380
PATHS_HEIGHT = 280
# The ends of the two parts of the trade-off figure.
UPPER, LOWER = 0.42, 0.34
MOST_NAMES = 8
LONGEST_NAME = 21
PART_NAMES = {"train": "training", "valid": "validation", "test": "test"}
# On a log scale, zero is drawn this many decades left of the smallest value.
ZERO_GAP = 0.4
# Opacity of the band of tolerated values.
BAND = 0.2


class Look(NamedTuple):
    """The appearance of a path.

    Attributes
    ----------
    symbol : str
        Symbol of the hyperparameter, in plain letters.
    colour : str
        Colour of the algorithm, as ``#rrggbb``.
    log : bool
        Whether the axis is logarithmic, with zero separate on the left.
    chosen : int or None
        The selected point.
    """

    symbol: str
    colour: str
    log: bool = True
    chosen: int | None = None
    palette: Palette = LIGHT

    def selected(self, x: Floats) -> list[dict[str, Any]]:
        """Return the line at the selected point, if any, given places on the axis."""
        if self.chosen is None:
            return []
        return [draw.vline(x[self.chosen], self.palette.primary)]


def trade_off_figure(
    curves: SparsityCurves, measure: str, look: Look, smallest: Smallest | None = None
) -> Picture:
    """Draw a measure and, below on the same axis, the features in use.

    Parameters
    ----------
    smallest : Smallest, optional
        The smallest model within tolerance: it gets a line, and the tolerated values a
        band.
    """
    symbol, colour, palette = look.symbol, look.colour, look.palette
    x, ticks = positions(curves.values, look.log)
    hover = f"{symbol} = %{{customdata:.3~r}}<br>"
    traces: list[dict[str, Any]] = [
        draw.lines(
            x,
            values,
            colour,
            hover=f"{hover}{PART_NAMES[part]} {measure}: %{{y:.3f}}",
            line={"dash": DASHES[part]},
            mode="lines+markers",
            customdata=curves.values,
            marker={"size": 6, "color": colour},
        )
        for part, values in curves.measured.items()
    ]
    traces.append(
        draw.lines(
            x,
            curves.nonzeros,
            palette.secondary,
            hover=f"{hover}%{{y:g}} features",
            line={"shape": "hv"},
            mode="lines+markers",
            yaxis="y2",
            customdata=curves.values,
            marker={"size": 6, "color": palette.secondary},
        )
    )
    figure = draw.layout(palette, symbol, measure, HEIGHT)
    figure["margin"]["r"] = 74 if smallest is None else 106
    figure["hovermode"] = "closest"
    figure["xaxis"] |= ticks | {"anchor": "y2"}
    figure["yaxis"] |= {"domain": [UPPER, 1.0], "tickformat": ".3f"}
    figure["yaxis2"] = draw.axis(palette, "features") | {
        "domain": [0.0, LOWER],
        "range": [0, max(float(curves.nonzeros.max()) * 1.12, 1.0)],
    }
    figure["annotations"] = _ends(curves.measured, colour, palette, smallest)
    figure["shapes"] = look.selected(x)
    if smallest is not None:
        figure["shapes"].append(
            draw.vline(x[smallest.at], palette.secondary, 1, "solid")
        )
        if np.isfinite(smallest.best):
            figure["shapes"].append(_band(smallest, colour))
        words = f"smallest: {symbol} = {rounded(smallest.value)}"
        figure["annotations"].append(_beside(x, smallest.at, words, palette))
    return Picture(traces, figure)


def paths_figure(
    values: Floats, coefficients: Floats, weighing: Weighing, look: Look
) -> Picture:
    """Draw each feature along the path; the most important ones have names.

    Parameters
    ----------
    values : (m,) float64
    coefficients : (m, d) float64
    """
    palette, (x, ticks) = look.palette, positions(values, look.log)
    names, heights = weighing.train.feature_names, weighing.drawn(coefficients)
    sizes = np.abs(weighing.importances(coefficients)).max(axis=0)
    largest = [
        int(j) for j in np.argsort(-sizes, kind="stable")[:MOST_NAMES] if sizes[j]
    ]
    shades = [*palette.runs, *(mix(c, palette.ink, 0.4) for c in palette.runs)]
    colours = dict(zip(largest, shades, strict=False))
    quiet = [int(j) for j in np.flatnonzero(sizes) if int(j) not in colours]
    traces = [
        draw.lines(
            x,
            heights[:, j],
            colours.get(j, palette.line),
            2 if j in colours else 1,
            hover=f"{weighing.name} %{{y:.3~r}}<br>%{{customdata}}",
            customdata=weighing.labels([names[j]] * len(x), coefficients[:, j]),
        )
        for j in [*quiet, *reversed(largest)]
    ]
    figure = draw.layout(palette, look.symbol, weighing.name, height=PATHS_HEIGHT)
    figure["margin"]["r"] = 150
    figure["xaxis"] |= ticks
    figure["yaxis"] |= {"zeroline": True, "zerolinecolor": palette.secondary}
    figure["annotations"] = _names(heights, names, colours, palette)
    figure["shapes"] = look.selected(x)
    return Picture(traces, figure)


def ratios_figure(
    values: Floats, ratios: Floats, measures: Sequence[str], look: Look
) -> Picture:
    """Draw each measure as a share of the full model's.

    Parameters
    ----------
    values : (m,) float64
    ratios : (m, k) float64
    measures : sequence of k str
    look : Look
        Appearance; the line of its point is highlighted, by default the first one.
    """
    symbol, palette, chosen = look.symbol, look.palette, look.chosen or 0
    cutoffs = [name.rpartition("@")[2] for name in measures]
    shades = rising_steps(look.colour, len(values), palette)
    traces = [
        draw.lines(
            cutoffs,
            ratios[i],
            shades[i],
            3.5 if i == chosen else 1.2,
            hover=f"{symbol} = {values[i]:.3g}, @%{{x}}: %{{y:.1%}}",
            mode="lines+markers" if i == chosen else "lines",
            name=str(i),
        )
        for i in [*(i for i in range(len(values)) if i != chosen), chosen]
    ]
    figure = draw.layout(palette, "cutoff k", "share kept", height=PATHS_HEIGHT)
    figure["xaxis"]["type"] = "category"
    figure["yaxis"]["tickformat"] = ".0%"
    figure["shapes"] = [draw.hline(1.0, palette.secondary)]
    figure["margin"]["r"] = 76
    # The selected one, and the ends of the path.
    ends = {
        f"{symbol} = {rounded(float(values[i]))}": (ratios[i, -1], shades[i])
        for i in sorted({0, chosen, len(values) - 1})
        if np.isfinite(ratios[i, -1])
    }
    pixels = PATHS_HEIGHT * 0.75 / draw.span(ratios)
    figure["annotations"] = draw.end_names(ends, palette, pixels, size=11)
    return Picture(traces, figure)


def positions(values: Floats, log: bool) -> tuple[Floats, dict[str, Any]]:
    """Return the positions of values on the axis, and its ticks."""
    positive = values[values > 0.0]
    if not log or not len(positive):
        return values, {}
    lowest = float(np.log10(positive.min()))
    zero = lowest - ZERO_GAP
    x = np.where(values > 0.0, np.log10(np.where(values > 0.0, values, 1.0)), zero)
    powers = np.arange(np.ceil(lowest), np.floor(np.log10(positive.max())) + 1)
    if len(powers) < 2:
        powers = np.unique([lowest, float(np.log10(positive.max()))])
    places = ([zero] if (values == 0.0).any() else []) + powers.tolist()
    texts = ["0" if place == zero else f"{10.0**place:.3g}" for place in places]
    return x, {"tickmode": "array", "tickvals": places, "ticktext": texts}


def _ends(
    measured: dict[str, Floats],
    colour: str,
    palette: Palette,
    smallest: Smallest | None,
) -> list[dict[str, Any]]:
    """Return names of the splits, and of the band, at the ends of their lines."""
    ends = {PART_NAMES[part]: (v[-1], colour) for part, v in measured.items()}
    if smallest is not None and np.isfinite(smallest.best):
        words = f"within {100 * smallest.tolerance:g}% of best"
        middle = (smallest.best + smallest.floor) / 2.0
        ends[words] = (middle, palette.secondary)
    return draw.end_names(
        ends, palette, HEIGHT * 0.45 / draw.span(*measured.values()), size=11
    )


def _band(smallest: Smallest, colour: str) -> dict[str, Any]:
    """Return a band of tolerated values, up to the best one."""
    edge = {"color": faded(colour, 2 * BAND), "width": 1}
    band = draw.hband(smallest.floor, smallest.best, faded(colour, BAND))
    return band | {"line": edge}


def _beside(x: Floats, at: int, words: str, palette: Palette) -> dict[str, Any]:
    """Text between the two parts, away from lines and names, near the middle."""
    left = x[at] < (x.min() + x.max()) / 2.0
    return draw.note(
        words,
        x[at],
        (UPPER + LOWER) / 2.0,
        palette.secondary,
        11,
        yref="paper",
        xanchor="left" if left else "right",
        xshift=4 if left else -4,
        bgcolor=palette.background,
    )


def _names(
    heights: Floats, names: Sequence[str], colours: dict[int, str], palette: Palette
) -> list[dict[str, Any]]:
    """Return names beside the lines, at the side where they are farther from zero."""
    left = np.abs(heights[0]).sum() > np.abs(heights[-1]).sum()
    ends = heights[0 if left else -1]
    short = draw.short_names([names[j] for j in colours], LONGEST_NAME)
    notes = [
        draw.end_name(
            escape(name),
            1,
            ends[j],
            palette.readable(colour),
            11,
            xref="paper",
        )
        for name, (j, colour) in zip(short, colours.items(), strict=True)
    ]
    return draw.place_labels(notes, PATHS_HEIGHT * 0.7 / draw.span(heights))
