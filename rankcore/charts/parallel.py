"""Parallel coordinates: models as lines over hyperparameters, measure and costs.

An axis can be brushed; what stays stands out in the other pictures of the same group,
see ``brush.js`` of the live figure.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, layout, padded_range
from rankcore.charts.landscape import SCALE
from rankcore.charts.palette import Palette

Floats = NDArray[np.float64]

HEIGHT = 400
# Colours begin at this quantile: a few very poor models would make all others alike.
DARKEST = 0.1


class ParallelAxis(NamedTuple):
    """One of the axes.

    Attributes
    ----------
    label : str
    values : (n,) float64
        Of each model, without NaN.
    ends : (float, float)
    ticks : dict of float to str
        Place → text.
    """

    label: str
    values: Floats
    ends: tuple[float, float]
    ticks: dict[float, str]


class Lines(NamedTuple):
    """Models to draw as lines.

    Attributes
    ----------
    axes : sequence of ParallelAxis
        Of the hyperparameters.
    measure : str
    values, kept, seconds : (n,) float64
        The measure, features in use and training time of each model.
    features : int
        How many there are.
    """

    axes: Sequence[ParallelAxis]
    measure: str
    values: Floats
    kept: Floats
    seconds: Floats
    features: int

    def picture(self, group: str, palette: Palette) -> Picture:
        """Models coloured by their measure; without alternative text and table.

        Parameters
        ----------
        group : str
            Of the pictures in which a brush shows.
        palette : Palette
        """
        values = self.values
        low, high = float(np.quantile(values, DARKEST)), float(values.max())
        high = high if high > low else low + 0.005
        measured = {
            "label": self.measure,
            "values": values.tolist(),
            "range": padded_range(0.02, values),
            "tickformat": ".2f",
        }
        dimensions = [
            *map(_dimension, self.axes),
            measured,
            _cost("features", self.kept, float(self.features)),
            _cost("seconds", self.seconds, float(self.seconds.max()) or 1.0),
        ]
        trace = {
            "type": "parcoords",
            "name": group,
            "dimensions": dimensions,
            "line": {
                "color": values.tolist(),
                "colorscale": SCALE,
                "cmin": low,
                "cmax": high,
            },
            "unselected": {"line": {"color": palette.secondary, "opacity": 0.08}},
            "labelfont": {"size": 12, "color": palette.ink},
            "tickfont": {"size": 11, "color": palette.ink},
            "rangefont": {"size": 1, "color": "rgba(0,0,0,0)"},
            "meta": {"brushes": group},
        }
        figure = layout(palette, "", "", height=HEIGHT)
        del figure["xaxis"], figure["yaxis"]
        figure["margin"] = {"l": 48, "r": 48, "t": 44, "b": 20}
        return Picture([trace], figure)


def _dimension(own: ParallelAxis) -> dict[str, Any]:
    return {
        "label": own.label,
        "values": own.values.tolist(),
        "range": list(own.ends),
        "tickvals": list(own.ticks),
        "ticktext": list(own.ticks.values()),
    }


def _cost(label: str, values: Floats, most: float) -> dict[str, Any]:
    return {
        "label": label,
        "values": values.tolist(),
        "range": [0.0, most],
        "tickvals": [0.0, most / 2, most],
        "tickformat": ".3~g",
    }
