"""Algorithms by data sets: means with intervals, and printed values."""

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

from rankcore.mathematics.statistics import SIGNIFICANT
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture
from rankcore.topics.papers.boards import Beside, Board, Boards, Place, Standing, tied
from rankcore.topics.papers.published import Printed

LEAST_HEIGHT = 380
ROW = 19
LONGEST = 30
NOBODY: Mapping[str, Sequence[Beside]] = MappingProxyType({})
Places = Mapping[str, Mapping[str, Place]]
LEFT, FOOT = 140, 66
# Space between two data sets, as a share of the width.
GAP = 0.03


def leaderboard_figure(
    boards: Boards,
    places: Places,
    order: Sequence[str],
    measure: str,
    printed: Mapping[str, Mapping[str, Sequence[Printed]]],
    palette: Palette = LIGHT,
    beside: Mapping[str, Sequence[Beside]] = NOBODY,
    most: int | None = None,
) -> Picture:
    """Draw one row per entry and one column per data set.

    Parameters
    ----------
    boards : dict of str to Board
        By data set.
    places : dict of str to dict of str to Place
        By data set and entry.
    order : sequence of str
        The entries from the top down.
    printed : dict of str to dict of str to sequence of Printed
        By data set and entry, drawn hollow.
    beside : dict of str to sequence of Beside
        A user's models by data set, below the entries in another colour.
    most : int, optional
        Number of entries drawn, including the best of every data set; the table has
        all.
    """
    best = {
        dataset: max(by_name, key=lambda name: by_name[name].mean)
        for dataset, by_name in places.items()
    }
    first = sorted(order, key=lambda name: name not in best.values())[:most]
    others = (one.name for each in beside.values() for one in each)
    names = dict.fromkeys([*sorted(first, key=order.index), *others])
    key = _key(any(printed.values()), any(beside.values()), palette)
    top = 12 + draw.LINE_HEIGHT * len(key)
    height = max(LEAST_HEIGHT, top + FOOT + ROW * len(names))
    figure = draw.layout(palette, "", "", height)
    figure["annotations"] = [draw.above("<br>".join(key), LEFT, palette)]
    rows = {name: i for i, name in enumerate(names)}
    figure["yaxis"] |= {
        "tickvals": list(rows.values()),
        "ticktext": [escape(draw.shortened(name, LONGEST)) for name in rows],
        "range": [len(rows) - 0.5, -0.6],
        "showgrid": False,
    }
    figure["margin"] = {"l": LEFT, "r": 10, "t": top, "b": FOOT}
    wide = (1.0 + GAP) / max(len(places), 1)
    traces: list[dict[str, Any]] = []
    for column, (dataset, by_name) in enumerate(places.items()):
        name = f"x{draw.axis_number(column)}"
        begin = column * wide
        figure[name.replace("x", "xaxis")] = draw.axis(
            palette, f"{dataset}<br>{measure}"
        ) | {
            "nticks": 4,
            "tickangle": 0,
            "domain": [begin, begin + wide - GAP],
            "anchor": "y",
            "gridcolor": palette.line,
        }
        traces += _column(dataset, boards[dataset], by_name, rows, name, palette)
        traces += _printed_column(
            dataset, printed.get(dataset, {}), rows, name, palette
        )
        traces += _user_column(beside.get(dataset, ()), rows, name, palette)
    winners = "; ".join(
        f"on {dataset} {best[dataset]} has the highest mean, {len(tied(by_name)) - 1} "
        "others are tied with it"
        for dataset, by_name in places.items()
    )
    return Picture(traces, figure).described(
        f"{measure} of {len(order)} algorithms: {winners}.",
        lambda: rows_of(boards, places, printed, beside),
    )


def _key(printed: bool, beside: bool, palette: Palette) -> list[str]:
    """Return the meaning of the marks, a line for each group of them."""
    groups = [
        {
            "● tied with the highest mean": palette.primary,
            "◆ significantly below it (5%)": palette.secondary,
        },
        {"○ printed": palette.ink} if printed else {},
        {"★ own run, | the best on the same folds": palette.runs[1]} if beside else {},
    ]
    return [
        "  ".join(
            f'<span style="color:{palette.readable(colour)}">{word}</span>'
            for word, colour in group.items()
        )
        for group in groups
        if group
    ]


