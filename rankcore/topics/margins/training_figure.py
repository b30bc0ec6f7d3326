"""A picture of structured training: the mismatch matrix."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Floats
from rankcore.base.numbers import RANKS_NOTHING
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, cells, layout, lines
from rankcore.topics.margins.training import Mismatch

# A model with this share of the best one's measure, or less, has the palest colour.
LOWEST_SHARE = 0.85


def matrix_figure(
    mismatch: Mismatch,
    aimed: NDArray[np.bool_],
    palette: Palette = LIGHT,
    height: int = 0,
) -> Picture:
    """Draw the matrix "trained for" by "tested by", each column relative to its best.

    Parameters
    ----------
    aimed : (m, k) bool
        Whether each model was trained for each measure; these cells have a frame.
    height : int
        In pixels, at least.
    """
    best = mismatch.values.max(axis=0)
    share = mismatch.values / np.where(best > 0.0, best, 1.0)
    matrix = cells(
        share.astype(np.float32),
        (LOWEST_SHARE, 1.0),
        palette.relevance,
        palette,
        _cell_texts(mismatch),
        textfont={"size": 13},
        xgap=3,
        ygap=3,
        hovertemplate="%{z:.1%} of the best in this column<extra></extra>",
    )
    winners = [
        f"{measure}: {_listed(mismatch, j)}"
        for j, measure in enumerate(mismatch.tested)
    ]
    table: dict[str, Any] = {"trained": list(mismatch.trained)}
    for j, name in enumerate(mismatch.tested):
        table |= {name: mismatch.values[:, j], f"± {name}": mismatch.errors[:, j]}
    figure = _matrix_layout(mismatch, height, palette)
    figure["shapes"] = [
        {
            "type": "rect",
            "x0": j - 0.46,
            "x1": j + 0.46,
            "y0": i - 0.44,
            "y1": i + 0.44,
            "line": {"color": palette.runs[1], "width": 2.5},
        }
        for i, j in np.argwhere(aimed).tolist()
    ]
    return Picture([matrix], figure, f"Best by {', by '.join(winners)}.", table)


def _matrix_layout(mismatch: Mismatch, height: int, palette: Palette) -> dict[str, Any]:
    m, k = mismatch.values.shape
    figure = layout(palette, "tested by", "trained", height=max(90 + 46 * m, height))
    figure["margin"] |= {"t": 44, "b": 10, "l": 106}
    figure["xaxis"] |= {
        "side": "top",
        "tickvals": list(range(k)),
        "ticktext": [f"<b>{escape(name)}</b>" for name in mismatch.tested],
        "ticks": "",
        "range": [-0.5, k - 0.5],
    }
    figure["yaxis"] |= {
        "tickvals": list(range(m)),
        "ticktext": [escape(name) for name in mismatch.trained],
        "range": [m - 0.5, -0.5],
        "showgrid": False,
        "ticks": "",
        "nticks": m,
    }
    return figure


def _cell_texts(mismatch: Mismatch) -> list[list[str]]:
    """Return the values with their errors, in bold if tied with the best."""
    return [
        [
            RANKS_NOTHING.replace(" ", "<br>")
            if any(mismatch.even[i : i + 1])
            else _cell(value, error, bold=bool(mismatch.ties[i, j]))
            for j, (value, error) in enumerate(zip(row, errors, strict=True))
        ]
        for i, (row, errors) in enumerate(
            zip(mismatch.values, mismatch.errors, strict=True)
        )
    ]


def _listed(mismatch: Mismatch, j: int) -> str:
    """Return the best model by a measure, and the number of ties with it."""
    others = int(mismatch.ties[:, j].sum()) - 1
    name = mismatch.trained[mismatch.best[j]]
    return f"{name}, tied with {others} others" if others > 0 else name


def _cell(value: float, error: float, bold: bool) -> str:
    number = f"<b>{value:.3f}</b>" if bold else f"{value:.3f}"
    return number if np.isnan(error) else f"{number}<br>±{error:.3f}"


def line(
    x: Floats, y: Floats, colour: str, name: str, yaxis: str = "y"
) -> dict[str, Any]:
    """Return a line whose hover text has its name and value."""
    return lines(x, y, colour, hover=f"{name}: %{{y:.3~r}}", yaxis=yaxis)
