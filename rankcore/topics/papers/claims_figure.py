"""Pictures of claims: all claims as marks by verdict, and one claim's values."""

import itertools
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.papers import rules
from rankcore.topics.papers.card import Card, CardOutcome
from rankcore.topics.papers.value import CardValue

HEIGHT = 380
SMALL = 210
ROW = 17
LONGEST = 26
# Characters of a line across a card and beside its plot, and of the room around labels.
ACROSS_CARD, ACROSS_LABEL, AROUND = 40, 16, 8
# Pixels of a letter, to the left of a plot, and across the plot of a curve.
LETTER, LEAST_LEFT, ACROSS_PLOT = 6, 60, 150
# A mark for each verdict, so that they differ not only in colour.
SYMBOLS = {
    rules.REACHED: "circle",
    rules.EXCEEDED: "triangle-up",
    rules.MISSED: "triangle-down",
    rules.FALSE: "x",
    rules.NOT_STRICT: "diamond",
    rules.ABSENT: "square-open",
}
_RUNS = {
    rules.REACHED: 2,
    rules.EXCEEDED: 0,
    rules.MISSED: 1,
    rules.FALSE: 3,
    rules.NOT_STRICT: 3,
}
# Marks of series, and the prefixes of their names.
SHAPES = {"circle": "", "square": "■ "}
# Marks beside each other in a cell, and the largest ratio on a linear axis.
ACROSS = 5
FADED = 0.2
WIDE = 50.0


class _Style(NamedTuple):
    """The marks of a series, and the prefix of its name."""

    colour: str
    symbol: str
    before: str


def verdict_colour(verdict: str, palette: Palette = LIGHT) -> str:
    """Return the colour of a verdict."""
    at = _RUNS.get(verdict)
    return palette.secondary if at is None else palette.runs[at]


