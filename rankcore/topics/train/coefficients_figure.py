"""The picture of the features in a model during training."""

from html import escape

import numpy as np

from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture, axis, lines, marks, short_names
from rankcore.topics.train.coefficients import Coefficients
from rankcore.topics.train.training_figure import plain

# Number of rows of the list, and their height in pixels.
ROWS, ROW_HEIGHT = 10, 24
HEIGHT = ROWS * ROW_HEIGHT + 50
LONGEST_NAME = 24


def coefficients_figure(
    coefficients: Coefficients, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the first features as a list of dots, hollow for weights that have become
    zero.

    Parameters
    ----------
    colour : str
        As ``#rrggbb``.
    """
    values, weighing = coefficients.values[:ROWS], coefficients.weighing
    place = np.arange(len(values))
    labels = weighing.labels(coefficients.names[:ROWS], coefficients.weights[:ROWS])
    names = np.array(labels, dtype=object)
    zero = coefficients.weights[:ROWS] == 0
    hover = "%{customdata}<br>%{x:.3g}"
    ends = np.column_stack([np.zeros_like(values), values, np.full(len(values), None)])
    stems = lines(ends.ravel(), np.repeat(place, 3), faded(colour, 0.5), 2)
    dots = marks(
        values[~zero].tolist(),
        place[~zero].tolist(),
        {"size": 9, "color": colour},
        hover=hover,
        customdata=names[~zero].tolist(),
    )
    hollow = marks(
        values[zero].tolist(),
        place[zero].tolist(),
        {
            "symbol": "circle-open",
            "size": 9,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
        hover=hover,
        customdata=names[zero].tolist(),
    )
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 42},
        "xaxis": axis(palette, weighing.name)
        | {"zeroline": True, "zerolinecolor": palette.ink}
        | ({} if len(values) else {"range": [-1, 1], "showticklabels": False}),
        "yaxis": {
            "range": [ROWS - 0.5, -0.5],
            "automargin": True,
            "showgrid": False,
            "zeroline": False,
            "tickvals": place.tolist(),
            "ticktext": [
                escape(name)
                for name in short_names(coefficients.names[:ROWS], LONGEST_NAME)
            ],
        },
    }
    return Picture([stems, dots, hollow], layout).described(
        f"{weighing.title}: {coefficients.note}.",
        lambda: coefficients.columns,
    )
