"""Figures of a search: all models, progress, and hyperparameters.

Models brushed on the parallel axes stand out in the other figures, in the browser: see
``brush.js`` of the live figure. Scatter plots contain all usable models, in order; the
other figures and the table contain the brushed models only.
"""

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.numbers import counted, listed, percent
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, minus, significant
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture
from rankcore.studies.results import ModelResults
from rankcore.studies.searches import Dimension
from rankcore.topics.approximation.landscape_figure import SCALE, colour_bar
from rankcore.topics.explore.brush import NO_BRUSH, Brush
from rankcore.topics.explore.map_words import measure_title
from rankcore.topics.explore.maps import Axis
from rankcore.topics.explore.parallel_figure import DARKEST, Lines, ParallelAxis
from rankcore.topics.explore.search import Contour, SearchProgress, place

SIDE_HEIGHT = 172
SLICES_HEIGHT = 264
LONGEST_TITLE = 16
GROUP = "search"
_TICKS = 4
_FEWEST_TICKS = 2
# Positions on an axis at which a brush can end.
_ENDS = tuple(number / 60 for number in range(61))
_ZERO_WIDTH = str.maketrans("01", "\u200b\u200c")
_GAP = 0.04
_UNBRUSHED = {"marker": {"opacity": 0.1}}


def parallel_figure(
    progress: SearchProgress, palette: Palette = LIGHT, brush: Brush = NO_BRUSH
) -> Picture:
    """Draw every model as a line over its hyperparameters, measure and costs.

    Parameters
    ----------
    progress : SearchProgress
        With at least one usable model.
    brush : Brush
        Ranges on the axes of the search.
    """
    models = Lines(
        [_axis(progress, dimension) for dimension in progress.plan.space],
        progress.plan.measure,
        progress.values,
        progress.axes["features"],
        progress.axes["seconds"],
        progress.plan.splits.train.n_features,
        brush,
    )
    picture = models.picture(GROUP, palette)
    return picture.described(_alt(progress), lambda: search_table(progress))


