"""Picture of a map over three or more hyperparameters: parallel coordinates."""

from html import escape

import numpy as np

from rankcore.charts._style import Picture
from rankcore.charts.map_words import GROUP, best_text, map_table, value_ticks
from rankcore.charts.palette import LIGHT, Palette
from rankcore.charts.parallel import Lines, ParallelAxis
from rankcore.insight.maps import Map
from rankcore.insight.trade_offs import usable


def map_lines_figure(found: Map, palette: Palette = LIGHT) -> Picture:
    """Draw each model of a map as a line over its values, its measure and its costs.

    Parameters
    ----------
    found : Map
        With a usable cell.
    palette : Palette
    """
    cells, axes = usable(found), []
    for number, own in enumerate(found.plan.axes):
        at = np.array([cell.at[number] for cell in cells], np.float64)
        ticks = value_ticks(own)
        texts = dict(zip(ticks["tickvals"], ticks["ticktext"], strict=True))
        ends = (0.0, len(own.values) - 1.0)
        axes.append(ParallelAxis(own.name, escape(own.symbol), at, ends, texts))
    models = Lines(
        axes,
        found.plan.measure,
        np.array([cell.value for cell in cells]),
        np.array([cell.kept for cell in cells]),
        np.array([cell.seconds for cell in cells]),
        found.plan.splits.train.n_features,
    )
    picture = models.picture(GROUP, palette)
    return picture.described(best_text(found), lambda: map_table(found))
