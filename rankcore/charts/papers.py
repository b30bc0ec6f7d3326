"""Claims of papers: all of them as marks by verdict, and one with its values."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.charts._style import Picture, layout, lines, marks, note, shortened
from rankcore.charts.palette import LIGHT, Palette
from rankcore.papers.card import (
    ABSENT,
    EXCEEDED,
    FALSE,
    MISSED,
    REACHED,
    VERDICTS,
    Card,
    Found,
    Value,
)

HEIGHT = 380
SMALL = 210
ROW = 17
LONGEST = 26
# A mark for each verdict, so that colour is not all that tells them apart.
SYMBOLS = {
    REACHED: "circle",
    EXCEEDED: "triangle-up",
    MISSED: "triangle-down",
    FALSE: "x",
    ABSENT: "square-open",
}
_RUNS = {REACHED: 2, EXCEEDED: 0, MISSED: 1, FALSE: 3}
# Marks beside each other in a cell, and the largest ratio on a linear axis.
ACROSS = 5
FADED = 0.2
WIDE = 50.0


def verdict_colour(verdict: str, palette: Palette = LIGHT) -> str:
    """The colour of a verdict."""
    at = _RUNS.get(verdict)
    return palette.secondary if at is None else palette.runs[at]


def claims_figure(
    groups: Mapping[str, Sequence[tuple[Card, str]]],
    chosen: str = "",
    kept: Collection[str] | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a mark for each claim: a row a paper, a column a verdict.

    Parameters
    ----------
    groups : dict of str to sequence of (Card, str)
        By the paper's title, each card with its verdict.
    chosen : str
        The key of the card that is framed.
    kept : collection of str, optional
        Keys of the cards of a filter; others are faded.
    palette : Palette

    Returns
    -------
    Picture
        A trace for each verdict, named after it, in the order of ``groups``.
    """
    traces = []
    rows = list(groups.items())
    for column, verdict in enumerate(VERDICTS):
        x, y, cards = [], [], []
        for row, (_, own) in enumerate(rows):
            here = [card for card, found in own if found == verdict]
            for i, card in enumerate(here):
                x.append(column + 0.1 + 0.165 * (i % ACROSS))
                y.append(row - 0.32 + 0.21 * (i // ACROSS))
                cards.append(card)
        colour = verdict_colour(verdict, palette)
        framed = [card.key == chosen for card in cards]
        traces.append(
            marks(
                x,
                y,
                {
                    "size": [13 if one else 10 for one in framed],
                    "symbol": SYMBOLS[verdict],
                    "color": colour,
                    "opacity": [
                        1.0 if kept is None or card.key in kept else FADED
                        for card in cards
                    ],
                    "line": {
                        "color": palette.ink if verdict != ABSENT else colour,
                        "width": [2 if one else 0 for one in framed]
                        if verdict != ABSENT
                        else 1.5,
                    },
                },
                hover="%{customdata}",
                name=verdict,
                customdata=[
                    f"{escape(card.place)}: {escape(card.title)}" for card in cards
                ],
            )
        )
    figure = layout(palette, "", "", HEIGHT)
    counts = [sum(f == v for _, own in rows for _, f in own) for v in VERDICTS]
    figure["xaxis"] |= {
        "range": [-0.05, len(VERDICTS)],
        "tickvals": [i + 0.4 for i in range(len(VERDICTS))],
        "ticktext": [
            f"<b>{count}</b><br>{verdict.replace(' ', '<br>', 1)}"
            for count, verdict in zip(counts, VERDICTS, strict=True)
        ],
        "side": "top",
        "tickangle": 0,
        "tickfont": {"size": 11},
        "showline": False,
    }
    figure["yaxis"] |= {
        "range": [len(rows) - 0.5, -0.5],
        "tickvals": list(range(len(rows))),
        "ticktext": [name.replace(" ", "<br>") for name, _ in rows],
        "showgrid": False,
    }
    figure["margin"] = {"l": 98, "r": 8, "t": 74, "b": 8}
    figure["shapes"] = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": row + 0.5,
         "y1": row + 0.5, "line": {"color": palette.line, "width": 1}}
        for row in range(len(rows) - 1)
    ]  # fmt: skip
    said = ", ".join(f"{c} {v}" for c, v in zip(counts, VERDICTS, strict=True))
    return Picture(traces, figure).described(
        f"{sum(counts)} claims: {said}.",
        lambda: [
            {"paper": name, "place": c.place, "claim": c.title, "verdict": verdict}
            for name, own in rows
            for c, verdict in own
        ],
    )


