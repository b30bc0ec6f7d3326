"""Pictures of models' losses without each feature, with intervals."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import counted, three_digits
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, run_styles
from rankcore.plot.style import Picture
from rankcore.topics.inspect.importance import (
    FeatureLoss,
    ImportanceSubject,
    importance_table,
)

ROW_HEIGHT = 24
LEAST_HEIGHT = 160
LONGEST_FEATURE = 24


def importance_figure(
    losses: Sequence[FeatureLoss], subject: ImportanceSubject, palette: Palette = LIGHT
) -> Picture:
    """Draw the loss of each model without each feature, the largest at the top.

    Parameters
    ----------
    losses : sequence of FeatureLoss
        At least one; while a study runs, those so far.
    """
    largest: dict[str, float] = {}
    for one in losses:
        largest[one.feature] = max(largest.get(one.feature, -np.inf), one.loss)
    features = sorted(largest, key=lambda name: -largest[name])
    rows = {name: len(features) - 1 - at for at, name in enumerate(features)}
    models = [name for name in subject.models if any(o.model == name for o in losses)]
    styles = run_styles([subject.models[name] for name in subject.models], palette)
    traces = [
        _trace(
            [one for one in losses if one.model == name],
            subject,
            [rows[one.feature] for one in losses if one.model == name],
            0.15 * (len(subject.models) > 1) * (-1) ** number,
            style,
        )
        for number, (name, style) in enumerate(zip(subject.models, styles, strict=True))
        if name in models
    ]
    ends = [end for one in losses for end in (one.low, one.high)]
    height = max(LEAST_HEIGHT, 92 + ROW_HEIGHT * len(features))
    figure = draw.layout(palette, f"loss of {subject.measure}", "", height)
    names = draw.short_names(features, LONGEST_FEATURE)
    room = min(170, 24 + 7 * max(map(len, names)))
    figure["margin"] = {"l": room, "r": 16, "t": 40, "b": 52}
    figure["xaxis"] |= {"range": draw.padded_range(0.05, *ends, 0.0), "showgrid": True}
    figure["yaxis"] |= {
        "tickvals": list(rows.values()),
        "ticktext": list(map(escape, names)),
        "range": [-0.7, len(features) - 0.3],
        "automargin": False,
        "showgrid": False,
    }
    figure["shapes"] = [draw.vline(0.0, palette.secondary, 1.5, "solid")]
    figure |= draw.NAMES_ABOVE
    return Picture(traces, figure).described(
        _alternative(losses, models, subject), lambda: importance_table(losses, subject)
    )


def _trace(
    losses: Sequence[FeatureLoss],
    subject: ImportanceSubject,
    rows: Sequence[int],
    above: float,
    style: Any,
) -> dict[str, Any]:
    """Return the losses of a model; hollow marks are correlated features."""
    colour, symbol = style
    x = np.array([one.loss for one in losses])
    others = [subject.partners.get(one.feature) for one in losses]
    name = escape(losses[0].model)
    words = [
        f"{escape(one.feature)}: {three_digits(one.loss)}, 95% "
        f"{three_digits(one.low)} to {three_digits(one.high)}"
        + (f"<br>r {three_digits(other[1])} with {escape(other[0])}" if other else "")
        for one, other in zip(losses, others, strict=True)
    ]
    return draw.marks(
        x,
        np.array(rows) + above,
        {
            "size": 9,
            "color": colour,
            "symbol": [f"{symbol}-open" if other else symbol for other in others],
        },
        hover=f"{name}<br>%{{customdata}}",
        customdata=words,
        name=name,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.array([one.high for one in losses]) - x,
            "arrayminus": x - np.array([one.low for one in losses]),
            "color": colour,
            "thickness": 1.5,
            "width": 0,
        },
    )


def _alternative(
    losses: Sequence[FeatureLoss], models: Sequence[str], subject: ImportanceSubject
) -> str:
    most = [
        max((one for one in losses if one.model == name), key=lambda one: one.loss)
        for name in models
    ]
    alt = "; ".join(
        f"{one.model} loses most without {one.feature}: {three_digits(one.loss)}"
        for one in most
    )
    features = {one.feature for one in losses}
    alike = len(features & subject.partners.keys())
    return (
        f"Loss of {subject.measure} by feature: {alt}. Of "
        f"{counted(len(features), 'features')}, {alike} are correlated with another."
    )
