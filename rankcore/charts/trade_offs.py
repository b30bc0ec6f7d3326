"""Picture of the trade-off between the measure and what a model costs."""

import numpy as np

from rankcore.charts._style import Picture, layout, lines, marks, padded_range
from rankcore.charts.map_words import cell_text, dot, map_table, measure_title
from rankcore.charts.numbers import decimals
from rankcore.charts.palette import LIGHT, Palette, faded
from rankcore.insight.maps import Map, MapCell
from rankcore.insight.trade_offs import front, usable

SCATTER_HEIGHT = 390


def trade_off_figure(
    found: Map,
    over: str,
    chosen: MapCell | None,
    colour: str,
    loss: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of every model over its cost, with the front of the best ones.

    Parameters
    ----------
    found : Map
        With a usable cell.
    over : {"features", "seconds"}
    chosen : MapCell or None
        Has a ring.
    colour : str
    loss : float
        The share of the best value that may be lost; those within are in a band.
    palette : Palette
    """
    cells = usable(found)
    y = np.array([cell.value for cell in cells])
    x = np.array([cost_of(cell, over) for cell in cells])
    texts = [cell_text(found, cell) for cell in cells]
    at = front(y, x)
    traces = [
        marks(
            x,
            y,
            dot(faded(palette.secondary, 0.5), 7),
            hover="%{customdata}",
            customdata=texts,
            name="models",
        ),
        lines(
            x[at],
            y[at],
            colour,
            2,
            hover="%{customdata}",
            line={"shape": "hv"},
            mode="lines+markers",
            marker=dot(colour, 9),
            customdata=[texts[number] for number in at],
            name="front",
        ),
    ]
    if chosen is not None:
        ring = dot("rgba(0,0,0,0)", 17)
        ring["line"] = {"width": 2.5, "color": palette.ink}
        place = [cost_of(chosen, over)], [chosen.value]
        traces.append(marks(*place, ring, name="chosen"))
    titles = {"features": "features kept", "seconds": "training, seconds"}
    figure = layout(
        palette, titles[over], measure_title(found.plan), height=SCATTER_HEIGHT
    )
    best = float(y.max())
    low, high = max(float(y.min()), 0.7 * best), best
    figure["yaxis"] |= {"range": padded_range(0.06, [low, high]), "tickformat": ".3f"}
    figure["xaxis"] |= {"rangemode": "tozero"}
    figure["shapes"] = [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": (1.0 - loss) * best,
            "y1": best,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": faded(colour, 0.12),
        }
    ]
    said = (
        f"{len(at)} of {len(cells)} models are on the front; the best reaches "
        f"{decimals(best)}."
    )
    return Picture(traces, figure, said, lambda: map_table(found))


def cost_of(cell: MapCell, over: str) -> float:
    """The cost of a cell, a mean over its runs: features kept, or seconds."""
    return cell.kept if over == "features" else cell.seconds
