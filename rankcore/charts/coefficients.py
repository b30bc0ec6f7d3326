"""The picture of a linear model's coefficients, as it changes during training."""

from html import escape
from typing import Any

import numpy as np

from rankcore.charts._style import Picture, axis
from rankcore.charts.palette import LIGHT, Palette
from rankcore.charts.training import plain
from rankcore.insight.coefficients import Coefficients

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
    hover = "%{customdata}<br>%{y:.3g}<extra></extra>"
    bars = {
        "type": "bar",
        "x": place[~zero].tolist(),
        "y": values[~zero].tolist(),
        "customdata": names[~zero].tolist(),
        "marker": {"color": colour, "line": {"width": 0}},
        "hovertemplate": hover,
    }
    hollow = {
        "type": "scatter",
        "mode": "markers",
        "x": place[zero].tolist(),
        "y": values[zero].tolist(),
        "customdata": names[zero].tolist(),
        "marker": {
            "symbol": "square-open",
            "size": 6,
            "color": palette.secondary,
            "line": {"width": 1},
        },
        "hovertemplate": hover,
    }
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 48, "r": 8, "t": 8, "b": 12},
        "bargap": 0.3,
        "xaxis": {"visible": False, "range": [-1, max(len(values), 12)]},
        "yaxis": axis(palette, "")
        | {"zeroline": True, "zerolinecolor": palette.ink}
        | ({} if len(values) else {"range": [-1, 1], "showticklabels": False}),
        "annotations": _names_of_largest(values, names, palette),
    }
    return Picture([bars, hollow], layout)


def _names_of_largest(
    values: np.ndarray, names: np.ndarray, palette: Palette
) -> list[dict[str, Any]]:
    """The names of the largest coefficients, where the bars leave room."""
    order = np.argsort(-np.abs(values), kind="stable")[:NAMED_BARS]
    lines = [f"{names[i]}  {_signed(values[i])}" for i in order if values[i] != 0]
    return [_note("<br>".join(lines), palette)] if lines else []


def _signed(value: float) -> str:
    return f"{value:+.2g}".replace("-", "\u2212")


def _note(text: str, palette: Palette) -> dict[str, Any]:
    """A few words at the top right of a picture."""
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "x": 1,
        "y": 1,
        "xanchor": "right",
        "yanchor": "top",
        "align": "right",
        "showarrow": False,
        "font": {"size": 11, "color": palette.secondary},
    }
