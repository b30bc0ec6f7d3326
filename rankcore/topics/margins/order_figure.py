"""Pictures of one query of structured training: its orders and its swaps."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import label_text
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette, mix
from rankcore.plot.style import Picture
from rankcore.topics.margins.order import Term, WorstOrder, largest_terms, slack_terms

ROWS = 12
ROW_HEIGHT = 25
CHIP = 0.62
# Distance from the first column of one query to that of the next.
APART = 3.2
LONGEST_NAME = 14
# Height of a view's main figure, in pixels.
MAIN_HEIGHT = 400
HEIGHT = 300
MOST_BARS, MOST_SWAPS = 12, 300
# Width in pixels of a letter of a tick label, or slightly less.
LETTER = 6.2


def loss_colour(palette: Palette) -> str:
    """Return the colour of losses."""
    return palette.runs[1]


def margin_colour(palette: Palette) -> str:
    """Return the colour of margins, which reduce the slack."""
    return palette.runs[2]


def fixed(figure: dict[str, Any], margin: float) -> None:
    """Fix the left margin of a figure in pixels, as Plotly would draw twice to fit
    it."""
    figure["margin"]["l"] = margin
    for axis in ("xaxis", "yaxis"):
        figure[axis]["automargin"] = False


def colour_key(colours: Mapping[str, str], palette: Palette) -> dict[str, Any]:
    """Return a colour key above the figure, with each name in its colour."""
    text = " &nbsp; ".join(
        f'<span style="color:{palette.readable(colour)}">{name}</span>'
        for name, colour in colours.items()
    )
    corner = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
    return draw.note(f"<b>{text}</b>", 1.0, 1.0, palette.ink) | corner | {"yshift": 6}


def orders_figure(
    every: Mapping[str, WorstOrder],
    rows: int = ROWS,
    palette: Palette = LIGHT,
    height: int = 0,
) -> Picture:
    """Draw the predicted, the ideal and the most violated order side by side.

    Parameters
    ----------
    every : dict of str to WorstOrder
        The orders of one query by name, such as ``"φₚₒ"``; several are drawn side by
        side.
    rows : int
        Documents shown in each column, from the top.
    height : int
        In pixels, at least; rows of a short list are higher to fill it.
    """
    longest = max(len(order.current) for order in every.values())
    shown, hidden = min(rows, longest), longest > rows
    traces, notes = [], []
    for i, (name, order) in enumerate(every.items()):
        place = i * APART
        traces += _orders(order, shown, place, palette)
        notes += _column_heads(order, name, place, palette)
        notes += _hidden(len(order.current) - shown, shown + 1, place, palette)
    top = 80 if any(every) else 46
    full = max(top + 18 + ROW_HEIGHT * (shown + hidden), height)
    figure = draw.layout(palette, "", "", height=full)
    figure["margin"] = {"l": 24, "r": 4, "t": top, "b": 4}
    fixed(figure, 24)
    figure["barmode"] = "overlay"
    right = APART * (len(every) - 1) + 2.36
    figure["xaxis"] |= {"visible": False, "range": [-0.36, right], "fixedrange": True}
    figure["yaxis"] |= {
        "range": [shown + 0.6 + hidden, 0.4],
        "showgrid": False,
        "tickmode": "array",
        "tickvals": list(range(1, shown + 1)),
        "ticks": "",
        "fixedrange": True,
    }
    figure["annotations"] = notes
    alt = " ".join(_sentence(name, order) for name, order in every.items())
    return Picture(traces, figure, alt, lambda: _order_table(every))


def _sentence(name: str, worst: WorstOrder) -> str:
    """Return a sentence on the orders of a query."""
    apart = int((worst.ideal != worst.worst).sum())
    return (
        f"{f'{name}: the' if name else 'The'} most violated order loses "
        f"{decimals(worst.loss)}, the predicted one {decimals(worst.predicted_loss)}; "
        f"{apart} of {len(worst.ideal)} places differ between the most violated and "
        "the ideal order."
    )


def _order_table(every: Mapping[str, WorstOrder]) -> dict[str, Any]:
    first = next(iter(every.values()))
    table: dict[str, Any] = {"rank": list(range(1, len(first.current) + 1))}
    for name, order in every.items():
        names = [
            f"{document} · {label}"
            for document, label in zip(order.documents, order.labels, strict=True)
        ]
        columns = {
            "predicted": [names[i] for i in order.current],
            "score": order.scores[order.current].tolist(),
            "ideal": [names[i] for i in order.ideal],
            "most violated": [names[i] for i in order.worst],
        }
        table |= {f"{name} {key}".strip(): of for key, of in columns.items()}
    return table


def slack_terms_figure(worst: WorstOrder, palette: Palette = LIGHT) -> Picture:
    """Draw the terms of a slack: bars of the largest, or points of many swaps.

    Parameters
    ----------
    worst : WorstOrder
        With at least one term; it is not the ideal order.
    """
    terms = slack_terms(worst)
    if worst.swaps and len(terms) > MOST_BARS:
        picture = many_swaps_figure(terms, palette)
    else:
        picture = swaps_figure(largest_terms(terms, MOST_BARS), palette)
    alt = (
        f"{terms[0].name} adds most to the slack: loss {decimals(terms[0].loss)}, "
        f"margin {decimals(terms[0].margin)}."
    )
    return picture.described(alt, lambda: _term_table(worst))


def slack_formula(worst: WorstOrder) -> str:
    """Return the definition of a slack and its bound with their numbers, as text."""
    sign, slack = "−" if worst.margin > 0.0 else "+", max(worst.slack, 0.0)
    margin, bound = decimals(abs(worst.margin)), decimals(worst.predicted_loss)
    return (
        f"ξ = max(0, Δ − wᵀδφ) = max(0, {decimals(worst.loss)} {sign} {margin}) = "
        f"**{decimals(slack)}** ≥ {bound} = Δ(ŷ)"
    )


def _term_table(worst: WorstOrder) -> dict[str, Any]:
    """Return every swap with its terms, or every document if there are no swaps."""
    if not worst.swaps:
        return {
            "document": list(worst.documents),
            "label": worst.labels,
            "adds to Δ": worst.losses,
            "adds to wᵀδφ": worst.margins,
        }
    return {
        "irrelevant, above": [worst.documents[swap.bad] for swap in worst.swaps],
        "relevant": [worst.documents[swap.good] for swap in worst.swaps],
        "adds to Δ": [swap.loss for swap in worst.swaps],
        "adds to wᵀδφ": [swap.margin for swap in worst.swaps],
    }


def swaps_figure(terms: Sequence[Term], palette: Palette = LIGHT) -> Picture:
    """Draw each term's contribution to the loss and the reduction by its margin.

    Parameters
    ----------
    terms : sequence of Term
        From `rankcore.topics.margins.order.largest_terms`.
    """
    y = np.arange(len(terms))
    losses = np.array([term.loss for term in terms])
    margins = np.array([term.margin for term in terms])
    columns = [
        draw.bars(
            values,
            y,
            {"color": colour},
            hover=f"{name} %{{x:.3g}}",
            orientation="h",
            width=0.62,
        )
        for name, values, colour in (
            ("loss", losses, loss_colour(palette)),
            ("margin with reversed sign,", -margins, margin_colour(palette)),
        )
    ]
    dots = draw.marks(
        losses - margins,
        y,
        draw.outlined(8, palette.background, palette.ink, 2),
        hover="to the slack: %{x:.3g}",
    )
    figure = _term_rows([term.name for term in terms], palette)
    figure["annotations"] = [
        colour_key(
            {
                "Δ": loss_colour(palette),
                "− wᵀδφ": margin_colour(palette),
                "○ together": palette.ink,
            },
            palette,
        )
    ]
    return Picture([*columns, dots], figure)


def _term_rows(names: Sequence[str], palette: Palette) -> dict[str, Any]:
    """Return a layout with a row for each term."""
    figure = draw.layout(
        palette, "increases the slack", "", height=96 + 22 * len(names)
    )
    figure["margin"] |= {"t": 30}
    short = draw.short_names(names, 26)
    fixed(figure, 14 + LETTER * max(map(len, short), default=0))
    figure["barmode"] = "relative"
    figure["xaxis"] |= {"zeroline": True, "zerolinecolor": palette.secondary}
    figure["yaxis"] |= {
        "tickmode": "array",
        "tickvals": np.arange(len(names)),
        "ticktext": [escape(name) for name in short],
        "range": [len(names) - 0.4, -0.6],
        "showgrid": False,
        "ticks": "",
    }
    return figure


def many_swaps_figure(swaps: Sequence[Term], palette: Palette = LIGHT) -> Picture:
    """Draw swaps by margin and loss; those above the line add to the slack.

    Of many swaps, 300 are drawn: the first ones, and equally spaced others.

    Parameters
    ----------
    swaps : sequence of Term
        From `rankcore.topics.margins.order.slack_terms`.
    """
    swaps = swaps[:: math.ceil(len(swaps) / MOST_SWAPS)]
    x = np.array([swap.margin for swap in swaps], dtype=np.float32)
    y = np.array([swap.loss for swap in swaps], dtype=np.float32)
    points = draw.marks(
        x,
        y,
        {
            "size": 7,
            "opacity": 0.7,
            "color": np.where(
                y >= x, loss_colour(palette), margin_colour(palette)
            ).tolist(),
        },
        hover="%{text}<br>Δ %{y:.3g}, wᵀδφ %{x:.3g}",
        text=[escape(swap.name) for swap in swaps],
    )
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    reach = max(float(y.max()), 1e-9)
    even = draw.lines(
        np.array([max(low, 0.0), min(high, reach)]),
        np.array([max(low, 0.0), min(high, reach)]),
        palette.ink,
        1.5,
        line={"dash": "dot"},
    )
    figure = draw.layout(palette, "wᵀδφ of the swap", "Δ of the swap", HEIGHT)
    figure["margin"] |= {"t": 30}
    fixed(figure, 64)
    figure["xaxis"] |= {
        "zeroline": True,
        "zerolinecolor": palette.secondary,
        "tickformat": "~g",
        "nticks": 5,
    }
    figure["yaxis"] |= {"rangemode": "tozero", "tickformat": "~g"}
    figure["annotations"] = [
        colour_key(
            {
                "increases the slack": loss_colour(palette),
                "covered by the margin": margin_colour(palette),
            },
            palette,
        )
    ]
    return Picture([points, even], figure)


def _orders(
    worst: WorstOrder, shown: int, place: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return lines and chips of three orders, with the first column at ``place``."""
    columns = (worst.current, worst.ideal, worst.worst)
    ranks = np.array([np.argsort(order, kind="stable") for order in columns])
    highest = max(int(worst.labels.max()), 1)
    lined = [
        _lines(ranks[:, worst.labels == label], place, shown, label, highest, palette)
        for label in range(highest + 1)
    ]
    chips = [
        _chips(worst, order[:shown], place + x, highest, palette)
        for x, order in enumerate(columns)
    ]
    return [*lined, *chips]


