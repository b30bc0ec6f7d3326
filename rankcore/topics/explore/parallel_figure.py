"""Parallel coordinates: models as lines over hyperparameters, measure and costs.

An axis can be brushed; what stays stands out in the other pictures of the same group,
see ``brush.js`` of the live figure, which also tells the server. Where axes are close,
``figure.js`` takes short headings.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.plot.palette import Palette
from rankcore.plot.style import Picture, in_lines, layout, padded_range, shortened
from rankcore.topics.approximation.landscape_figure import SCALE
from rankcore.topics.explore.brush import NO_BRUSH, Brush

Floats = NDArray[np.float64]

HEIGHT = 400
# The scale without its darkest colours, which would not be seen on a dark page.
ON_DARK = ((0.0, "#575d6d"), (0.4, "#8a8678"), (0.7, "#bcae6c"), (1.0, "#fee838"))
LONGEST_LABEL, SHORT_LABEL = 12, 8
COSTS = ("features", "seconds")
# Colours begin at this quantile: a few very poor models would make all others alike.
DARKEST = 0.1


class ParallelAxis(NamedTuple):
    """One of the axes.

    Attributes
    ----------
    name : str
        By which a brush knows it.
    values : (n,) float64
        Of each model, without NaN.
    ends : (float, float)
    ticks : dict of float to str
        Place → text.
    short : str
        Its label where axes are close; by default the first letters.
    """

    name: str
    label: str
    values: Floats
    ends: tuple[float, float]
    ticks: dict[float, str]
    short: str = ""


class Lines(NamedTuple):
    """Models to draw as lines.

    Attributes
    ----------
    axes : sequence of ParallelAxis
        Of the hyperparameters.
    values, nonzeros, seconds : (n,) float64
        The measure, features in use and training time of each model.
    features : int
        How many there are.
    brush : Brush
        The ranges that are brushed; the measure is the axis ``measure``, the costs are
        ``features`` and ``seconds``.
    """

    axes: Sequence[ParallelAxis]
    measure: str
    values: Floats
    nonzeros: Floats
    seconds: Floats
    features: int
    brush: Brush = NO_BRUSH

    def picture(self, group: str, palette: Palette) -> Picture:
        """Models coloured by their measure; without alternative text and table.

        Parameters
        ----------
        group : str
            Of the pictures in which a brush shows.
        """
        values = self.values
        low, high = float(np.quantile(values, DARKEST)), float(values.max())
        high = high if high > low else low + 0.005
        measured = {
            "name": "measure",
            "label": self.measure,
            "values": values.tolist(),
            "range": padded_range(0.02, values),
            "tickformat": ".2f",
        }
        dimensions = [
            *map(_dimension, self.axes),
            measured,
            _cost(COSTS[0], self.nonzeros, float(self.features)),
            _cost(COSTS[1], self.seconds, float(self.seconds.max()) or 1.0),
        ]
        for dimension in dimensions:
            if ranges := [list(ends) for ends in self.brush.get(dimension["name"], ())]:
                # Plotly has a single range so.
                dimension["constraintrange"] = ranges if len(ranges) > 1 else ranges[0]
        names = [*(a.short or a.label for a in self.axes), self.measure, *COSTS]
        headings = {
            "long": [dimension["label"] for dimension in dimensions],
            "short": [shortened(name, SHORT_LABEL) for name in names],
        }
        trace = {
            "type": "parcoords",
            "name": group,
            "dimensions": dimensions,
            "line": {
                "color": values.tolist(),
                "colorscale": SCALE if palette.kind == "light" else ON_DARK,
                "cmin": low,
                "cmax": high,
            },
            "unselected": {"line": {"color": palette.secondary, "opacity": 0.08}},
            "labelfont": {"size": 12, "color": palette.ink},
            "tickfont": {"size": 11, "color": palette.ink},
            "rangefont": {"size": 1, "color": "rgba(0,0,0,0)"},
            "meta": {"brushes": group, "headings": headings},
        }
        figure = layout(palette, "", "", height=HEIGHT)
        del figure["xaxis"], figure["yaxis"]
        figure["margin"] = {"l": 48, "r": 48, "t": 44, "b": 20}
        return Picture([trace], figure)


def _dimension(axis: ParallelAxis) -> dict[str, Any]:
    return {
        "name": axis.name,
        "label": in_lines(axis.label, LONGEST_LABEL),
        "values": axis.values.tolist(),
        "range": list(axis.ends),
        "tickvals": list(axis.ticks),
        "ticktext": list(axis.ticks.values()),
    }


def _cost(label: str, values: Floats, most: float) -> dict[str, Any]:
    return {
        "name": label,
        "label": label,
        "values": values.tolist(),
        "range": [0.0, most],
        "tickformat": ".3~g",
    }
