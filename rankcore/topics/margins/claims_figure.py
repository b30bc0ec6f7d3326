"""Pictures of claims about structured ranking losses, and of what holds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.margins.claims import (
    ComboBound,
    FirstMapValues,
    OwnChoices,
    PairForms,
    ReciprocalValues,
)
from rankcore.topics.margins.merges_figure import staircase_figure
from rankcore.topics.margins.order_figure import MAIN_HEIGHT

HEIGHT = MAIN_HEIGHT
PLOT = HEIGHT - 54


def bound_figure(bound: ComboBound, at: float, palette: Palette = LIGHT) -> Picture:
    """Draw both ends of SVMCombo's bound, and its true form, against C.

    Parameters
    ----------
    at : float
        The selected C.
    """
    shown = {
        "Σ C ξ": (bound.weighted_slacks, palette.runs[0]),
        "Σ C R": (bound.weighted, palette.runs[2]),
        "Σ R": (np.full(len(bound.weights), bound.claimed), palette.runs[1]),
    }
    traces, names, heights = [], [], []
    for name, (values, colour) in shown.items():
        if values[-1] <= 0.0:
            continue
        hover = f"{name} = %{{y:.3~r}} at C = %{{x:.3~r}}"
        traces.append(draw.lines(bound.weights, values, colour, hover=hover, name=name))
        heights.append(np.log10(values))
        end, ink = (
            np.log10([bound.weights[-1], values[-1]]),
            palette.readable(colour),
        )
        names.append(draw.end_name(f"<b>{name}</b>", end[0], end[1], ink))
    figure = draw.layout(
        palette, "C, the same for all losses", "slacks and risks", height=HEIGHT
    )
    low, high = float(np.min(heights)), float(np.max(heights))
    room = 0.06 * (high - low)
    figure["margin"]["r"] = 58
    figure["xaxis"] |= {"type": "log", "dtick": 1}
    figure["yaxis"] |= {
        "type": "log",
        "dtick": 1,
        "range": [low - room, high + room],
    }
    figure["shapes"] = [draw.vline(at, palette.primary)]
    figure["annotations"] = draw.place_labels(names, PLOT / (high - low + 2 * room))
    here = float(np.interp(at, bound.weights, bound.weighted_slacks))
    holds = at >= bound.holds_from
    alt = (
        f"At C = {at:g} the weighted slacks are {decimals(here)} and the risks "
        f"{decimals(bound.claimed)}, so the bound {'holds' if holds else 'fails'}; it "
        f"holds from C = {decimals(bound.holds_from)}."
    )
    table = {"C": bound.weights} | {name: values for name, (values, _) in shown.items()}
    return Picture(traces, figure, alt, table)


def forms_figure(
    pair_forms: PairForms, names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw the value of both forms for all orders, with rings at their predictions.

    Parameters
    ----------
    names : sequence of n str
        Names of the documents.
    """
    orders = [" ".join(names[i] for i in order) for order in pair_forms.orders]
    definition, second = (
        " ".join(names[i] for i in order)
        for order in (pair_forms.predicted, pair_forms.predicted_by_inverted)
    )
    dots = draw.marks(
        pair_forms.signed,
        pair_forms.inverted,
        {"size": 9, "color": palette.secondary},
        "%{text}<br>definition %{x:.3~r}, second form %{y:.3~r}",
        name="orders",
        text=orders,
    )
    rings, annotations = [], []
    for order, side, who, colour in (
        (definition, -1, "definition", palette.primary),
        (second, 1, "second form", palette.runs[1]),
    ):
        at = orders.index(order)
        x, y = pair_forms.signed[at], pair_forms.inverted[at]
        ring = draw.outlined(18, "rgba(0,0,0,0)", colour, 2.5)
        rings.append(draw.marks([x], [y], ring, name=who))
        annotations.append(
            draw.note(
                f"<b>{who}: {order}</b>",
                x,
                y,
                palette.readable(colour),
                xanchor="left" if side > 0 else "right",
                yanchor="bottom" if side > 0 else "top",
                yshift=12 * side,
            )
        )
    figure = _forms_layout(pair_forms, palette)
    figure["annotations"] = annotations
    alt = (
        "The second form falls as the definition rises: it prefers the order "
        f"{second}, the definition {definition}."
    )
    table = {
        "order": orders,
        "definition": pair_forms.signed,
        "second form": pair_forms.inverted,
        "½ (ideal − definition)": (pair_forms.ideal - pair_forms.signed) / 2.0,
    }
    return Picture([*rings, dots], figure, alt, table)


def _forms_layout(pair_forms: PairForms, palette: Palette) -> dict[str, Any]:
    figure = draw.layout(
        palette, "wᵀφ, the definition", "the second form times w", height=HEIGHT
    )
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {
        "showgrid": True,
        "range": draw.padded_range(0.12, pair_forms.signed),
    }
    figure["yaxis"] |= {"range": draw.padded_range(0.2, pair_forms.inverted)}
    return figure