def _column(
    dataset: str,
    board: Board,
    by_name: Mapping[str, Place],
    rows: Mapping[str, int],
    xaxis: str,
    palette: Palette,
) -> list[dict[str, Any]]:
    names = [name for name in rows if name in by_name]
    places = [by_name[name] for name in names]
    top = [place.p > SIGNIFICANT for place in places]
    colours = [palette.primary if group else palette.secondary for group in top]
    intervals = [
        draw.lines(
            [place.low, place.high], [rows[name]] * 2, faded(colour, 0.5), 2,
            xaxis=xaxis,
        )
        for name, place, colour in zip(names, places, colours, strict=True)
    ]  # fmt: skip
    means = draw.marks(
        [place.mean for place in places],
        [rows[name] for name in names],
        {
            "size": 9,
            "color": colours,
            "symbol": ["circle" if group else "diamond" for group in top],
        },
        hover="%{customdata}: %{x:.3f}",
        customdata=[
            f"{escape(name)}, {board.standings[name].nonzeros:.1f} features, "
            f"{board.standings[name].seconds:.0f} s, p = {place.p:.2g} against "
            "the best"
            for name, place in zip(names, places, strict=True)
        ],
        name=dataset,
        xaxis=xaxis,
    )
    return [*intervals, means]


def _printed_column(
    dataset: str,
    printed: Mapping[str, Sequence[Printed]],
    rows: Mapping[str, int],
    xaxis: str,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Return the printed values of a data set, hollow; no trace if there are none."""
    paper = [
        (row, rows[name])
        for name, values in printed.items()
        if name in rows
        for row in values
    ]
    marker = {"size": 11, "symbol": "circle-open", "color": palette.ink}
    trace = draw.marks(
        [row.value for row, _ in paper],
        [at for _, at in paper],
        marker | {"line": {"width": 1.5}},
        hover="%{customdata}: printed %{x:.3g}",
        customdata=[
            f"{escape(row.algorithm)}, {escape(row.short_source)}" for row, _ in paper
        ],
        name=f"{dataset}, printed",
        xaxis=xaxis,
    )
    return [trace] if paper else []


def _user_column(
    beside: Sequence[Beside], rows: Mapping[str, int], xaxis: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return a user's models, with a tick at the best entry on the same folds."""
    if not beside:
        return []
    colour, at = palette.runs[1], [rows[one.name] for one in beside]
    traces = [
        draw.lines(
            [one.place.low, one.place.high], [y] * 2, faded(colour, 0.5), 2, xaxis=xaxis
        )
        for one, y in zip(beside, at, strict=True)
    ]
    for word, numbers, marker in (
        ("own", [one.place.mean for one in beside], {"size": 10, "symbol": "star"}),
        ("best on the same folds", [one.best_mean for one in beside],
         {"size": 11, "symbol": "line-ns-open", "line": {"width": 2}}),
    ):  # fmt: skip
        traces.append(
            draw.marks(
                numbers,
                at,
                {"color": colour, **marker},
                hover="%{customdata}: %{x:.3f}",
                customdata=[
                    f"{escape(one.name if word == 'own' else one.best)}, "
                    f"{', '.join(one.folds)}, p = {one.place.p:.2g}"
                    for one in beside
                ],
                name=word,
                xaxis=xaxis,
            )
        )
    return traces


def rows_of(
    boards: Boards,
    places: Places,
    printed: Mapping[str, Mapping[str, Sequence[Printed]]],
    beside: Mapping[str, Sequence[Beside]] = NOBODY,
) -> list[dict[str, Any]]:
    """Return the figure as a table: one row per data set and entry, highest mean
    first."""
    rows = []
    for dataset, by_name in places.items():
        for name in sorted(by_name, key=lambda name: -by_name[name].mean):
            texts = [row.text for row in printed.get(dataset, {}).get(name, ())]
            one = boards[dataset].standings[name]
            more = {"printed": ", ".join(texts), "folds": ""}
            rows.append(_row(name, dataset, by_name[name], one) | more)
    for dataset, each in beside.items():
        for model in each:
            folds = (
                f"{', '.join(model.folds)}; {model.best} there: {model.best_mean:.3f}"
            )
            more = {"printed": "", "folds": folds}
            rows.append(_row(model.name, dataset, model.place, model) | more)
    return rows


def _row(
    name: str, dataset: str, place: Place, model: Standing | Beside
) -> dict[str, Any]:
    return {
        "algorithm": name,
        "data": dataset,
        "mean": place.mean,
        "95% from": place.low,
        "to": place.high,
        "p against the best": place.p,
        "tied with the best": "yes" if place.p > SIGNIFICANT else "no",
        "features kept": model.nonzeros,
        "training seconds": model.seconds,
    }