def claims_figure(
    groups: Mapping[str, Sequence[tuple[Card, str]]],
    chosen: str = "",
    names: Collection[str] | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a mark for each claim: one row per paper, one column per verdict.

    Parameters
    ----------
    groups : dict of str to sequence of (Card, str)
        By the paper's title, each card with its verdict.
    chosen : str
        The key of the framed card.
    names : collection of str, optional
        Keys of the cards of a filter; others are faded.

    Returns
    -------
    Picture
        A trace for each verdict, named after it, in the order of ``groups``.
    """
    verdicts = Counter(verdict for row in groups.values() for _, verdict in row)
    present = filter(verdicts.get, rules.VERDICTS)
    columns = {verdict: i for i, verdict in enumerate(present)}
    traces = [
        _verdict_marks(
            verdict, columns.get(verdict, 0), groups.values(), chosen, names, palette
        )
        for verdict in rules.VERDICTS
    ]
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in rules.VERDICTS)
    return Picture(traces, _verdicts_layout(list(groups), verdicts, palette)).described(
        f"{verdicts.total()} claims: {counts}.",
        lambda: [
            {"paper": name, "place": c.place, "claim": c.title, "verdict": verdict}
            for name, row in groups.items()
            for c, verdict in row
        ],
    )


def _verdict_marks(
    verdict: str,
    column: int,
    rows: Iterable[Sequence[tuple[Card, str]]],
    chosen: str,
    names: Collection[str] | None,
    palette: Palette,
) -> dict[str, Any]:
    """Return the marks of a verdict's column, side by side within a row."""
    x, y, cards = [], [], []
    for row, claims in enumerate(rows):
        alike = [card for card, outcome in claims if outcome == verdict]
        for i, card in enumerate(alike):
            x.append(column + 0.1 + 0.165 * (i % ACROSS))
            y.append(row - 0.32 + 0.21 * (i // ACROSS))
            cards.append(card)
    colour = verdict_colour(verdict, palette)
    framed = [card.key == chosen for card in cards]
    outline: dict[str, Any] = {"color": colour, "width": 1.5}
    if verdict != rules.ABSENT:
        outline = {"color": palette.ink, "width": [2 if one else 0 for one in framed]}
    return draw.marks(
        x,
        y,
        {
            "size": [13 if one else 10 for one in framed],
            "symbol": SYMBOLS[verdict],
            "color": colour,
            "opacity": [
                1.0 if names is None or card.key in names else FADED for card in cards
            ],
            "line": outline,
        },
        hover="%{customdata}",
        name=verdict,
        customdata=[f"{escape(card.place)}: {escape(card.title)}" for card in cards],
    )


def _verdicts_layout(
    papers: Sequence[str], counts: Mapping[str, int], palette: Palette
) -> dict[str, Any]:
    """Return a row for each paper and a column for each verdict, with its count."""
    figure = draw.layout(palette, "", "", HEIGHT)
    figure["xaxis"] |= {
        "range": [-0.05, len(counts)],
        "tickvals": [i + 0.4 for i in range(len(counts))],
        "ticktext": [
            f"<b>{counts[verdict]}</b><br>{verdict.replace(' ', '<br>')}"
            for verdict in filter(counts.get, rules.VERDICTS)
        ],
        "side": "top",
        "tickangle": 0,
        "tickfont": {"size": 11},
        "showline": False,
    }
    figure["yaxis"] |= {
        "range": [len(papers) - 0.5, -0.5],
        "tickvals": list(range(len(papers))),
        "ticktext": [name.replace(" ", "<br>") for name in papers],
        "showgrid": False,
    }
    figure["margin"] = {"l": 80, "r": 4, "t": 88, "b": 8}
    figure["shapes"] = [
        draw.segment((0, row + 0.5), (1, row + 0.5), palette.line, xref="paper")
        for row in range(len(papers) - 1)
    ]
    return figure


def card_figure(
    card: Card, outcome: CardOutcome, palette: Palette = LIGHT, height: int = SMALL
) -> Picture:
    """Draw the values of a card: ours filled, printed values hollow.

    Parameters
    ----------
    height : int
        Minimum height; a picture of many rows is higher.
    """
    values = [v for v in outcome.values if v.series != v.x] or list(outcome.values)
    series = list(dict.fromkeys(value.series for value in values))
    styles = _styles(series, palette)
    places = _places(values, card.curve)
    traces = [
        trace
        for name in series
        for trace in _traces(
            [v for v in values if v.series == name],
            places,
            card.curve,
            styles[name],
            styles[name].colour if len(series) > 1 else palette.ink,
        )
    ]
    x, y = card.axis
    left = _left(places, card.curve)
    # A title is centred on the plot, so it has the room to the right of labels.
    below = _wrapped(x, ACROSS_CARD - AROUND - left // LETTER)
    head = [y] if card.curve else []
    head += _names(styles, palette) if len(series) > 1 else []
    figure = draw.layout(palette, "<br>".join(below), "", height)
    category, number = ("xaxis", "yaxis") if card.curve else ("yaxis", "xaxis")
    figure[number] |= {"nticks": 4, "exponentformat": "power"}
    numbers = [n for v in values for n in (v.ours, v.printed) if n is not None]
    if _far_apart(numbers):
        figure[number] |= _log_axis(numbers)
    if isinstance(places, Categories):
        figure[category] |= places.axis(card.curve)
    elif _far_apart(list(places.values())):
        figure[category] |= _log_axis(list(places.values()))
    figure["xaxis"] |= {"tickangle": 0}
    figure["annotations"] = [draw.above("<br>".join(head), left, palette)]
    top, foot = 10 + draw.LINE_HEIGHT * len(head), 42 + draw.LINE_HEIGHT * len(below)
    figure["margin"] |= {"t": top, "b": foot}
    plot = 0
    if not card.curve and isinstance(places, Categories):
        plot = places.row * len(places)
    figure["height"] = max(height, top + foot + plot)
    return Picture(traces, figure).described(
        _alternative(card, outcome), lambda: table(outcome)
    )


class Categories(dict[str, float]):
    """The places of words on an axis, one after the other."""

    @staticmethod
    def lines(word: str) -> list[str]:
        """Return a word's lines beside the axis."""
        return _wrapped(escape(draw.shortened(word, LONGEST)), ACROSS_LABEL) or [""]

    @property
    def row(self) -> int:
        """Pixels of a row."""
        deepest = max((len(self.lines(word)) for word in self), default=1)
        return ROW + (draw.LINE_HEIGHT - 1) * (deepest - 1)

    def axis(self, curve: bool) -> dict[str, Any]:
        """Return the axis with the words; that of a curve has as many as fit."""
        words, step = list(self), 1
        shown = _without_repeats(words) if curve else words
        while curve and not self._fit(shown, step):
            step += 1
            shown = _without_repeats(words[::step])
        return {
            "tickvals": list(range(0, len(words), step)),
            "ticktext": ["<br>".join(self.lines(word)) for word in shown],
            "range": [-0.5, len(words) - 0.5] if curve else [len(words) - 0.5, -0.6],
            "showgrid": False,
        }

    def _fit(self, shown: Sequence[str], step: int) -> bool:
        """Whether words fit below a curve at this distance of places."""
        # Space of one letter on each side.
        wide = [LETTER * (2 + max(map(len, self.lines(word)))) for word in shown]
        return all(
            (a + b) / 2 <= ACROSS_PLOT * step / len(self)
            for a, b in itertools.pairwise(wide)
        )


def _without_repeats(words: Sequence[str]) -> list[str]:
    """Words like nDCG@1, @3, @5: only the first keeps the part before @."""
    heads = ["", *(word.partition("@")[0] for word in words)]
    return [
        word.removeprefix(before if word.startswith(f"{before}@") else "")
        for before, word in zip(heads[:-1], words, strict=True)
    ]


def _left(places: Mapping[str, float], curve: bool) -> int:
    """About the pixels to the left of the plot."""
    if curve or not isinstance(places, Categories):
        return LEAST_LEFT
    widest = max(len(line) for word in places for line in places.lines(word))
    return max(LEAST_LEFT, LETTER * widest)


def _places(values: Sequence[CardValue], curve: bool) -> dict[str, float]:
    """Places of values: a curve's at their numbers, others in order."""
    words = list(dict.fromkeys(value.x for value in values))
    try:
        numbers = {word: float(word) for word in words} if curve else {}
    except ValueError:
        numbers = {}
    return numbers or Categories({word: float(i) for i, word in enumerate(words)})


def _wrapped(title: str, longest: int) -> list[str]:
    return textwrap.wrap(title, longest, break_long_words=False)


def _log_axis(numbers: Sequence[float]) -> dict[str, Any]:
    """Return a logarithmic axis with a tick at powers of ten, at most five."""
    low, high = np.log10(min(numbers)), np.log10(max(numbers))
    powers = np.arange(np.floor(low), np.ceil(high) + 1)
    shown = powers[:: max(1, -(-len(powers) // 5))]
    pad = 0.06 * max(high - low, 1.0)
    return {
        "type": "log",
        "range": [float(low - pad), float(high + pad)],
        "tickvals": [float(10.0**power) for power in shown],
        "ticktext": [_power(int(power)) for power in shown],
    }


def _power(power: int) -> str:
    """Return a power of ten, in full from 0.001 to 1000."""
    return (
        f"{10.0**power:g}"
        if -3 <= power <= 3
        else f"10<sup>{power}</sup>".replace("-", "−")
    )


def table(outcome: CardOutcome) -> list[dict[str, Any]]:
    """Return the values of a card, one row each."""
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
        for value in outcome.values
    ]


def _traces(
    values: Sequence[CardValue],
    places: Mapping[str, float],
    curve: bool,
    style: _Style,
    ink: str,
) -> list[dict[str, Any]]:
    """Our values with intervals, and printed ones in ``ink``, of one series."""
    ours = [v for v in values if v.ours is not None]
    ours.sort(key=lambda value: places[value.x])
    paper = [v for v in values if v.printed is not None]
    traces = []

    def placed(chosen: Sequence[CardValue], numbers: Sequence[Any]) -> dict[str, Any]:
        at = [places[value.x] for value in chosen]
        return {"x": at, "y": numbers} if curve else {"x": numbers, "y": at}

    ends = [v for v in ours if v.low is not None and v.high is not None]
    for value in ends:
        there = placed([value, value], [value.low, value.high])
        traces.append(draw.lines(colour=style.colour, width=1.5, opacity=0.45, **there))
    if curve and len(ours) > 1:
        numbers = [v.ours for v in ours]
        traces.append(draw.lines(colour=style.colour, **placed(ours, numbers)))
    for chosen, numbers, marker, word in (
        (
            ours,
            [v.ours for v in ours],
            {"size": 8, "color": style.colour, "symbol": style.symbol},
            "here",
        ),
        (
            paper,
            [v.printed for v in paper],
            {
                "size": 11,
                "symbol": f"{style.symbol}-open",
                "color": ink,
                "line": {"width": 1.5},
            },
            "printed",
        ),
    ):
        if chosen:
            value_of = "%{y:.3g}" if curve else "%{x:.3g}"
            traces.append(
                draw.marks(
                    marker=marker,
                    hover=f"%{{customdata}}<br>{word} {value_of}",
                    customdata=[f"{escape(v.series)}, {escape(v.x)}" for v in chosen],
                    name=word,
                    **placed(chosen, numbers),
                )
            )
    return traces


def _far_apart(numbers: Sequence[float]) -> bool:
    """Whether numbers need a logarithmic axis."""
    return len(numbers) > 0 and 0.0 < min(numbers) < max(numbers) / WIDE


def _styles(series: Sequence[str], palette: Palette) -> dict[str, _Style]:
    """Return a colour for each series; squares where there are more series than
    colours."""
    every = itertools.product(SHAPES.items(), palette.runs)
    return {
        name: _Style(colour, *shape)
        for name, (shape, colour) in zip(series, itertools.cycle(every), strict=False)
    }


def _names(styles: Mapping[str, _Style], palette: Palette) -> list[str]:
    """Return lines with the names of the series in their colours."""
    rows, room = list[list[str]](), 0
    for name, style in styles.items():
        words = f"{style.before}{draw.shortened(name, LONGEST)}"
        if len(words) + 3 > room:
            rows.append([])
            room = ACROSS_CARD
        room -= len(words) + 3
        colour = palette.readable(style.colour)
        rows[-1].append(f'<span style="color:{colour}"><b>{escape(words)}</b></span>')
    return [" · ".join(row) for row in rows]


def _alternative(card: Card, outcome: CardOutcome) -> str:
    both = [v for v in outcome.values if v.ours is not None and v.printed is not None]
    first = next(iter(both), None)
    example = (
        f" For example {first.series}, {first.x}: printed {first.printed:.4g}, here "
        f"{first.ours:.3g}."
        if first is not None
        else ""
    )
    return f"{card.place}, {card.title}: {outcome.verdict}.{example}"