def card_figure(
    card: Card, found: Found, palette: Palette = LIGHT, height: int = SMALL
) -> Picture:
    """Draw the values of a card: ours filled, printed values hollow.

    Parameters
    ----------
    card : Card
    found : Found
    palette : Palette
    height : int
        At least; a picture of many rows is higher.
    """
    values = [v for v in found.values if v.series != v.x] or list(found.values)
    series = list(dict.fromkeys(value.series for value in values))
    colours = {
        name: palette.runs[i % len(palette.runs)] for i, name in enumerate(series)
    }
    ticks = list(dict.fromkeys(value.x for value in values))
    traces = [
        trace
        for name in series
        for trace in _traces(
            [v for v in values if v.series == name],
            ticks,
            card.curve,
            colours[name],
            palette,
        )
    ]
    x, y = card.axis
    figure = layout(palette, x, y, height)
    category, number = ("xaxis", "yaxis") if card.curve else ("yaxis", "xaxis")
    shown = range(0, len(ticks), max(1, -(-len(ticks) // 12)) if card.curve else 1)
    figure[category] |= {
        "tickvals": list(shown),
        "ticktext": [escape(shortened(ticks[i], LONGEST)) for i in shown],
        "range": [-0.5, len(ticks) - 0.5] if card.curve else [len(ticks) - 0.5, -0.6],
        "showgrid": False,
    }
    if not card.curve:
        figure["yaxis"]["title"] = {"text": ""}
        figure["height"] = max(height, 74 + ROW * len(ticks))
    if _far_apart(values):
        figure[number] |= {"type": "log"}
    figure[number] |= {"tickangle": 0, "nticks": 4, "exponentformat": "power"}
    figure["margin"] |= {"t": 24 if len(series) > 1 else 10, "b": 58}
    if len(series) > 1:
        figure["annotations"] = [_names(series, colours, palette)]
    return Picture(traces, figure).described(_said(card, found), lambda: table(found))


def table(found: Found) -> list[dict[str, Any]]:
    """The values of a card, a row each."""
    return [
        {
            "of": value.series,
            "at": value.x,
            "printed": value.printed,
            "limit": value.relation,
            "here": value.ours,
            "low": value.low,
            "high": value.high,
        }
        for value in found.values
    ]


def _traces(
    values: Sequence[Value],
    ticks: Sequence[str],
    curve: bool,
    colour: str,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Ours with their intervals, and the printed values, of one series."""
    own = [v for v in values if v.ours is not None]
    paper = [v for v in values if v.printed is not None]
    traces = []
    at = {tick: i for i, tick in enumerate(ticks)}

    def placed(chosen: Sequence[Value], numbers: Sequence[Any]) -> dict[str, Any]:
        places = [at[value.x] for value in chosen]
        return {"x": places, "y": numbers} if curve else {"x": numbers, "y": places}

    ends = [v for v in own if v.low is not None and v.high is not None]
    for value in ends:
        there = placed([value, value], [value.low, value.high])
        traces.append(lines(colour=colour, width=1.5, opacity=0.45, **there))
    if curve and len(own) > 1:
        traces.append(lines(colour=colour, **placed(own, [v.ours for v in own])))
    for chosen, numbers, marker, word in (
        (own, [v.ours for v in own], {"size": 8, "color": colour}, "here"),
        (
            paper,
            [v.printed for v in paper],
            {
                "size": 11,
                "symbol": "circle-open",
                "color": palette.ink,
                "line": {"width": 1.5},
            },
            "printed",
        ),
    ):
        if chosen:
            said = [f"{escape(v.series)}, {escape(v.x)}" for v in chosen]
            value_of = "%{y:.4g}" if curve else "%{x:.4g}"
            traces.append(
                marks(
                    marker=marker,
                    hover=f"%{{customdata}}<br>{word} {value_of}",
                    customdata=said,
                    name=word,
                    **placed(chosen, numbers),
                )
            )
    return traces


def _far_apart(values: Sequence[Value]) -> bool:
    """Whether values need a logarithmic axis."""
    numbers = np.array(
        [n for v in values for n in (v.ours, v.printed) if n is not None], np.float64
    )
    if not len(numbers) or not (numbers > 0.0).all():
        return False
    return bool(numbers.max() > WIDE * numbers.min())


def _names(
    series: Sequence[str], colours: Mapping[str, str], palette: Palette
) -> dict[str, Any]:
    """The names of the series in their colours, above the picture."""
    text = " · ".join(
        f'<span style="color:{palette.readable(colours[name])}">'
        f"<b>{escape(shortened(name, 20))}</b></span>"
        for name in series[:5]
    )
    return note(
        text, 0.0, 1.0, palette.secondary, 11, xref="paper", yref="paper",
        xanchor="left", yanchor="bottom",
    )  # fmt: skip


def _said(card: Card, found: Found) -> str:
    both = [v for v in found.values if v.ours is not None and v.printed is not None]
    first = next(iter(both), None)
    example = (
        f" For example {first.series}, {first.x}: printed {first.printed:.4g}, here "
        f"{first.ours:.4g}."
        if first is not None
        else ""
    )
    return f"{card.place}, {card.title}: {found.verdict}.{example}"
