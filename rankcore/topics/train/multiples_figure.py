"""Small multiples: a grid of charts with the same axes."""

from collections.abc import Sequence
from typing import Any

from rankcore.plot.palette import Palette
from rankcore.plot.style import LINE_HEIGHT, Picture, axis, axis_number, note
from rankcore.topics.train.training_figure import plain

# Charts per row, also on a telephone.
COLUMNS = 2
# Smallest and usual height of a plot; plots shrink if many rows would end below the
# first screen.
PLOT_HEIGHTS = (64, 100)
ROWS_HEIGHT = 410
# Space between the names of a chart and its plot, and below it.
GAP, BELOW = 4, 14
# Horizontal space, as a share of the width.
BETWEEN = 0.06
MOST_NAMES = 4
NAME_SIZE = 11


# Names as HTML, each on its own lines and in its colour.
Names = Sequence[tuple[str, str]]


def multiples_figure(
    cells: Sequence[tuple[Names, list[dict[str, Any]]]],
    x: str,
    y: str,
    width: float,
    heights: Sequence[float],
    palette: Palette,
) -> Picture:
    """Draw each cell's traces in its own chart, row by row.

    Parameters
    ----------
    cells : sequence of (Names, list of dict)
        The names above each chart, and its traces.
    x, y : str
        Titles of the axes.
    width : float
        End of the horizontal axes, which begin at 0.
    heights : (low, high)
        The range of the vertical axes.
    """
    rows = -(-len(cells) // COLUMNS)
    most = max(_heading(names, palette).count("<br>") + 1 for names, _ in cells)
    beside = LINE_HEIGHT * most + GAP + BELOW
    lowest_plot, highest_plot = PLOT_HEIGHTS
    plot_height = max(lowest_plot, min(highest_plot, ROWS_HEIGHT / rows - beside))
    row_height = beside + plot_height
    figure = plain(palette) | {
        "height": row_height * rows + 60,
        "margin": {"l": 60, "r": 12, "t": 8, "b": 52},
        "annotations": [],
    }
    traces: list[dict[str, Any]] = []
    for place, (names, curves) in enumerate(cells):
        row, column = divmod(place, COLUMNS)
        number = axis_number(place)
        left = column * (1.0 + BETWEEN) / COLUMNS
        bottom = 1.0 - (row + 1 - BELOW / row_height) / rows
        top = bottom + plot_height / row_height / rows
        lowest = place + COLUMNS >= len(cells)
        figure[f"xaxis{number}"] = axis(palette, x if lowest else "") | {
            "domain": [left, left + (1.0 - BETWEEN) / COLUMNS],
            "anchor": f"y{number}",
            "range": [0, width],
            "showgrid": False,
            "showticklabels": lowest,
            "nticks": 4,
        }
        figure[f"yaxis{number}"] = axis(palette, "" if column else y) | {
            "domain": [bottom, top],
            "anchor": f"x{number}",
            "range": list(heights),
            "showticklabels": not column,
            "nticks": 4,
            "tickformat": ".2f",
        }
        traces += [
            curve | {"xaxis": f"x{number}", "yaxis": f"y{number}"} for curve in curves
        ]
        figure["annotations"].append(
            note(
                _heading(names, palette), left, top, palette.secondary, NAME_SIZE,
                xref="paper", yref="paper", xanchor="left", yanchor="bottom",
                align="left",
            )
        )  # fmt: skip
    return Picture(traces, figure)


def _heading(names: Names, palette: Palette) -> str:
    """Return the first names of a chart, one per line, and the number of others."""
    lines = [
        f'<b style="color:{palette.readable(colour)}">{name}</b>'
        for name, colour in names[:MOST_NAMES]
    ]
    more = len(names) - MOST_NAMES
    return "<br>".join(lines) + (f" and {more} more" if more > 0 else "")
