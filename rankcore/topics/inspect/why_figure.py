"""Why a document is below another one: the score's difference as a waterfall."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import three_digits
from rankcore.plot.numbers import minus
from rankcore.plot.palette import LIGHT, Palette, lightness_steps
from rankcore.plot.style import (
    Picture,
    axis,
    joined,
    lines,
    marks,
    short_names,
    shortened,
)
from rankcore.topics.inspect.why import Why
from rankcore.topics.train.training_figure import plain

MOST_BARS = 7
ROW_HEIGHT = 30
LONGEST_NAME = 28


def why_figure(why: Why, palette: Palette = LIGHT, most: int = MOST_BARS) -> Picture:
    """Draw how the upper document's score becomes the lower one's, feature by feature.

    Parameters
    ----------
    why : Why
    palette : Palette
    most : int
        Bars of single features, the largest contributions; the others are one bar.
    """
    order = np.argsort(-np.abs(why.contributions), kind="stable")
    order = order[why.contributions[order] != 0.0]
    names = [why.feature_names[j] for j in order[:most]]
    parts = [float(why.contributions[j]) for j in order[:most]]
    others = order[most:]
    if len(others):
        plural = "s" if len(others) > 1 else ""
        names.append(f"{len(others)} other feature{plural}")
        parts.append(float(why.contributions[others].sum()))
    ends = why.upper_score + np.cumsum([0.0, *parts])
    rises, falls = (lightness_steps(palette.runs[i], 1, palette)[0] for i in (0, 1))
    colours = [rises if part > 0.0 else falls for part in parts]
    rows = np.arange(1, len(parts) + 1)
    last = len(parts) + 1
    traces: list[dict[str, Any]] = [
        lines(
            joined(ends, ends),
            joined(np.arange(last), np.arange(1, last + 1)),
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
            "marker": {"color": colours},
            "hovertemplate": "%{customdata}<extra></extra>",
            "customdata": [
                f"{escape(name)}: {_signed(part)}"
                for name, part in zip(names, parts, strict=True)
            ],
            "name": "contributions",
        },
        # Right of every bar, so that none reaches into the names.
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
        marks(
            [why.upper_score, why.lower_score],
            [0, last],
            {"size": 9, "color": palette.primary},
            hover="score %{x:.3g}",
            name="scores",
        ),
    ]
    above, below = (
        f"<b>{escape(shortened(name, LONGEST_NAME))}</b> {three_digits(score)}"
        for name, score in (
            (why.upper, why.upper_score),
            (why.lower, why.lower_score),
        )
    )
    features = list(map(escape, short_names(names, LONGEST_NAME)))
    low, high = float(ends.min()), float(ends.max())
    room = (high - low) or 1.0
    ends_of_axis = [low - 0.1 * room, high + 0.5 * room]
    longest = max(map(len, (*names, f"{why.upper} 0.00", f"{why.lower} 0.00")))
    layout = plain(palette) | {
        "height": ROW_HEIGHT * (last + 1) + 56,
        "margin": {"l": min(170, 24 + 7 * longest), "r": 12, "t": 6, "b": 48},
        "dragmode": False,
        "xaxis": axis(palette, "score") | {"range": ends_of_axis},
        "yaxis": {
            "range": [last + 0.6, -0.6],
            "tickmode": "array",
            "tickvals": list(range(last + 1)),
            "ticktext": [above, *features, below],
            "showgrid": False,
            "zeroline": False,
        },
    }
    said = ", ".join(
        f"{name} {_signed(part)}"
        for name, part in zip(names[:3], parts[:3], strict=True)
    )
    alt = (
        f"{why.lower} scores {three_digits(why.lower_score)}, {why.upper} above it "
        f"{three_digits(why.upper_score)}"
    )
    alt += f"; the difference comes from {said}." if said else "; no feature differs."
    return Picture(traces, layout, alt, why.rows)


def _signed(part: float) -> str:
    text = minus(three_digits(part))
    return text if part < 0.0 else f"+{text}"
