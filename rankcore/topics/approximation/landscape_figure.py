"""A picture of a measure over models, along a line or an unrolled circle."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import rounded
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, rising_steps
from rankcore.plot.style import Picture
from rankcore.topics.approximation.landscape import Optima, Profile
from rankcore.topics.train.curves import downsample_minmax

HEIGHT = 384
# Beyond this number of steps, the extremes of each stretch are drawn.
MOST_STEPS = 4000
LONGEST_NAME, LONGEST_LINE = 16, 12
SCALE = "Cividis"
MARGIN_RIGHT = 72


class Marks(NamedTuple):
    """Where restarts began and ended, on the axis of a picture.

    Attributes
    ----------
    starts, ends : (k,) float64
    values : (k,) float64
        The measure where they ended.
    """

    starts: Floats
    ends: Floats
    values: Floats


class MarkedProfile(NamedTuple):
    """A measure along a curve of models, with its marks.

    Attributes
    ----------
    measure : str
        Its name.
    at : float, optional
        The selected model.
    tops : Optima, optional
        The maxima of the measure and of the highlighted smooth one.
    """

    profile: Profile
    measure: str
    at: float | None = None
    marks: Marks | None = None
    tops: Optima | None = None


def profile_figure(
    marked: MarkedProfile,
    grid: Floats,
    smooth: Mapping[float, Floats],
    chosen: float,
    x: str,
    ticks: Mapping[float, str] | None = None,
    height: int = HEIGHT,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a measure as a step function, with smooth measures over it.

    Parameters
    ----------
    marked : MarkedProfile
        The mark of its selected model can be dragged along the axis.
    grid : (p,) float64
        Places where the smooth measures were computed.
    smooth : dict of float to (p,) float64
        The smooth measure at each sharpness.
    chosen : float
        The sharpness that stands out.
    x : str
        Title of the axis.
    ticks : dict of float to str, optional
        Labels by place on the axis.
    height : int
        In pixels.
    """
    profile, measure, at, marks, tops = marked
    steps_x, steps_y = _stairs(profile)
    traces: list[dict[str, Any]] = [
        draw.lines(
            steps_x,
            steps_y,
            palette.ink,
            1.5,
            hover=f"{x} %{{x:.3g}}<br>exact: %{{y:.3f}}",
            line={"shape": "hv"},
            name="exact",
        )
    ]
    alphas = sorted(smooth)
    shades = rising_steps(palette.primary, len(alphas), palette)
    colours = dict(zip(alphas, shades, strict=True))
    # The selected one comes last, so that it is drawn over the others.
    for alpha in sorted(smooth, key=lambda alpha: alpha == chosen):
        traces.append(
            draw.lines(
                grid.astype(np.float32),
                smooth[alpha].astype(np.float32),
                colours[alpha],
                3.2 if alpha == chosen else 1.6,
                hover=f"α = {rounded(alpha)}: %{{y:.3f}}",
                name=f"α = {rounded(alpha)}",
            )
        )
    if marks is not None:
        traces.append(_ends(marks, palette))
    if tops is not None:
        traces += _tops(tops, palette)
    figure = draw.layout(palette, x, measure, height=height)
    figure["margin"] |= {"r": MARGIN_RIGHT}
    low, high = draw.padded_range(0.06, steps_y, *smooth.values())
    figure["xaxis"] |= {"range": [float(profile.edges[0]), float(profile.edges[-1])]}
    figure["yaxis"] |= {"range": [low, high], "tickformat": ".2f"}
    if ticks:
        figure["xaxis"] |= {"tickvals": list(ticks), "ticktext": lined(ticks.values())}
    if at is not None:
        traces.append(_pointer(at, float(profile.at(at)), palette))
        figure["shapes"] = [draw.vline(at, palette.primary)]
    ends = {"exact": (steps_y[-1], palette.ink)}
    ends |= {f"α = {rounded(a)}": (y[-1], colours[a]) for a, y in smooth.items()}
    figure["annotations"] = draw.end_names(
        ends, palette, (height - 74) / (high - low), xshift=6
    )
    return Picture(traces, figure)


def colour_bar(palette: Palette) -> dict[str, Any]:
    """Return a thin scale of colours below a figure."""
    return {
        "orientation": "h",
        "thickness": 8,
        "len": 0.5,
        "outlinewidth": 0,
        "nticks": 5,
        "tickformat": ".2f",
        "tickfont": {"color": palette.secondary, "size": 11},
        "x": 0.5,
        "y": 0.0,
        "yanchor": "top",
        "ypad": 28,
    }


def short(names: Iterable[str]) -> list[str]:
    """Names shortened to fit beside a figure, escaped."""
    return list(map(escape, draw.short_names(names, LONGEST_NAME)))


def lined(names: Iterable[str]) -> list[str]:
    """Names broken into short lines, escaped."""
    short = map(escape, draw.short_names(names, 2 * LONGEST_NAME))
    return [draw.in_lines(name, LONGEST_LINE) for name in short]


def _stairs(profile: Profile) -> tuple[Floats, Floats]:
    """Corners of the stairs; if there are too many, the extremes of each stretch."""
    steps: Any = slice(None)
    if len(profile.values) > MOST_STEPS:
        steps = downsample_minmax(profile.values, MOST_STEPS)
    starts, values = profile.edges[:-1][steps], profile.values[steps]
    return np.append(starts, profile.edges[-1]), np.append(values, values[-1])


def _pointer(at: float, value: float, palette: Palette) -> dict[str, Any]:
    return draw.marks(
        [at],
        [value],
        draw.outlined(14, palette.background, palette.primary, 3),
        hover="drag: %{x:.3g}<br>exact %{y:.3f}",
        name="model",
        meta={"drag": "x"},
    )


def _ends(restarts: Marks, palette: Palette) -> dict[str, Any]:
    return draw.marks(
        restarts.ends,
        restarts.values,
        draw.outlined(9, palette.runs[1], palette.background, opacity=0.85),
        hover="a restart ended at %{x:.3g}: %{y:.3f}",
        name="end points",
    )


def _tops(tops: Optima, palette: Palette) -> list[dict[str, Any]]:
    """Return the best step, and the maximum of the smooth curve, joined to its exact
    value."""
    return [
        draw.lines(
            [tops.smooth, tops.smooth],
            [tops.smooth_value, tops.worth],
            palette.primary,
            1.5,
            hover="surrogate maximal at %{x:.3g}: %{y:.3f}",
            line={"dash": "dot"},
            mode="lines+markers",
            name="best of the smooth",
            # The surrogate is often best at an end of a line.
            cliponaxis=False,
            marker=draw.outlined(
                11,
                palette.primary,
                palette.background,
                symbol=["diamond", "diamond-open"],
            ),
        ),
        draw.marks(
            [tops.exact],
            [tops.best],
            draw.outlined(13, palette.ink, palette.background, symbol="triangle-down"),
            hover="best at %{x:.3g}: %{y:.3f}",
            name="best",
            cliponaxis=False,
        ),
    ]
