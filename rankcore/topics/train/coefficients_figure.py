"""The picture of a linear model's coefficients, as it changes during training."""

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
    """Draw coefficients as bars; one that has become zero is a hollow mark.

    Parameters
    ----------
    coefficients : Coefficients
    colour : str
        As ``#rrggbb``.
    palette : Palette
    """
    values = coefficients.values
    place = np.arange(len(values))
    names = np.array([escape(name) for name in coefficients.names], dtype=object)
    zero = values == 0
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
        "yaxis": axis(palette, "coefficient")
        | {"zeroline": True, "zerolinecolor": palette.ink}
        | ({} if len(values) else {"range": [-1, 1], "showticklabels": False}),
        "annotations": _names_of_largest(values, names, palette),
    }
    return Picture([columns, hollow], layout)


def _names_of_largest(
    values: np.ndarray, names: np.ndarray, palette: Palette
) -> list[dict[str, Any]]:
    """Return the names of the largest coefficients, where the bars leave room."""
    order = np.argsort(-np.abs(values), kind="stable")[:NAMED_BARS]
    words = [
        f"{names[i]}  {minus(f'{values[i]:+.2g}')}" for i in order if values[i] != 0
    ]
    if not words:
        return []
    corner = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top"}
    text = "<br>".join(words)
    return [note(text, 1, 1, palette.secondary, 11, align="right", **corner)]
