"""Parallel coordinates: models as lines over hyperparameters, measure and costs.

Axes can be brushed; the selected models stand out in the other figures of the group,
see ``brush.js`` of the live figure, which also informs the server. If axes are close
together, ``figure.js`` shortens the headings.
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
# The scale without its darkest colours, which are invisible on a dark page.
ON_DARK = ((0.0, "#575d6d"), (0.4, "#8a8678"), (0.7, "#bcae6c"), (1.0, "#fee838"))
LONGEST_LABEL, SHORT_LABEL = 12, 8
COSTS = ("features", "seconds")
# The scale starts at this quantile, so that a few poor models do not compress it.
DARKEST = 0.1


class ParallelAxis(NamedTuple):
    """An axis of parallel coordinates.

    Attributes
    ----------
    name : str
        Name of the axis in a brush.
    values : (n,) float64
        Value of each model, without NaN.
    ends : (float, float)
    ticks : dict of float to str
        Position → text.
    short : str
        Label if axes are close together; by default the first letters.
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
        Axes of the hyperparameters.
    values, nonzeros, seconds : (n,) float64
        The measure, features in use and training time of each model.
    features : int
        Number of features of the data.
    brush : Brush
        Brushed ranges, also on the axes ``measure``, ``features`` and ``seconds``.
    """

    axes: Sequence[ParallelAxis]
    measure: str
    values: Floats
    nonzeros: Floats
    seconds: Floats
    features: int
    brush: Brush = NO_BRUSH

    def picture(self, group: str, palette: Palette) -> Picture:
        """Return the lines, coloured by measure, without alternative text and table.

        Parameters
        ----------
        group : str
            Group of the figures that react to a brush.
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
                # Plotly's form of a single range.
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
