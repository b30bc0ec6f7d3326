"""Algorithms by data sets: means with intervals, and printed values."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from rankcore.charts._style import Picture, axis, layout, lines, marks
from rankcore.charts.palette import LIGHT, Palette, faded
from rankcore.papers.published import Printed
from rankcore.papers.results import Boards

LEAST_HEIGHT = 380
ROW = 19
LEVEL = 0.05
# Between two data sets, as a share of the width.
GAP = 0.03


def leaderboard_figure(
    boards: Boards,
    order: Sequence[str],
    key: str,
    printed: Mapping[str, Mapping[str, Sequence[Printed]]],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a row for each entry and a column for each data set.

    Parameters
    ----------
    boards : dict of str to dict of str to Standing
        By data set and entry.
    order : sequence of str
        The entries from the top down.
    key : str
        Convention and measure, such as "letor3 nDCG@10".
    printed : dict of str to dict of str to sequence of Printed
        By data set and entry, drawn hollow.
    palette : Palette
    """
    measure = key.partition(" ")[2]
    figure = layout(palette, "", "", max(LEAST_HEIGHT, 78 + ROW * len(order)))
    rows = {name: i for i, name in enumerate(order)}
    figure["yaxis"] |= {
        "tickvals": list(rows.values()),
        "ticktext": [escape(name) for name in order],
        "range": [len(order) - 0.5, -0.6],
        "showgrid": False,
    }
    figure["margin"] = {"l": 140, "r": 10, "t": 26, "b": 44}
    wide = (1.0 + GAP) / max(len(boards), 1)
    traces: list[dict[str, Any]] = []
    for column, (dataset, board) in enumerate(boards.items()):
        name = "x" if column == 0 else f"x{column + 1}"
        begin = column * wide
        figure[name.replace("x", "xaxis")] = axis(palette, f"{dataset}: {measure}") | {
            "domain": [begin, begin + wide - GAP],
            "anchor": "y",
            "gridcolor": palette.line,
        }
        traces += _column(dataset, board, rows, key, printed, name, palette)
    best = {
        dataset: max(board, key=lambda one: board[one].places[key].mean)
        for dataset, board in boards.items()
    }
    said = "; ".join(f"on {dataset} {name} is best" for dataset, name in best.items())
    return Picture(traces, figure).described(
        f"{measure} of {len(order)} learners: {said}.",
        lambda: rows_of(boards, order, key, printed),
    )


def _column(
    dataset: str,
    board: Mapping[str, Any],
    rows: Mapping[str, int],
    key: str,
    printed: Mapping[str, Mapping[str, Sequence[Printed]]],
    xaxis: str,
    palette: Palette,
) -> list[dict[str, Any]]:
    own = [name for name in rows if name in board]
    places = [board[name].places[key] for name in own]
    top = [place.p >= LEVEL for place in places]
    traces = [
        lines(
            [place.low, place.high],
            [rows[name]] * 2,
            faded(palette.primary if group else palette.secondary, 0.5),
            2,
            xaxis=xaxis,
        )
        for name, place, group in zip(own, places, top, strict=True)
    ]
    traces.append(
        marks(
            [place.mean for place in places],
            [rows[name] for name in own],
            {
                "size": 9,
                "color": [palette.primary if g else palette.secondary for g in top],
                "symbol": ["circle" if g else "diamond" for g in top],
            },
            hover="%{customdata}: %{x:.4f}",
            customdata=[
                f"{escape(name)}, {board[name].nonzeros:.1f} features, "
                f"{board[name].seconds:.0f} s, p = {place.p:.2g} against the best"
                for name, place in zip(own, places, strict=True)
            ],
            name=dataset,
            xaxis=xaxis,
        )
    )
    paper = [
        (row, rows[name])
        for name, found in printed.get(dataset, {}).items()
        if name in rows
        for row in found
    ]
    if paper:
        traces.append(
            marks(
                [row.value for row, _ in paper],
                [at for _, at in paper],
                {
                    "size": 11,
                    "symbol": "circle-open",
                    "color": palette.ink,
                    "line": {"width": 1.5},
                },
                hover="%{customdata}: printed %{x:.4g}",
                customdata=[
                    f"{escape(row.algorithm)}, {escape(row.short_source)}"
                    for row, _ in paper
                ],
                name=f"{dataset}, printed",
                xaxis=xaxis,
            )
        )
    return traces


def rows_of(
    boards: Boards,
    order: Sequence[str],
    key: str,
    printed: Mapping[str, Mapping[str, Sequence[Printed]]],
) -> list[dict[str, Any]]:
    """The figure as a table: a row for each entry and data set."""
    return [
        {
            "learner": name,
            "data": dataset,
            "mean": board[name].places[key].mean,
            "95 % from": board[name].places[key].low,
            "to": board[name].places[key].high,
            "p against the best": board[name].places[key].p,
            "features kept": board[name].nonzeros,
            "training seconds": board[name].seconds,
            "printed": ", ".join(
                row.text for row in printed.get(dataset, {}).get(name, ())
            ),
        }
        for name in order
        for dataset, board in boards.items()
        if name in board
    ]
