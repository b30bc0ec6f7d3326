"""Runs compared: their styles, and the differences of pairs with intervals."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.mathematics.differences import Difference
from rankcore.mathematics.statistics import SIGNIFICANT, few_differ
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, significant
from rankcore.plot.palette import LIGHT, Palette, RunStyle, run_styles
from rankcore.plot.style import Picture
from rankcore.topics.compare.comparison import Comparison, Contender, short_names

LONGEST_NAME = 24
MOST_PAIRS = 12
ROW_HEIGHT = 46
# Height in pixels of a line of text above a picture.
STAMP = 18


class DifferenceRow(NamedTuple):
    """A difference to draw.

    Attributes
    ----------
    first, second : str
        Names of the compared models; the second may be empty.
    colours : (str, str)
        Colours of their names.
    adjusted : float
        Its p-value after Holm.
    detectable : float
        The smallest difference that would be detected with probability 0.8; NaN if
        unknown.
    """

    first: str
    second: str
    colours: tuple[str, str]
    difference: Difference
    adjusted: float
    detectable: float = np.nan

    @property
    def significant(self) -> bool:
        return self.adjusted <= SIGNIFICANT


def styles_of(contenders: Sequence[Contender], palette: Palette) -> dict[str, RunStyle]:
    """Return the style of each contender by name, independent of their order."""
    ordered = sorted(contenders, key=lambda one: one.name)
    styles = run_styles([one.algorithm for one in ordered], palette)
    return {one.name: style for one, style in zip(ordered, styles, strict=True)}


def pair_rows(comparison: Comparison, palette: Palette) -> list[DifferenceRow]:
    """Return the pairs of a comparison as rows to draw."""
    styles, names = styles_of(comparison.contenders, palette), comparison.names
    short = short_names(comparison.contenders)
    return [
        DifferenceRow(
            short[names[pair.first]],
            short[names[pair.second]],
            (styles[names[pair.first]].colour, styles[names[pair.second]].colour),
            pair.difference,
            pair.adjusted,
            pair.detectable,
        )
        for pair in comparison.pairs
    ]


def differences_figure(
    rows: Sequence[DifferenceRow],
    measure: str,
    palette: Palette = LIGHT,
    least: int = 0,
) -> Picture:
    """Draw mean differences with their intervals, one below the other.

    Parameters
    ----------
    rows : sequence of DifferenceRow
        At least one; the first `MOST_PAIRS` are drawn, and all are in the table.
    least : int
        Minimum height in pixels.
    """
    first = rows[:MOST_PAIRS]
    y = np.arange(len(first))[::-1]
    traces = [
        trace
        for row, at in zip(first, y, strict=True)
        for trace in _interval(row, float(at), palette)
    ]
    ends = [end for row in first for end in (row.difference.low, row.difference.high)]
    height = max(least, 84 + ROW_HEIGHT * len(first))
    labels = [(_short(row.first), f"against {_short(row.second)}") for row in first]
    longest = max(len(word) for row in labels for word in row)
    room = 14 + int(6.4 * longest)
    figure = draw.layout(palette, f"difference in {measure}", "", height)
    figure["margin"] = {"l": room, "r": 56, "t": 26, "b": 52}
    figure["xaxis"] |= {
        "range": draw.padded_range(0.08, *ends, 0.0),
        "showgrid": True,
        "nticks": 5,
        "tickformat": "~g",
    }
    figure["yaxis"] |= {
        "range": [-0.6, len(first) - 0.4],
        "showgrid": False,
        "showticklabels": False,
    }
    figure["shapes"] = [draw.vline(0.0, palette.secondary, 1.5, "solid")]
    figure["annotations"] = [
        draw.note(
            "p, Holm", 1.0, 1.0, palette.secondary, 11,
            xref="paper", yref="paper", xanchor="left", yanchor="bottom", xshift=4,
        ),
        *(
            word
            for row, at in zip(first, y, strict=True)
            for word in _words(row, float(at), room, palette)
        ),
    ]  # fmt: skip
    return Picture(traces, figure).described(
        _alternative(rows, measure), lambda: differences_table(rows)
    )


def differences_table(rows: Sequence[DifferenceRow]) -> list[dict[str, Any]]:
    """Return one row per pair, with all computed values."""
    return [
        {
            "model": row.first,
            "against": row.second,
            "difference": row.difference.mean,
            "from": row.difference.low,
            "to": row.difference.high,
            "p, randomisation": row.difference.p_value,
            "p, Holm": row.adjusted,
            "p, t-test": row.difference.t_p_value,
            "effect size": row.difference.effect,
            "detectable": row.detectable,
            "queries": row.difference.queries,
            "queries that differ": row.difference.differing,
        }
        for row in rows
    ]


def stamped_figure(picture: Picture, words: str, palette: Palette = LIGHT) -> Picture:
    """Return the picture with text above it, which stays when it is saved."""
    before = picture.layout
    top = before["margin"]["t"]
    stamp = draw.note(
        escape(words), 0.0, 1.0, palette.secondary, 11,
        xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=top,
    )  # fmt: skip
    after = before | {
        "height": before["height"] + STAMP,
        "margin": before["margin"] | {"t": top + STAMP},
        "annotations": [*before.get("annotations", []), stamp],
    }
    return picture._replace(layout=after)


def p_text(p: float) -> str:
    """Return a p-value with two digits."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}"