def progress_figure(
    progress: SearchProgress,
    chosen: ModelResults | None,
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of each model in order of proposal, and the best so far.

    Parameters
    ----------
    progress : SearchProgress
        With at least one usable model.
    chosen : ModelResults or None
        Has a ring.
    """
    number = np.array([one.number + 1 for one in progress.usable])
    best = progress.best_so_far.astype(np.float32)
    step = draw.lines(number, best, colour, 2, line={"shape": "hv"}, name="best so far")
    figure = draw.layout(
        palette, "model", measure_title(progress.plan), height=SIDE_HEIGHT
    )
    figure["yaxis"] |= _measured(progress)
    traces = [
        step,
        _models(progress, number, colour),
        *_ring(progress, chosen, number, palette),
    ]
    alt = (
        f"The best of {counted(len(number), 'models')} reaches "
        f"{decimals(float(best[-1]))}; it was "
        f"number {int(number[np.argmax(progress.values)])}."
    )
    table = {
        "model": number,
        progress.plan.measure: progress.values,
        "best so far": best,
    }
    return Picture(traces, figure, alt, lambda: table)


def importance_figure(
    progress: SearchProgress, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the importance of each hyperparameter.

    Parameters
    ----------
    progress : SearchProgress
        With a nonempty importance.
    """
    titles = {
        dimension.name: Axis(dimension.declared, ()).label
        for dimension in progress.plan.space
    }
    shares = dict(reversed(list(progress.importance.items())))
    names = [
        f"{escape(titles[name])}, {percent(share)}" for name, share in shares.items()
    ]
    each = np.array(list(shares.values()))
    ends = np.array([progress.importance_ends[name] for name in shares])
    trace = draw.bars(
        each,
        names,
        {"color": colour},
        hover="%{y}: %{x:.1%}",
        orientation="h",
        error_x={
            "type": "data",
            "symmetric": False,
            "array": ends[:, 1] - each,
            "arrayminus": each - ends[:, 0],
            "color": palette.ink,
            "thickness": 1.4,
            "width": 5,
        },
    )
    height = 52 + 30 * len(names)
    figure = draw.layout(palette, "share of the variance", "", height=height)
    figure["xaxis"] |= {"range": [0.0, 1.12], "tickformat": ".0%", "nticks": 3}
    figure["yaxis"] |= {"showgrid": False}
    first = next(iter(progress.importance))
    low, high = progress.importance_ends[first]
    alt = (
        f"{titles[first]} matters most, {percent(progress.importance[first])} (95% "
        f"interval {percent(low)} to {percent(high)})."
    )
    table = {
        "hyperparameter": [titles[name] for name in progress.importance],
        "share": list(progress.importance.values()),
        "95% from": [progress.importance_ends[name][0] for name in progress.importance],
        "to": [progress.importance_ends[name][1] for name in progress.importance],
    }
    return Picture([trace], figure, alt, lambda: table)


def slices_figure(
    progress: SearchProgress,
    chosen: ModelResults | None,
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of every model over each hyperparameter, side by side. The
    parameters are those of `progress_figure`."""
    space = progress.plan.space
    figure = draw.layout(
        palette, "", measure_title(progress.plan), height=SLICES_HEIGHT
    )
    figure["yaxis"] |= _measured(progress)
    figure["margin"] |= {"b": 66}
    traces = []
    wide = (1.0 + _GAP) / len(space)
    for number, dimension in enumerate(space):
        suffix = "" if number == 0 else str(number + 1)
        x = progress.places(dimension)
        at, texts = _ticks(dimension)
        title = escape(Axis(dimension.declared, ()).title)
        figure[f"xaxis{suffix}"] = figure["xaxis"] | {
            "domain": [number * wide, number * wide + wide - _GAP],
            "anchor": "y",
            "title": {"text": draw.in_lines(title, LONGEST_TITLE), "standoff": 6},
            "tickvals": at,
            "ticktext": texts,
            "range": [-0.06, 1.06],
        }
        axis = {"xaxis": f"x{suffix}"}
        traces.append(_models(progress, x, colour) | axis)
        traces += [ring | axis for ring in _ring(progress, chosen, x, palette)]
    title = measure_title(progress.plan)
    models = counted(len(progress.usable), "models")
    alt = f"{title} of {models} over each hyperparameter."
    return Picture(traces, figure, alt, lambda: search_table(progress))


def contour_figure(
    progress: SearchProgress,
    of: Contour,
    chosen: ModelResults | None,
    colour: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure over two hyperparameters, with the trained models as points; the
    contour is computed from all or from the brushed models. The other parameters are
    those of `progress_figure`."""
    low, high = _measured(progress)["range"]
    surface = {
        "type": "contour",
        "x": of.places.astype(np.float32),
        "y": of.places.astype(np.float32),
        "z": of.values.astype(np.float32),
        "zmin": low,
        "zmax": high,
        "colorscale": SCALE,
        "ncontours": 8,
        "line": {"width": 0.6, "color": palette.line},
        "hoverinfo": "skip",
        "colorbar": colour_bar(palette)
        | {"y": 1.0, "yanchor": "bottom", "ypad": 4, "len": 0.8, "nticks": 4},
        "name": "interpolated",
    }
    x, y = progress.places(of.across), progress.places(of.up)
    points = _models(progress, x, colour) | {"y": y}
    points["marker"] = points["marker"] | {"color": palette.ink, "size": 5}
    first, second = (
        escape(Axis(dimension.declared, ()).title) for dimension in (of.across, of.up)
    )
    figure = draw.layout(palette, first, second, height=SLICES_HEIGHT)
    figure["margin"] |= {"t": 60}
    for axis, dimension in (("xaxis", of.across), ("yaxis", of.up)):
        at, texts = _ticks(dimension)
        figure[axis] |= {"tickvals": at, "ticktext": texts, "range": [-0.03, 1.03]}
        figure[axis] |= {"showgrid": False}
    rings = _ring(progress, chosen, x, palette)
    for ring in rings:
        ring["y"] = [y[progress.usable.index(chosen)]] if chosen is not None else []
    alt = (
        f"{measure_title(progress.plan)} over {first} and {second}, interpolated "
        f"between {counted(of.models, 'models')}."
    )
    return Picture(
        [surface, points, *rings], figure, alt, lambda: search_table(progress)
    )


def search_table(progress: SearchProgress) -> list[dict[str, Any]]:
    """Return one row per model, the best first; unusable models come last."""
    title = measure_title(progress.plan)
    others = [one for one in progress.candidates if not one.usable]
    able = sorted(progress.usable, key=lambda one: (-one.value, one.number))
    return [
        one.to_row(title) | {title: listed(one.value, one.ranks)}
        for one in (*able, *others)
    ]


def candidate_text(progress: SearchProgress, one: ModelResults) -> str:
    """Return the description of a model, in lines."""
    features = progress.plan.splits.train.n_features
    early = ", pruned" if one.state == "pruned" else ""
    return "<br>".join(
        [
            escape(settings_text(progress, one)),
            f"{progress.plan.measure} <b>{decimals(one.value)}</b>",
            f"{significant(one.nonzeros)} of {counted(features, 'features')} kept",
            f"{counted(one.iterations, 'iterations')}{early}",
        ]
    )


def settings_text(progress: SearchProgress, one: ModelResults) -> str:
    """Return the settings of a model in one line."""
    return ", ".join(
        f"{Axis(row.declared, ()).symbol} = {value_text(row, one.settings[row.name])}"
        for row in progress.plan.space
    )


def value_text(dimension: Dimension, value: Any) -> str:
    """Return a value of a dimension as text."""
    return Axis(dimension.declared, (value,)).text(0)


def _axis(progress: SearchProgress, dimension: Dimension) -> ParallelAxis:
    ticks = dict(zip(*_ticks(dimension), strict=True))
    if not dimension.values:
        # A brush ends between two ticks, so it needs more ticks than those with labels.
        ticks = {at: _unseen(n) for n, at in enumerate(_ENDS)} | ticks
    axis = Axis(dimension.declared, ())
    return ParallelAxis(
        dimension.name, escape(axis.symbol), progress.axes[dimension.name],
        (0.0, 1.0), ticks, axis.letter,
    )  # fmt: skip


def _unseen(number: int) -> str:
    """Return a unique invisible text, because Plotly draws one tick per text."""
    return f"{number:b}".translate(_ZERO_WIDTH)


def _ticks(dimension: Dimension) -> tuple[list[float], list[str]]:
    """Positions and labels of some values of a dimension."""
    values = (
        _decades(dimension)
        if dimension.log and not dimension.values
        else dimension.grid(_TICKS)
    )
    return [place(dimension, v) for v in values], [
        minus(escape(value_text(dimension, v))) for v in values
    ]


def _decades(dimension: Dimension) -> list[Any]:
    """Ticks of a log scale: zero if included, powers of ten, and both ends if these are
    few."""
    low, high = dimension.smallest, dimension.ends[1]
    powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high)) + 1)
    step = -(-len(powers) // _TICKS) or 1
    values = [dimension.value(10.0**power) for power in powers[::step]]
    if len(values) < _FEWEST_TICKS:
        values = [dimension.value(low), dimension.value(high)]
    return list(
        dict.fromkeys(
            [dimension.value(dimension.ends[0]), *values]
            if dimension.from_zero
            else values
        )
    )


def _models(progress: SearchProgress, x: NDArray[Any], colour: str) -> dict[str, Any]:
    hollow = [
        "circle-open" if c.state == "pruned" else "circle" for c in progress.usable
    ]
    marker = {"color": faded(colour, 0.55), "size": 7, "symbol": hollow}
    return draw.marks(
        x,
        progress.values,
        marker,
        hover="%{customdata}",
        customdata=[candidate_text(progress, one) for one in progress.usable],
        name=GROUP,
        meta={"brushed": GROUP},
        selected={"marker": {"opacity": 1.0}},
        unselected=_UNBRUSHED,
    )


def _ring(
    progress: SearchProgress,
    chosen: ModelResults | None,
    x: NDArray[Any],
    palette: Palette,
) -> list[dict[str, Any]]:
    if chosen not in progress.usable:
        return []
    at = progress.usable.index(chosen)
    ring = {"symbol": "circle-open", "size": 13, "color": palette.ink}
    marker = ring | {"line": {"width": 2}}
    return [draw.marks([x[at]], [chosen.value], marker, name="chosen")]


def _measured(progress: SearchProgress) -> dict[str, Any]:
    """Return the axis of the measure, not stretched by a few very poor models."""
    low = float(np.quantile(progress.values, DARKEST / 2))
    best = float(progress.values.max())
    ends = draw.padded_range(0.08, [min(low, best - 0.01), best])
    return {"range": ends, "tickformat": ".2f", "nticks": 5}


def _alt(progress: SearchProgress) -> str:
    best = progress.best
    assert best is not None
    return (
        f"{counted(len(progress.usable), 'models')} over "
        f"{counted(len(progress.plan.space), 'hyperparameters')}; "
        f"{measure_title(progress.plan)} is highest, {decimals(best.value)}, at "
        f"{settings_text(progress, best)}."
    )
