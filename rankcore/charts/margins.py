"""Pictures of one query of structured training: its orders and its swaps."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.charts._style import Picture, bars, layout, lines, marks, note, shortened
from rankcore.charts.palette import LIGHT, Palette, mix
from rankcore.insight.margins import Term, WorstOrder, largest_terms, swap_terms

ROWS = 14
ROW_HEIGHT = 25
CHIP = 0.62
LONGEST_NAME = 14
HEIGHT = 300
# Of a picture that has no more points than a browser draws quickly.
MOST_SWAPS = 1500
# Pixels that a letter of a tick takes, or a little less.
LETTER = 6.2


def loss_colour(palette: Palette) -> str:
    """The colour of losses."""
    return palette.runs[1]


def margin_colour(palette: Palette) -> str:
    """The colour of margins, which reduce the slack."""
    return palette.runs[2]


def fixed(drawn: dict[str, Any], left: float) -> None:
    """Fix the left margin of a figure in pixels: to fit it to the ticks, Plotly would
    draw twice."""
    drawn["margin"]["l"] = left
    for axis in ("xaxis", "yaxis"):
        drawn[axis]["automargin"] = False


def orders_figure(
    found: WorstOrder, rows: int = ROWS, palette: Palette = LIGHT
) -> Picture:
    """Draw the predicted, the ideal and the most violated order side by side.

    Parameters
    ----------
    found : WorstOrder
    rows : int
        Documents shown in each column, from the top.
    palette : Palette
    """
    shown = min(rows, len(found.current))
    columns = (found.current, found.ideal, found.worst)
    places = [np.argsort(order) for order in columns]
    highest = max(int(found.labels.max()), 1)
    hidden = len(found.current) - shown
    traces = [
        _lines(found, places[left], places[left + 1], left, shown, label, palette)
        for label in range(highest + 1)
        for left in (0, 1)
    ]
    traces += [
        _chips(found, order[:shown], float(x), highest, palette)
        for x, order in enumerate(columns)
    ]
    drawn = layout(palette, "", "", height=64 + ROW_HEIGHT * (shown + bool(hidden)))
    drawn["margin"] = {"l": 24, "r": 4, "t": 46, "b": 4}
    fixed(drawn, 24)
    drawn["barmode"] = "overlay"
    drawn["xaxis"] |= {"visible": False, "range": [-0.36, 2.36], "fixedrange": True}
    drawn["yaxis"] |= {
        "range": [shown + 0.6 + bool(hidden), 0.4],
        "showgrid": False,
        "tickmode": "array",
        "tickvals": list(range(1, shown + 1)),
        "ticks": "",
        "fixedrange": True,
    }
    drawn["annotations"] = _column_heads(found, palette)
    if hidden:
        drawn["annotations"] += [
            note(f"{hidden} more", x, shown + 1, palette.secondary, align="center")
            for x in range(3)
        ]
    apart = int((found.ideal != found.worst).sum())
    alt = (
        f"The most violated order loses {three(found.loss)}, the predicted one "
        f"{three(found.predicted_loss)}; {apart} of {len(found.ideal)} places differ "
        "between the most violated and the ideal order."
    )
    return Picture(traces, drawn, alt, lambda: _order_table(found))


def _order_table(found: WorstOrder) -> dict[str, Any]:
    def column(order: np.ndarray) -> list[str]:
        return [f"{found.documents[i]} · {found.labels[i]}" for i in order]

    return {
        "rank": list(range(1, len(found.current) + 1)),
        "predicted": column(found.current),
        "score": found.scores[found.current].tolist(),
        "ideal": column(found.ideal),
        "most violated": column(found.worst),
    }


def slack_terms_figure(found: WorstOrder, palette: Palette = LIGHT) -> Picture:
    """Draw the terms of a slack: bars of the largest, or points of many swaps.

    Parameters
    ----------
    found : WorstOrder
        With at least one term, that is, whose slack is not that of the ideal order.
    palette : Palette
    """
    terms, every = largest_terms(found), swap_terms(found)[:MOST_SWAPS]
    many = len(every) > len(terms)
    picture = (
        many_swaps_figure(every, palette) if many else swaps_figure(terms, palette)
    )
    alt = (
        f"{terms[0].name} adds most to the slack: loss {three(terms[0].loss)}, margin "
        f"{three(terms[0].margin)}."
    )
    return picture.described(alt, lambda: _term_table(found))


def _term_table(found: WorstOrder) -> dict[str, Any]:
    """Every swap with its terms, or every document where there are no swaps."""
    if not found.swaps:
        return {
            "document": list(found.documents),
            "label": found.labels,
            "adds to Δ": found.losses,
            "adds to wᵀδφ": found.margins,
        }
    return {
        "irrelevant, above": [found.documents[swap.bad] for swap in found.swaps],
        "relevant": [found.documents[swap.good] for swap in found.swaps],
        "adds to Δ": [swap.loss for swap in found.swaps],
        "adds to wᵀδφ": [swap.margin for swap in found.swaps],
    }


def swaps_figure(terms: Sequence[Term], palette: Palette = LIGHT) -> Picture:
    """Draw what each term adds to the loss and what its margin takes away.

    Parameters
    ----------
    terms : sequence of Term
        From `rankcore.insight.margins.largest_terms`.
    palette : Palette
    """
    y = np.arange(len(terms))
    losses = np.array([term.loss for term in terms])
    margins = np.array([term.margin for term in terms])
    columns = [
        bars(
            values,
            y,
            {"color": colour},
            hover=f"{name} %{{x:.4f}}",
            orientation="h",
            width=0.62,
        )
        for name, values, colour in (
            ("loss", losses, loss_colour(palette)),
            ("margin, its sign turned,", -margins, margin_colour(palette)),
        )
    ]
    dots = marks(
        losses - margins,
        y,
        {
            "size": 8,
            "color": palette.background,
            "line": {"color": palette.ink, "width": 2},
        },
        hover="to the slack: %{x:.4f}",
    )
    drawn = layout(palette, "adds to the slack", "", height=96 + 22 * len(terms))
    drawn["margin"] |= {"t": 30}
    names = [shortened(term.name, 26) for term in terms]
    fixed(drawn, 14 + LETTER * max(map(len, names), default=0))
    drawn["barmode"] = "relative"
    drawn["xaxis"] |= {"zeroline": True, "zerolinecolor": palette.secondary}
    drawn["yaxis"] |= {
        "tickmode": "array",
        "tickvals": y,
        "ticktext": [escape(name) for name in names],
        "range": [len(terms) - 0.4, -0.6],
        "showgrid": False,
        "ticks": "",
    }
    drawn["annotations"] = [
        _key(
            {
                "Δ": loss_colour(palette),
                "− wᵀδφ": margin_colour(palette),
                "○ together": palette.ink,
            },
            palette,
        )
    ]
    return Picture([*columns, dots], drawn)


def many_swaps_figure(swaps: Sequence[Term], palette: Palette = LIGHT) -> Picture:
    """Draw every swap by margin and loss; those above the line add to the slack.

    Parameters
    ----------
    swaps : sequence of Term
        From `rankcore.insight.margins.swap_terms`.
    palette : Palette
    """
    x = np.array([swap.margin for swap in swaps], dtype=np.float32)
    y = np.array([swap.loss for swap in swaps], dtype=np.float32)
    points = marks(
        x,
        y,
        {
            "size": 7,
            "opacity": 0.7,
            "color": np.where(
                y >= x, loss_colour(palette), margin_colour(palette)
            ).tolist(),
        },
        hover="%{text}<br>Δ %{y:.4f}, wᵀδφ %{x:.4f}",
        text=[escape(swap.name) for swap in swaps],
    )
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    reach = max(float(y.max()), 1e-9)
    even = lines(
        np.array([max(low, 0.0), min(high, reach)]),
        np.array([max(low, 0.0), min(high, reach)]),
        palette.ink,
        1.5,
        line={"dash": "dot"},
    )
    drawn = layout(palette, "wᵀδφ of the swap", "Δ of the swap", height=HEIGHT)
    drawn["margin"] |= {"t": 30}
    fixed(drawn, 64)
    drawn["xaxis"] |= {
        "zeroline": True,
        "zerolinecolor": palette.secondary,
        "tickformat": "~g",
        "nticks": 5,
    }
    drawn["yaxis"] |= {"rangemode": "tozero", "tickformat": "~g"}
    drawn["annotations"] = [
        _key(
            {
                "adds to the slack": loss_colour(palette),
                "paid for by the margin": margin_colour(palette),
            },
            palette,
        )
    ]
    return Picture([points, even], drawn)


def _chips(
    found: WorstOrder, order: np.ndarray, x: float, highest: int, palette: Palette
) -> dict[str, Any]:
    fills = [palette.label(int(found.labels[i]), highest) for i in order]
    return bars(
        np.full(len(order), CHIP),
        np.arange(1, len(order) + 1),
        {"color": fills, "cornerradius": 4},
        hover="%{customdata[0]}: label %{customdata[1]}, score %{customdata[2]:.4g}",
        orientation="h",
        base=np.full(len(order), x - CHIP / 2),
        width=0.74,
        text=[
            f"{escape(shortened(found.documents[i], LONGEST_NAME))} · {found.labels[i]}"
            for i in order
        ],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        insidetextfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        customdata=[
            [escape(found.documents[i]), int(found.labels[i]), float(found.scores[i])]
            for i in order
        ],
    )


def _lines(
    found: WorstOrder,
    left: np.ndarray,
    right: np.ndarray,
    column: int,
    shown: int,
    label: int,
    palette: Palette,
) -> dict[str, Any]:
    """Lines of the documents of one label between a column and the next."""
    near = (np.minimum(left, right) < shown) & (found.labels == label)
    # What leaves the rows that are shown is cut where it does.
    end = shown + (1.4 if len(left) > shown else 0.5)
    ends = np.stack([left, right], axis=1)[near] + 1.0
    slope = (ends[:, 1:] - ends[:, :1]).astype(np.float64)
    reached = np.where(slope != 0.0, (end - ends[:, :1]) / np.where(slope, slope, 1), 0)
    share = np.where(ends > end, reached, [0.0, 1.0])
    gap = np.full((len(ends), 1), np.nan)
    x = np.hstack([column + CHIP / 2 + share * (1.0 - CHIP), gap])
    y = np.hstack([np.minimum(ends, end), gap])
    highest = max(int(found.labels.max()), 1)
    colour = palette.label(label, highest)
    return lines(
        x.ravel(),
        y.ravel(),
        mix(colour, palette.primary, 0.25) if label else palette.line,
        2.2 if label else 1,
    )


def three(value: float) -> str:
    """A number with three decimals and a true minus sign."""
    return f"{value + 0.0:.3f}".replace("-", "−")


def _column_heads(found: WorstOrder, palette: Palette) -> list[dict[str, Any]]:
    heads = (
        ("predicted", f"Δ {found.predicted_loss:.3f}"),
        ("ideal", "Δ 0"),
        ("most violated", f"Δ {found.loss:.3f}"),
    )
    return [
        note(
            f"<b>{name}</b><br>{what}",
            x,
            1.0,
            palette.ink,
            align="center",
            yref="paper",
            yanchor="bottom",
            yshift=4,
        )
        for x, (name, what) in enumerate(heads)
    ]


def _key(colours: Mapping[str, str], palette: Palette) -> dict[str, Any]:
    """Above the figure: what its colours are, each in its own."""
    text = " &nbsp; ".join(
        f'<span style="color:{palette.readable(colour)}">{name}</span>'
        for name, colour in colours.items()
    )
    corner = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
    return note(f"<b>{text}</b>", 1.0, 1.0, palette.ink) | corner | {"yshift": 6}