def _chips(
    worst: WorstOrder, order: np.ndarray, x: float, highest: float, palette: Palette
) -> dict[str, Any]:
    labels = worst.labels[order].tolist()
    fills = [palette.label(label, highest) for label in labels]
    short = [draw.shortened(worst.documents[i], LONGEST_NAME) for i in order]
    return draw.bars(
        np.full(len(order), CHIP),
        np.arange(1, len(order) + 1),
        {"color": fills, "cornerradius": 4},
        hover="%{customdata[0]}: label %{customdata[1]}, score %{customdata[2]:.3g}",
        orientation="h",
        base=np.full(len(order), x - CHIP / 2),
        width=0.74,
        text=[
            f"{escape(name)} · {label_text(y)}"
            for name, y in zip(short, labels, strict=True)
        ],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        insidetextfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        customdata=[
            [
                escape(worst.documents[i]),
                label_text(worst.labels[i]),
                float(worst.scores[i]),
            ]
            for i in order
        ],
    )


def _lines(
    ranks: np.ndarray,
    place: float,
    shown: int,
    label: int,
    highest: int,
    palette: Palette,
) -> dict[str, Any]:
    """Return lines of the documents of one label, from each column to the next.

    ``ranks`` are those in the three columns, from 0.
    """
    ends = np.concatenate([ranks[:2].T, ranks[1:].T]) + 1.0
    left = np.repeat([0.0, 1.0], ranks.shape[1])
    near = ends.min(axis=1) <= shown
    ends, left = ends[near], left[near, None]
    # Cut lines where they leave the visible rows.
    end = shown + 1.4
    slope = ends[:, 1:] - ends[:, :1]
    reached = np.where(slope != 0.0, (end - ends[:, :1]) / np.where(slope, slope, 1), 0)
    share = np.where(ends > end, reached, [0.0, 1.0])
    gap = np.full((len(ends), 1), np.nan)
    x = np.hstack([place + left + CHIP / 2 + share * (1.0 - CHIP), gap])
    y = np.hstack([np.minimum(ends, end), gap])
    colour = palette.label(label, highest)
    return draw.lines(
        x.ravel(),
        y.ravel(),
        mix(colour, palette.primary, 0.25) if label else palette.line,
        2.2 if label else 1,
    )


def _column_heads(
    worst: WorstOrder, name: str, place: float, palette: Palette
) -> list[dict[str, Any]]:
    heads = {
        "predicted": decimals(worst.predicted_loss),
        "ideal": "0",
        "most violated": decimals(worst.loss),
    }
    # Six columns have little room.
    texts = [
        f"<b>{head.replace(' ', '<br>') if name else head}</b><br>Δ {loss}"
        for head, loss in heads.items()
    ]
    above: dict[str, Any] = {"align": "center", "yref": "paper", "yanchor": "bottom"}
    title = draw.note(
        f"<b>{name}</b>", place + 1, 1.0, palette.ink, 14, **above, yshift=54
    )
    return ([title] if name else []) + [
        draw.note(text, place + x, 1.0, palette.ink, **above, yshift=4)
        for x, text in enumerate(texts)
    ]


def _hidden(
    count: int, row: float, place: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return notes below the columns on the number of documents not shown."""
    columns = range(3) if count > 0 else ()
    return [
        draw.note(f"{count} more", place + x, row, palette.secondary, align="center")
        for x in columns
    ]
