"""Figures of sensitivity: a quantity over levels with its spread, or at each repeat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.numbers import counted, listed, rounded
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.explore.map_words import dot
from rankcore.topics.explore.sensitivity import Sensitivity, Spread

HEIGHT = 400
SIDE_HEIGHT = 220
_SPLITS = {"train": "training", "valid": "validation"}
_DASHES = {"train": "solid", "valid": "dash", "kept": "solid"}
# Pixels of a figure outside the plot area.
_BORDER = 54


def spread_figure(study: Sensitivity, colour: str, palette: Palette = LIGHT) -> Picture:
    """Draw the measure on training and validation data over the levels: the mean of the
    repeats, with a band from the smallest to the largest.

    Parameters
    ----------
    study : Sensitivity
        For a factor with levels, with at least one run.
    """
    spreads = {name: study.spread(name) for name in ("train", "valid")}
    shades = {"train": palette.secondary, "valid": colour}
    traces = []
    for name, spread in spreads.items():
        traces += _curve(study, spread, shades[name], name)
    figure = _layout(study, study.plan.measure, palette, HEIGHT)
    ends = [value for spread in spreads.values() for value in (spread.low, spread.high)]
    low, high = draw.padded_range(0.06, *ends)
    figure["yaxis"] |= {"range": [low, high], "tickformat": ".2f"}
    figure["margin"] |= {"r": 84}
    figure["annotations"] = draw.end_names(
        {
            _SPLITS[name]: (float(spread.mean[-1]), shades[name])
            for name, spread in spreads.items()
        },
        palette,
        (HEIGHT - _BORDER) / draw.span([low, high]),
    )
    spread = spreads["valid"]
    alt = (
        f"Validation {study.plan.measure} is {decimals(float(spread.mean[0]))} at "
        f"{_level(study, spread.levels[0])} and {decimals(float(spread.mean[-1]))} at "
        f"{_level(study, spread.levels[-1])} {study.plan.factor.axis}."
    )
    return Picture(traces, figure, alt, lambda: sensitivity_table(study))


def repeats_figure(
    study: Sensitivity, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the measure of each repeat on validation and training data, with the
    validation mean, for a factor without levels."""
    x = _repeats(study)
    train, valid = study.figures("train"), study.figures("valid")
    hollow = {"symbol": "circle-open", "size": 9, "color": palette.secondary}
    hover = f"{study.plan.factor.axis} %{{x}}: %{{y:.3f}}"
    traces = [
        draw.marks(x, train, hollow, hover=f"training, {hover}", name="training"),
        draw.marks(
            x, valid, dot(colour, 11), hover=f"validation, {hover}", name="repeats"
        ),
    ]
    figure = _layout(study, study.plan.measure, palette, HEIGHT)
    mean = float(valid.mean())
    low, high = draw.padded_range(0.15, train, valid)
    low, high = min(low, mean - 0.02), max(high, mean + 0.02)
    figure["yaxis"] |= {"range": [low, high], "tickformat": ".3f"}
    figure["xaxis"] |= {"tickmode": "array", "tickvals": x, "showgrid": False}
    figure["shapes"] = [draw.hline(mean, colour)]
    figure["margin"] |= {"r": 84}
    pixels = (HEIGHT - _BORDER) / (high - low)
    names = {
        "training": (float(train.mean()), palette.secondary),
        f"mean {decimals(mean)}": (mean, colour),
    }
    figure["annotations"] = draw.end_names(names, palette, pixels)
    alt = (
        f"Validation {study.plan.measure} of {counted(len(x), 'models')} is from "
        f"{decimals(float(valid.min()))} to {decimals(float(valid.max()))}."
    )
    return Picture(traces, figure, alt, lambda: sensitivity_table(study))


def kept_spread_figure(
    study: Sensitivity, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the features kept over the levels; parameters as in `spread_figure`."""
    spread = study.spread("kept")
    figure = _layout(study, "features kept", palette, SIDE_HEIGHT)
    figure["yaxis"] |= {"rangemode": "tozero", "nticks": 4}
    low, high = rounded(spread.low.min()), rounded(spread.high.max())
    traces = _curve(study, spread, colour, "kept")
    alt = f"From {low} to {high} features are kept."
    return Picture(traces, figure, alt, spread._asdict)


def kept_repeats_figure(
    study: Sensitivity, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the features kept by each repeat; parameters as in `spread_figure`."""
    x, counts = _repeats(study), study.figures("kept")
    figure = _layout(study, "features kept", palette, SIDE_HEIGHT)
    figure["yaxis"] |= {"rangemode": "tozero", "nticks": 4}
    figure["xaxis"] |= {"tickmode": "array", "tickvals": x}
    alt = f"From {rounded(counts.min())} to {rounded(counts.max())} features are kept."
    hover = f"{study.plan.factor.axis} %{{x}}: %{{y}} features"
    traces = [draw.marks(x, counts, dot(colour, 9), hover=hover, name="kept")]
    table = {study.plan.factor.axis: x, "features kept": counts}
    return Picture(traces, figure, alt, lambda: table)


def sensitivity_table(study: Sensitivity) -> list[dict[str, Any]]:
    """Return one row per run."""
    plan = study.plan
    levels = {plan.factor.axis: 0.0} if plan.factor.levels(plan.splits) else {}
    return [
        {
            **dict.fromkeys(levels, level),
            "repeat": repeat + 1,
            "seed": one.cell.seed,
            f"Training {plan.measure}": listed(one.train[plan.measure], one.ranks),
            f"Validation {plan.measure}": listed(one.valid[plan.measure], one.ranks),
            "features kept": one.nonzeros,
            "iterations": one.iterations,
            "seconds": one.seconds,
        }
        for one in study.results
        for level, repeat in [plan.places[one.cell]]
    ]


def _curve(
    study: Sensitivity, spread: Spread, colour: str, name: str
) -> list[dict[str, Any]]:
    """Return the traces of a mean with its band."""
    x = spread.levels.astype(np.float32)
    hover = f"{_hover(study)}: %{{y:.4~g}}"
    line = draw.lines(
        x, spread.mean.astype(np.float32), colour, 2.2, hover=hover, name=name,
        mode="lines+markers", marker=dot(colour, 7), line={"dash": _DASHES[name]},
    )  # fmt: skip
    band = [draw.area_between(x, spread.low, spread.high, colour)]
    return [*(band if len(x) > 1 else []), line]


def _layout(
    study: Sensitivity, title: str, palette: Palette, height: int
) -> dict[str, Any]:
    figure = draw.layout(palette, study.plan.factor.axis, title, height=height)
    if study.plan.vary == "noise":
        figure["xaxis"] |= {"tickformat": ".0%"}
    return figure


def _hover(study: Sensitivity) -> str:
    noise = study.plan.vary == "noise"
    return f"{'%{x:.0%}' if noise else '%{x}'} {study.plan.factor.axis}"


def _level(study: Sensitivity, level: float) -> str:
    return f"{level:.0%}" if study.plan.vary == "noise" else f"{level:g}"


def _repeats(study: Sensitivity) -> NDArray[np.int64]:
    """Return the seed or the fold number of each run."""
    first = study.plan.seed if study.plan.vary == "seeds" else 1
    places = study.plan.places
    return np.array([first + places[one.cell][1] for one in study.results])
