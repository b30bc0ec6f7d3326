"""Pictures of a smooth measure's errors while models are trained on it."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rankcore.base.numbers import three_digits
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, rising_steps
from rankcore.plot.style import Picture
from rankcore.topics.approximation.training import ErrorCurve, ErrorSpread
from rankcore.topics.train.curves import downsample_minmax

HEIGHT = 390
LOW = 220
SYMBOLS = {"alpha": "α", "beta": "β"}


def curves_figure(
    curves: Sequence[ErrorCurve],
    over: Literal["alpha", "beta"],
    chosen: tuple[float, float],
    end: int,
    figure_of: Literal["error", "flat"] = "error",
    palette: Palette = LIGHT,
    height: int = HEIGHT,
) -> Picture:
    """Draw the curve of each run, one per sharpness; the selected one is bold.

    Parameters
    ----------
    over : {"alpha", "beta"}
        The sharpness that differs between runs.
    chosen : (float, float)
        The alpha and beta of the highlighted run, if it is among them.
    end : int
        End of the axis, so that it does not move while the runs go on.
    figure_of : {"error", "flat"}
        The mean error, or the share of queries without gradient.
    height : int
        In pixels.
    """
    y = "mean error ρ" if figure_of == "error" else "queries without gradient"
    figure = draw.layout(palette, "iteration", y, height=height)
    figure["margin"]["r"] = 78
    figure["xaxis"]["range"] = [0, max(end, 1)]
    log = figure_of == "error"
    figure["yaxis"] |= (
        {"type": "log", "exponentformat": "power", "dtick": 1}
        if log
        else {"range": [-0.02, 1.04], "tickformat": ".0%"}
    )
    traces, ends = [], []
    shades = rising_steps(palette.primary, len(curves), palette)
    for curve, colour in zip(curves, shades, strict=True):
        sharpness = getattr(curve, over)
        values = getattr(curve, figure_of)
        steps = downsample_minmax(values)
        strong = curve[:2] == chosen
        traces.append(
            draw.lines(
                curve.iterations[steps],
                values[steps],
                colour,
                3 if strong else 1.5,
                hover=f"{SYMBOLS[over]} = {sharpness:g}: %{{y:.3f}}",
                name=f"{SYMBOLS[over]} = {sharpness:g}",
            )
        )
        if len(values):
            ends.append((traces[-1], float(values[-1]), colour, strong))
    figure["annotations"] = _names(ends, log, end, palette, height)
    figure["shapes"] = [
        _leader(trace, last, end, colour)
        for trace, last, colour, _ in ends
        if trace["x"][-1] < end and (last > 0.0 or not log)
    ]
    phrase = "the mean error is {}" if log else "{} of the queries have no gradient"
    ends_said = (
        f"with {trace['name']}, "
        + phrase.format(three_digits(last) if log else f"{last:.0%}")
        for trace, last, *_ in (ends[:1] + ends[-1:] if len(ends) > 1 else ends)
    )
    alt = f"At the end: {'; '.join(ends_said)}." if ends else "No measurements yet."
    return Picture(traces, figure, alt, [row for c in curves for row in c.rows()])


def spread_figure(error_spread: ErrorSpread, palette: Palette = LIGHT) -> Picture:
    """Draw a histogram of the queries' errors."""
    middles = (error_spread.edges[1:] + error_spread.edges[:-1]) / 2.0
    columns = draw.bars(
        middles,
        error_spread.counts,
        {"color": palette.runs[0]},
        hover="error %{x:.3f}: %{y} queries",
        name="queries",
        width=float(error_spread.edges[1] - error_spread.edges[0]) * 0.9,
    )
    figure = draw.layout(palette, "error of a query", "queries", height=LOW)
    figure["xaxis"] |= {"exponentformat": "power", "nticks": 5}
    if np.isfinite(error_spread.mean):
        colour = palette.runs[1]
        figure["shapes"] = [draw.vline(error_spread.mean, colour)]
        ink = palette.readable(colour)
        figure["annotations"] = [
            draw.end_name(
                "<b>mean</b>", error_spread.mean, 1.0, ink, 11, yref="paper", xshift=5
            )
        ]
    alt = (
        f"Half of the queries have an error below {three_digits(error_spread.median)}; "
        f"the largest is {three_digits(error_spread.largest)}."
    )
    table = {
        "from": error_spread.edges[:-1],
        "to": error_spread.edges[1:],
        "queries": error_spread.counts,
    }
    return Picture([columns], figure, alt, table)


def _names(
    ends: Sequence[tuple[dict[str, Any], float, str, bool]],
    log: bool,
    end: int,
    palette: Palette,
    height: int,
) -> list[dict[str, Any]]:
    """Return the names of lines at the height of their last points, moved apart."""
    scale = np.log10 if log else np.asarray
    ends = [row for row in ends if row[1] > 0.0 or (row[1] == 0.0 and not log)]
    if not ends:
        return []
    heights = np.concatenate([trace["y"] for trace, *_ in ends])
    shown = scale(heights[heights > 0.0] if log else heights)
    last = scale(np.array([y for _, y, *_ in ends]))
    span = float(np.nanmax(shown) - np.nanmin(shown)) if log else 1.0
    names = [
        draw.end_name(
            f"<b>{trace['name']}</b>" if strong else trace["name"],
            max(end, 1),
            at,
            palette.readable(colour),
            11,
            xshift=6,
        )
        for (trace, _, colour, strong), at in zip(ends, last, strict=True)
    ]
    return draw.place_labels(names, (height - 70) / (span or 1.0))


def _leader(
    trace: dict[str, Any], last: float, end: int, colour: str
) -> dict[str, Any]:
    """Return a line from the last point of a shorter curve to its name."""
    begin = trace["x"][-1], last
    return draw.segment(begin, (end, last), colour, 1, "dot", opacity=0.5)
