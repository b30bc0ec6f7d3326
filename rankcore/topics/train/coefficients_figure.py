"""The picture of the features in a model, as it changes during training."""

from html import escape
from typing import Any

import numpy as np

from rankcore.plot.numbers import minus
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, axis, bars, marks, note
from rankcore.topics.train.coefficients import Coefficients
from rankcore.topics.train.training_figure import plain

HEIGHT = 170
NAMED_BARS = 3


def coefficients_figure(
    coefficients: Coefficients, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw features as bars; one whose weight has become zero is a hollow mark.

    Parameters
    ----------
    coefficients : Coefficients
    colour : str
        As ``#rrggbb``.
    palette : Palette
    """
    values, weighing = coefficients.values, coefficients.weighing
    place = np.arange(len(values))
    labels = weighing.labels(coefficients.names, coefficients.weights)
    names = np.array(labels, dtype=object)
    zero = coefficients.weights == 0
    hover = "%{customdata}<br>%{y:.3g}"
    columns = bars(
        place[~zero].tolist(),
        values[~zero].tolist(),
        {"color": colour, "line": {"width": 0}},
        hover=f"{hover}",
        customdata=names[~zero].tolist(),
    )
    hollow = marks(
        place[zero].tolist(),
        values[zero].tolist(),
        {
            "symbol": "square-open",
            "size": 6,
            "color": palette.secondary,
            "line": {"width": 1},
        },
        hover=f"{hover}",
        customdata=names[zero].tolist(),
    )
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 58, "r": 8, "t": 8, "b": 12},
        "bargap": 0.3,
        "xaxis": {"visible": False, "range": [-1, max(len(values), 12)]},
        "yaxis": axis(palette, weighing.name)
        | {"zeroline": True, "zerolinecolor": palette.ink}
        | ({} if len(values) else {"range": [-1, 1], "showticklabels": False}),
        "annotations": _names_of_largest(coefficients, palette),
    }
    return Picture([columns, hollow], layout).described(
        f"{weighing.title}: {coefficients.note}.",
        lambda: coefficients.columns,
    )


def _names_of_largest(
    coefficients: Coefficients, palette: Palette
) -> list[dict[str, Any]]:
    """Return the names of the largest bars, where the others leave room."""
    values = coefficients.values
    order = np.argsort(-np.abs(values), kind="stable")[:NAMED_BARS]
    words = [
        f"{escape(coefficients.names[i])}  {minus(f'{values[i]:+.2g}')}"
        for i in order
        if values[i] != 0
    ]
    if not words:
        return []
    corner = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top"}
    text = "<br>".join(words)
    return [note(text, 1, 1, palette.secondary, 11, align="right", **corner)]
