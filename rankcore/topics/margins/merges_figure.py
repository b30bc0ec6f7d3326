"""Pictures of a worst order's construction: the staircase, the assignment."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, cells, layout, lines, marks, shortened
from rankcore.topics.margins.merges import Assignment, Staircase
from rankcore.topics.margins.order_figure import (
    LETTER,
    fixed,
    loss_colour,
    margin_colour,
)

LONGEST = 10
MOST_GOOD, MOST_BAD = 40, 80
MOST_CELLS_WITH_NUMBERS = 70
MOST_COLUMNS = 20


def staircase_figure(
    stairs: Staircase, palette: Palette = LIGHT, height: int = 0
) -> Picture:
    """Draw each pair's contribution if inverted, with the merge as a staircase over it.

    Of long lists, only the best documents of both kinds are drawn.

    Parameters
    ----------
    height : int
        In pixels, at least.
    """
    values = stairs.values[:MOST_GOOD, :MOST_BAD]
    m, n_bad = values.shape
    above = np.minimum(stairs.above[:m], n_bad) + 0.5
    rows = np.arange(1, m + 1)
    path = lines(
        np.concatenate([[0.5], np.repeat(above, 2), [n_bad + 0.5]]),
        np.concatenate(
            [[0.5], np.stack([rows - 0.5, rows + 0.5], axis=1).ravel(), [m + 0.5]]
        ),
        palette.ink,
        3,
    )
    figure = layout(
        palette,
        "irrelevant documents, the highest score first",
        "relevant documents",
        height=max(100 + int(np.clip(24 * m, 70, 300)), height),
    )
    figure["xaxis"] |= _names(stairs.bad[:n_bad], "x") | {"range": [0.4, n_bad + 0.6]}
    figure["yaxis"] |= _names(stairs.good[:m], "y") | {
        "range": [m + 0.6, 0.4],
        "showgrid": False,
    }
    fixed(figure, _left(stairs.good[:m]))
    alt = (
        f"The most violated order inverts {stairs.above.sum()} of {stairs.values.size} "
        "pairs of a relevant and an irrelevant document."
    )
    table = {"relevant": list(stairs.good), "irrelevant above": stairs.above} | {
        f"{j + 1}. {name}": stairs.values[:, j]
        for j, name in enumerate(stairs.bad[:MOST_COLUMNS])
    }
    return Picture([_cells(values, palette), path], figure, alt, table)


def assignment_figure(table: Assignment, palette: Palette = LIGHT) -> Picture:
    """Draw each document's contribution at each rank, and the chosen cells."""
    values = table.values[:MOST_GOOD, :MOST_GOOD]
    m, k = values.shape
    picked = (table.ranks[:m] > 0) & (table.ranks[:m] <= k)
    picks = marks(
        table.ranks[:m][picked],
        np.flatnonzero(picked) + 1,
        {
            "symbol": "circle-open",
            "size": int(np.clip(300 / max(m, k), 7, 18)),
            "color": palette.ink,
            "line": {"width": 2},
        },
        hover="%{y} goes to rank %{x}",
    )
    figure = layout(
        palette,
        "rank",
        "documents, the highest score first",
        height=100 + int(np.clip(24 * m, 70, 380)),
    )
    ranks = tuple(str(rank) for rank in range(1, k + 1))
    figure["xaxis"] |= _names(ranks, "x") | {"range": [0.4, k + 0.6]}
    figure["yaxis"] |= _names(table.documents[:m], "y") | {
        "range": [m + 0.6, 0.4],
        "showgrid": False,
    }
    fixed(figure, _left(table.documents[:m]))
    table_shown = {
        "document": table.documents,
        "label": table.labels,
        "score": table.scores,
        "rank": table.ranks,
    }
    return Picture(
        [_cells(values, palette), picks], figure, _assigned(table), table_shown
    )


def _assigned(table: Assignment) -> str:
    """Return a sentence on the documents at the ranks that count."""
    placed = np.flatnonzero(table.ranks)
    top = placed[np.argmin(table.ranks[placed])]
    highest = int(table.labels.max())
    best = int((table.labels[placed] == highest).sum())
    return (
        f"Rank 1 goes to {table.documents[top]}, label {table.labels[top]} and number "
        f"{top + 1} by score; {best} of the {len(placed)} ranks that count go to "
        f"documents of the highest label, {highest}."
    )


def _cells(values: np.ndarray, palette: Palette) -> dict[str, Any]:
    # Square roots, so that small values differ visibly from zero.
    shades = np.sign(values) * np.sqrt(np.abs(values))
    reach = float(np.abs(shades).max()) if values.size else 0.0
    reach = reach or 1.0
    texts = None
    if values.size <= MOST_CELLS_WITH_NUMBERS:
        texts = [[decimals(value, 2) for value in row] for row in values]
    return cells(
        shades.astype(np.float32),
        (-reach, reach),
        (margin_colour(palette), palette.panel, loss_colour(palette)),
        palette,
        texts,
        textfont={"size": 12},
        x0=1,
        y0=1,
        customdata=values.astype(np.float32),
        xgap=1,
        ygap=1,
        hovertemplate="adds %{customdata:.3g}<extra></extra>",
    )


def _left(names: Sequence[str]) -> float:
    """Return the left margin for the axis' title and documents' names."""
    return 40 + LETTER * min(max(map(len, names), default=0), LONGEST)


def _names(names: Sequence[str], axis: str) -> dict[str, Any]:
    """Return ticks with the names of documents, if there is room."""
    if len(names) > (12 if axis == "x" else 20):
        return {}
    return {
        "tickmode": "array",
        "tickvals": list(range(1, len(names) + 1)),
        "ticktext": [escape(shortened(name, LONGEST)) for name in names],
    }