def values_figure(
    figures: ReciprocalValues, cutoff: int, palette: Palette = LIGHT
) -> Picture:
    """Draw the loss of the reciprocal rank, and the printed values."""
    both = {"Δ = 1 − RR": figures.loss, "as printed": figures.reciprocal}
    traces, names = _by_rank(figures.ranks, both, 1.5, palette)
    figure = draw.layout(
        palette, "rank of the first relevant document", "loss Δ", height=HEIGHT
    )
    figure["margin"]["r"] = 92
    figure["xaxis"] |= {"range": [0.6, figures.ranks[-1] + 0.2], "dtick": 1}
    figure["yaxis"] |= {"range": [-0.04, 1.04], "tickformat": "~g"}
    figure["shapes"] = [draw.vline(cutoff + 0.5, palette.primary)]
    figure["annotations"] = [
        *draw.place_labels(names, PLOT / 1.08),
        draw.note(
            f"k = {cutoff}",
            cutoff + 0.5,
            0.5,
            palette.readable(palette.primary),
            xanchor="right",
            xshift=-5,
        ),
    ]
    alt = (
        "With the first relevant document on top the loss is 0, as printed 1; below "
        f"rank {cutoff} it is 1, as printed 0."
    )
    table = {
        "first relevant at": figures.ranks,
        "RR, as printed": figures.reciprocal,
        "Δ = 1 − RR": figures.loss,
    }
    return Picture(traces, figure, alt, table)


def _by_rank(
    ranks: np.ndarray,
    both: Mapping[str, np.ndarray],
    width: float,
    palette: Palette,
    **place: Any,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return two curves over ranks, and their names; ``place`` is `draw.note`'s."""
    traces, names = [], []
    for (name, values), colour, symbol in zip(
        both.items(), palette.runs, ("circle", "diamond"), strict=False
    ):
        traces.append(
            draw.lines(
                ranks,
                values,
                colour,
                width,
                f"{name}: %{{y:.3~r}} at rank %{{x}}",
                name=name,
                mode="lines+markers",
                marker={"size": 9, "color": colour, "symbol": symbol},
                cliponaxis=False,
            )
        )
        ink, text = palette.readable(colour), f"<b>{name}</b>"
        names.append(draw.end_name(text, ranks[-1], values[-1], ink, **place))
    return traces, names


def first_map_figure(figures: FirstMapValues, palette: Palette = LIGHT) -> Picture:
    """Draw the value of each first rank with φₘᵣᵣ, with rings at the maxima."""
    both = {"lowest first": figures.lowest, "merge by score": figures.merged}
    curves, names = _by_rank(figures.ranks, both, 2, palette, xshift=14)
    ring, traces = draw.outlined(18, "rgba(0,0,0,0)", palette.ink, 2), []
    for curve, (name, values) in zip(curves, both.items(), strict=True):
        best = int(np.argmax(values))
        at, most = [figures.ranks[best]], [values[best]]
        traces += [curve, draw.marks(at, most, ring, name=f"most, {name}")]
    every = np.concatenate([*both.values()])
    figure = draw.layout(
        palette, "rank of the first relevant document", "Δ + wᵀφ", height=HEIGHT
    )
    figure["margin"]["r"] = 116
    figure["xaxis"] |= {"range": [0.8, figures.ranks[-1] + 0.1], "dtick": 1}
    figure["yaxis"] |= {"range": draw.padded_range(0.1, every)}
    figure["annotations"] = draw.place_labels(
        names, PLOT / (1.2 * float(np.ptp(every)) or 1.0)
    )
    alt = (
        "With the lowest relevant document first the largest sum is "
        f"{decimals(max(figures.lowest))}, by a merge {decimals(max(figures.merged))}."
    )
    return Picture(traces, figure, alt, {"first relevant at": figures.ranks, **both})


def choices_figure(own_choices: OwnChoices, palette: Palette = LIGHT) -> Picture:
    """Draw each pair's contribution if inverted, the best order, and single choices."""
    picture = staircase_figure(own_choices.stairs, palette, HEIGHT)
    rows, columns = np.nonzero(own_choices.inverted)
    colour, edge = palette.primary, palette.background
    marker = draw.outlined(12, colour, edge, symbol="diamond")
    hover = "alone this pair would be inverted"
    alone_chosen = draw.marks(columns + 0.64, rows + 1, marker, hover, name="alone")
    alone, best = counts(own_choices.chosen), counts(own_choices.best)
    alt = (
        f"Alone they choose {alone}, the best order has {best}; "
        f"{decimals(own_choices.lost)} is lost."
    )
    return Picture([*picture.data, alone_chosen], picture.layout, alt, picture.table)


def choices_table(every: Mapping[str, OwnChoices]) -> list[dict[str, str]]:
    """Return the choices of several lists as a table, one row each, by name."""
    return [
        {
            "who chooses alone": name,
            "alone": counts(choices.chosen),
            "an order": "yes" if choices.is_order else "no",
            "best": counts(choices.best),
            "lost": f"{decimals(choices.lost)}",
        }
        for name, choices in every.items()
    ]


def counts(numbers: Iterable[int]) -> str:
    """Return whole numbers separated by commas."""
    return ", ".join(map(str, numbers))
