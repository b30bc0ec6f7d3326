"""The picture of learning from a click log: estimated value against sessions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, area_between, end_names, layout, lines, span
from rankcore.topics.clicks.curves_figure import HEIGHT, colour
from rankcore.topics.clicks.logged import CUTOFF
from rankcore.topics.clicks.logged_learning import METHODS, LogPlan, LogPoint, rows

LOGGED = "as logged"


def logged_figure(
    plan: LogPlan, points: Sequence[LogPoint], palette: Palette = LIGHT
) -> Picture:
    """Draw the value of the models against the number of sessions, with 95% intervals,
    if there are enough clicks."""
    first, last = plan.numbers[0], plan.numbers[-1]
    ends = np.log10(np.array([first, max(last, first + 1)], np.float64))
    figure = layout(palette, "sessions (log scale)", f"DCG@{CUTOFF}", height=HEIGHT)
    figure["margin"]["r"] = 82
    figure["xaxis"] |= {
        "type": "log",
        "range": [float(ends[0]) - 0.04, float(ends[1]) + 0.04],
        "tickformat": ",d",
        "dtick": 1,
    }
    if ends[1] - ends[0] < 1.0:
        figure["xaxis"] |= {"tickvals": [first, last], "dtick": None}
    traces: list[dict[str, Any]] = []
    heights: list[float] = []
    names: dict[str, tuple[float, str]] = {}
    alts: list[str] = []
    if plan.logged.interval is not None:
        shade, value = palette.secondary, plan.logged.value
        level = np.array([first, last], np.float64), np.full(2, value)
        hover = f"{LOGGED}: %{{y:.3f}}"
        traces.append(lines(*level, shade, hover=hover, name=LOGGED))
        names[LOGGED] = value, shade
        heights.append(value)
        alts.append(f"{LOGGED} {value:.3g}")
    for method in METHODS:
        curve = [
            (one.sessions, one.value.value, *one.value.interval)
            for one in points
            if one.method == method and one.value is not None and one.value.interval
        ]
        if not curve:
            continue
        shade = colour(method, palette)
        x, values, low, high = np.array(curve, np.float64).T
        hover = f"{method}: %{{y:.3f}} with %{{x:,}} sessions"
        dots: dict[str, Any] = {"mode": "lines+markers", "marker": {"size": 6}}
        traces.append(area_between(x, low, high, shade))
        traces.append(lines(x, values, shade, 2.5, hover, name=method, **dots))
        names[method] = float(values[-1]), shade
        heights += [*values, *low, *high]
        alts.append(f"{method} learning {values[-1]:.3g}")
    if names:
        figure["annotations"] = end_names(
            names, palette, 0.8 * HEIGHT / span(heights), xshift=6
        )
    text = "; ".join(alts) or "no estimate yet"
    alt = f"Estimated DCG@{CUTOFF} against sessions: {text}."
    return Picture(traces, figure, alt, lambda: rows(points))
