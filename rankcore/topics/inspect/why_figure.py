"""A picture of two documents' score difference as a waterfall."""

from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.numbers import three_digits
from rankcore.plot import style as draw
from rankcore.plot.numbers import minus
from rankcore.plot.palette import LIGHT, Palette, lightness_steps
from rankcore.plot.style import Picture
from rankcore.topics.inspect.why import Why
from rankcore.topics.train.training_figure import plain

MOST_BARS = 7
ROW_HEIGHT = 30
LONGEST_NAME = 28


def why_figure(why: Why, palette: Palette = LIGHT, most: int = MOST_BARS) -> Picture:
    """Draw the steps from the upper document's score to the lower one's, by feature.

    Parameters
    ----------
    most : int
        Number of bars of single features; the others share one bar.
    """
    bars = _bars(why, most)
    return Picture(
        _traces(why, bars, palette),
        _layout(why, bars, palette),
        _alternative(why, bars),
        why.rows,
    )


class _Bars(NamedTuple):
    """The steps from one score to the other.

    Attributes
    ----------
    names : list of n str
    parts : list of n float
        The contribution of each step.
    ends : (n + 1,) float64
        The score before and after each.
    """

    names: list[str]
    parts: list[float]
    ends: np.ndarray


def _bars(why: Why, most: int) -> _Bars:
    order = np.argsort(-np.abs(why.contributions), kind="stable")
    order = order[why.contributions[order] != 0.0]
    names = [why.feature_names[j] for j in order[:most]]
    parts = [float(why.contributions[j]) for j in order[:most]]
    others = order[most:]
    if len(others):
        plural = "s" if len(others) > 1 else ""
        names.append(f"{len(others)} other feature{plural}")
        parts.append(float(why.contributions[others].sum()))
    return _Bars(names, parts, why.upper_score + np.cumsum([0.0, *parts]))


def _traces(why: Why, bars: _Bars, palette: Palette) -> list[dict[str, Any]]:
    """Return the steps, their values, and a mark for each score."""
    names, parts, ends = bars
    last = len(parts) + 1
    rows = np.arange(1, last)
    rises, falls = (lightness_steps(palette.runs[i], 1, palette)[0] for i in (0, 1))
    return [
        draw.lines(
            draw.joined(ends, ends),
            draw.joined(np.arange(last), np.arange(1, last + 1)),
            palette.secondary,
            1,
        ),
        {
            "type": "bar",
            "orientation": "h",
            "y": rows,
            "x": parts,
            "base": ends[:-1],
            "width": 0.55,
            "marker": {"color": [rises if part > 0.0 else falls for part in parts]},
            "hovertemplate": "%{customdata}<extra></extra>",
            "customdata": [
                f"{escape(name)}: {_signed(part)}"
                for name, part in zip(names, parts, strict=True)
            ],
            "name": "contributions",
        },
        # To the right of every bar, so that no value overlaps the names.
        {
            "type": "scatter",
            "mode": "text",
            "x": np.maximum(ends[:-1], ends[1:]),
            "y": rows,
            "text": [f" {_signed(part)}" for part in parts],
            "textposition": "middle right",
            "cliponaxis": False,
            "hoverinfo": "skip",
            "name": "values",
        },
        draw.marks(
            [why.upper_score, why.lower_score],
            [0, last],
            {"size": 9, "color": palette.primary},
            hover="score %{x:.3g}",
            name="scores",
        ),
    ]


def _layout(why: Why, bars: _Bars, palette: Palette) -> dict[str, Any]:
    above, below = (
        f"<b>{escape(draw.shortened(name, LONGEST_NAME))}</b> {three_digits(score)}"
        for name, score in (
            (why.upper, why.upper_score),
            (why.lower, why.lower_score),
        )
    )
    features = list(map(escape, draw.short_names(bars.names, LONGEST_NAME)))
    low, high = float(bars.ends.min()), float(bars.ends.max())
    room = (high - low) or 1.0
    longest = max(map(len, (*bars.names, f"{why.upper} 0.00", f"{why.lower} 0.00")))
    last = len(features) + 1
    return plain(palette) | {
        "height": ROW_HEIGHT * (last + 1) + 56,
        "margin": {"l": min(170, 24 + 7 * longest), "r": 12, "t": 6, "b": 48},
        "dragmode": False,
        "xaxis": draw.axis(palette, "score")
        | {"range": [low - 0.1 * room, high + 0.5 * room]},
        "yaxis": {
            "range": [last + 0.6, -0.6],
            "tickmode": "array",
            "tickvals": list(range(last + 1)),
            "ticktext": [above, *features, below],
            "showgrid": False,
            "zeroline": False,
        },
    }


def _alternative(why: Why, bars: _Bars) -> str:
    largest = ", ".join(
        f"{name} {_signed(part)}"
        for name, part in zip(bars.names[:3], bars.parts[:3], strict=True)
    )
    reason = f"the difference comes from {largest}" if largest else "no feature differs"
    return (
        f"{why.lower} scores {three_digits(why.lower_score)}, {why.upper} above it "
        f"{three_digits(why.upper_score)}; {reason}."
    )


def _signed(part: float) -> str:
    text = minus(three_digits(part))
    return text if part < 0.0 else f"+{text}"
