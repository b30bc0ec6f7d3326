"""Pictures of restarts: end points by sharpness, and the gain from more restarts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, rising_steps
from rankcore.plot.style import Picture
from rankcore.topics.approximation.end_points import EndPoint, Outcome

HEIGHT = 270


def spread_figure(
    points: Sequence[EndPoint],
    outcomes: Sequence[Outcome],
    measure: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw every end point by its sharpness; a bar marks the median, a ring the point
    that training keeps.

    Parameters
    ----------
    outcomes : sequence of Outcome
        `outcomes` of the points.
    """
    place = {outcome.alpha: i for i, outcome in enumerate(outcomes)}
    x = np.array([place[point.alpha] for point in points], dtype=np.float64)
    traces: list[dict[str, Any]] = [
        draw.marks(
            # Side by side rather than on top of each other.
            x + _aside(x),
            [point.exact for point in points],
            {"size": 6, "color": palette.runs[1], "opacity": 0.7},
            hover=f"{measure} %{{y:.3f}}",
            name="end points",
        ),
        _medians(outcomes, palette),
        draw.marks(
            list(range(len(outcomes))),
            [outcome.best for outcome in outcomes],
            draw.outlined(14, "rgba(0,0,0,0)", palette.primary, 2.5),
            hover="kept by training: %{y:.3f}",
            name="kept",
        ),
    ]
    figure = draw.layout(palette, "sharpness α", measure, HEIGHT)
    figure["xaxis"] |= {
        "tickvals": list(range(len(outcomes))),
        "ticktext": [f"{outcome.alpha:g}" for outcome in outcomes],
        "range": [-0.5, len(outcomes) - 0.5],
    }
    return Picture(traces, figure)


def buying_figure(
    outcomes: Sequence[Outcome], measure: str, chosen: float, palette: Palette = LIGHT
) -> Picture:
    """Draw the expected measure after 1, 2, … restarts, one line per sharpness.

    Parameters
    ----------
    chosen : float
        The sharpness that stands out.
    """
    shades = rising_steps(palette.primary, len(outcomes), palette)
    traces = [
        draw.lines(
            np.arange(1, outcome.restarts + 1),
            outcome.expected,
            colour,
            3.2 if outcome.alpha == chosen else 1.6,
            hover=f"α = {outcome.alpha:g}, %{{x}} restarts: %{{y:.3f}}",
            name=f"α = {outcome.alpha:g}",
        )
        for outcome, colour in zip(outcomes, shades, strict=True)
    ]
    figure = draw.layout(palette, "restarts", f"expected {measure}", HEIGHT)
    figure["margin"]["l"] = 62
    figure["xaxis"] |= {
        "type": "log",
        "tickvals": [1, 2, 5, 10, 20, 50, 100],
        "ticktext": ["1", "2", "5", "10", "20", "50", "100"],
    }
    # The lines start apart and meet on the right, so names stand at the left.
    figure["margin"] |= {"r": 12}
    figure["annotations"] = _names(outcomes, shades, palette)
    figure["xaxis"]["range"] = [
        -0.28,
        float(np.log10(max(outcome.restarts for outcome in outcomes))) + 0.03,
    ]
    return Picture(traces, figure)


def _aside(x: np.ndarray) -> np.ndarray:
    """Small horizontal offsets, the same for the i-th point at every place."""
    order = np.array([int((x[:i] == x[i]).sum()) for i in range(len(x))])
    most = order.max(initial=0) + 1
    return (order + 0.5) / most * 0.6 - 0.3


def _medians(outcomes: Sequence[Outcome], palette: Palette) -> dict[str, Any]:
    i = np.arange(len(outcomes), dtype=np.float64)
    middle = np.array([outcome.median for outcome in outcomes])
    return draw.lines(
        draw.joined(i - 0.38, i + 0.38),
        draw.joined(middle, middle),
        palette.ink,
        hover="median %{y:.3f}",
        name="median",
    )


def _names(
    outcomes: Sequence[Outcome], shades: Sequence[str], palette: Palette
) -> list[dict[str, Any]]:
    lowest = min(float(outcome.expected[0]) for outcome in outcomes)
    highest = max(float(outcome.expected.max()) for outcome in outcomes)
    names = [
        draw.end_name(
            f"<b>α = {outcome.alpha:g}</b>",
            0,
            outcome.expected[0],
            palette.readable(colour),
            11,
            xanchor="right",
            xshift=-5,
        )
        for outcome, colour in zip(outcomes, shades, strict=True)
    ]
    return draw.place_labels(names, (HEIGHT - 54) / (max(highest - lowest, 1e-9) * 1.1))