def _interval(row: DifferenceRow, at: float, palette: Palette) -> list[dict[str, Any]]:
    difference = row.difference
    colour = palette.ink if row.significant else palette.secondary
    against = f" against {row.second}" if row.second else ""
    hover = (
        f"{escape(row.first + against)}<br>{significant(difference.mean)}, from "
        f"{significant(difference.low)} to {significant(difference.high)}<br>p = "
        f"{p_text(row.adjusted)} after Holm, d = {significant(difference.effect)}"
    )
    if why := few_differ(difference.differing, difference.queries):
        hover += f"<br>{why}"
    fill = colour if row.significant else palette.background
    ends = np.array([difference.low, difference.high])
    return [
        draw.lines(ends, [at, at], colour, 1.8),
        draw.marks(
            ends,
            [at, at],
            {"symbol": "line-ns-open", "size": 10, "color": colour},
        ),
        draw.marks(
            [difference.mean],
            [at],
            draw.outlined(11, fill, colour, 1.8),
            hover=hover,
            name=escape(row.first),
        ),
    ]


def _words(
    row: DifferenceRow, at: float, room: int, palette: Palette
) -> list[dict[str, Any]]:
    """Return labels of a row: names, in the ``room`` to its left, and p-value."""
    first, second = (palette.readable(colour) for colour in row.colours)
    text = f'<b><span style="color:{first}">{_short(row.first)}</span></b>'
    if row.second:
        text += (
            f'<br>against <b><span style="color:{second}">{_short(row.second)}'
            "</span></b>"
        )
    p = p_text(row.adjusted)
    left: dict[str, Any] = {"xref": "paper", "xanchor": "left", "align": "left"}
    return [
        draw.note(text, 0.0, at, palette.secondary, 12, xshift=4 - room, **left),
        draw.note(
            f"<b>{p}</b>" if row.significant else p,
            1.0,
            at,
            palette.ink if row.significant else palette.secondary,
            12,
            xshift=4,
            **left,
        ),
    ]


def _short(name: str) -> str:
    return escape(draw.shortened(name, LONGEST_NAME))


def _alternative(rows: Sequence[DifferenceRow], measure: str) -> str:
    differences = "; ".join(
        f"{row.first}{f' against {row.second}' if row.second else ''} "
        f"{decimals(row.difference.mean)} (p = {p_text(row.adjusted)})"
        for row in rows[:MOST_PAIRS]
    )
    return f"Mean differences in {measure}: {differences}."
