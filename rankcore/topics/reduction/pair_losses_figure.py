"""Pictures of losses of a pair: the curves, and their sums."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, significant
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.reduction.pair_losses import (
    LOSSES,
    ListPairs,
    PairLoss,
    from_the_top,
    list_pairs,
    plain_hinge,
    readings,
)
from rankcore.topics.reduction.swaps import procedure_losses

HEIGHT = 400
TOP = 4.6
REACH = 2.5
MOST_PAIRS = 400
# The mean hinge loss of these labels at these scores is below 1 − NDCG.
HINGE_LIST = ((0, 1, 0, 0), (-0.63, 0.51, 0.57, -0.54))


def curves_figure(
    pairs: ListPairs, chosen: PairLoss, slopes: bool = False, palette: Palette = LIGHT
) -> Picture:
    """Draw every loss of a margin, with a list's pairs on the selected one.

    Parameters
    ----------
    pairs : ListPairs
        The pairs with the largest weights are drawn, with sizes by weight.
    slopes : bool
        Draw derivatives in place of the losses.
    """
    # 0 and a point just above it, so that the step of the 0-1 loss is vertical.
    v = np.sort(np.append(np.linspace(-REACH, REACH, 201), 1e-9))
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    dots = _pairs(pairs, chosen, slopes, palette)
    # The heaviest pairs of a list are visible, whatever their margins.
    highest = max(TOP, max(dots["y"], default=0.0) + 0.6)
    low, top = (-TOP, 0.4) if slopes else (-0.2, highest)
    for loss, colour in zip(LOSSES.values(), loss_colours(palette), strict=True):
        y = (loss.slope if slopes else loss.value)(v)
        traces.append(_curve(loss, v, y, colour, loss is chosen))
        notes.append(_name(loss, v, y, low, top, colour, palette))
    traces.append(dots)
    figure = draw.layout(
        palette,
        "margin v: better document's score − worse one's",
        "slope φ′(v)" if slopes else "loss φ(v)",
        height=HEIGHT,
    )
    figure["margin"] |= {"l": 86, "r": 42}
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {"range": [-REACH, REACH], "zeroline": True}
    figure["xaxis"]["zerolinecolor"] = palette.secondary
    figure["yaxis"] |= {"range": [low, top], "side": "right"}
    figure["annotations"] = draw.place_labels(notes, (HEIGHT - 54) / (top - low))
    v = np.linspace(-REACH, REACH, 21)
    table = {"margin": v} | {
        name: (loss.slope if slopes else loss.value)(v) for name, loss in LOSSES.items()
    }
    return Picture(traces, figure, _pairs_on(pairs, chosen, slopes), table)


def totals_figure(
    lost: float, totals: Mapping[str, float], palette: Palette = LIGHT
) -> Picture:
    """Draw 1 - NDCG and each sum of weighted losses, all on one scale.

    Parameters
    ----------
    lost : float
        1 - NDCG.
    totals : dict of str to float
        Sum of each loss; that of the 0-1 loss is L.
    """
    colours = dict(zip(LOSSES, loss_colours(palette), strict=True))
    rows = {"1 − NDCG": (lost, palette.primary)} | {
        ("L, 0-1" if name == "0-1" else name): (total, colours[name])
        for name, total in sorted(totals.items(), key=lambda item: item[1])
    }
    names, values = list(rows), np.array([value for value, _ in rows.values()])
    stems = draw.bars(
        values,
        names,
        {"color": [colour for _, colour in rows.values()]},
        hover="%{y}: %{x:.3g}",
        orientation="h",
        width=0.34,
        text=[decimals(value) for value in values],
        textposition="outside",
        textfont={"color": palette.ink, "size": 12},
        constraintext="none",
        cliponaxis=False,
    )
    figure = draw.layout(
        palette, "sum over the pairs of weight × loss", "loss", height=220
    )
    figure["margin"] |= {"l": 86, "r": 48}
    figure["yaxis"] |= {"autorange": "reversed", "type": "category"}
    figure["xaxis"] |= {"rangemode": "tozero", "showgrid": True}
    figure["shapes"] = [draw.vline(lost, palette.primary, 1)]
    sums = "; ".join(f"{name} {decimals(value)}" for name, value in totals.items())
    table = {"1 − NDCG": [lost]} | {name: [value] for name, value in totals.items()}
    return Picture([stems], figure, f"{sums}; 1 − NDCG {decimals(lost)}.", table)


def paper_in_words(
    labels: Sequence[int], pairs: ListPairs, numbers: Integers
) -> list[str]:
    """Return sentences on a list's losses under literal readings of the paper.

    Parameters
    ----------
    labels : sequence of n int
        From the top of the list down.
    pairs : ListPairs
        Pairs of the list.
    numbers : (n,) int64
        A permutation of 0 to n - 1: the index i of each document.

    Returns
    -------
    list of str
        In Markdown.
    """
    forms = readings(labels, from_the_top(pairs), numbers)
    literal, loss, signed, total = map(
        significant,
        (forms.literal, pairs.loss, forms.signed, pairs.total(LOSSES["RSRank"])),
    )
    fails = " That is less than 1 − NDCG." if forms.literal < pairs.lost - 1e-9 else ""
    literally = (
        "**As in the paper.** Equation (4) sums over $i < j$ only, half of the pairs: "
        f"{literal} instead of {loss}.{fails} The weight below equation (12) has no "
        "absolute value and is negative for pairs in the right order: RSRank’s loss "
        f"would be {signed} instead of {total}."
    )
    if not len(pairs.margin):
        return [literally]
    upside_down, meant = map(significant, procedure_losses(np.array(labels)))
    return [
        literally,
        (
            r"**Procedure 1** trains the classifier on $\mathbf 1\{y_i > y_j\}$, where "
            "$c(x_i, x_j) = 1$ means that $x_j$ is preferred. Learned without error, "
            f"that reverses the list: 1 − NDCG = {upside_down}. With "
            rf"$\mathbf 1\{{y_j > y_i\}}$ it is {meant}."
        ),
    ]


def hinge_table(this_list: ListPairs) -> tuple[dict[str, list[str]], str]:
    """Return the unweighted hinge loss of a list and of an example, and what it bounds.

    Returns
    -------
    dict, str
        Columns by name, and a sentence in Markdown.
    """
    lists = {"this list": this_list, "four documents": list_pairs(*HINGE_LIST)}
    hinge = [plain_hinge(pairs) for pairs in lists.values()]
    columns = {
        "list": list(lists),
        "1 − NDCG": [significant(pairs.lost) for pairs in lists.values()],
        "sum": [significant(each.total) for each in hinge],
        "mean": [significant(each.mean) for each in hinge],
    }
    return columns, (
        "**True:** the *sum* over pairs bounds 1 − NDCG, since one misordered pair "
        "alone costs at least 1. **False:** the same of the *mean*. With labels 0, 1, "
        "0, 0 at scores −0.63, 0.51, 0.57, −0.54 it is "
        f"{columns['mean'][1]} < {columns['1 − NDCG'][1]}. Lai et al. (2013), whose "
        "pairs FenchelRank averages, quote the hinge loss as a bound."
    )


def _pairs_on(pairs: ListPairs, loss: PairLoss, slopes: bool) -> str:
    """Return a sentence on a list's pairs on the curve of a loss."""
    if not len(pairs.margin):
        return "All labels are equal, so there is no pair on the curves."
    heaviest = int(np.argmax(pairs.weight))
    margin = pairs.margin[heaviest]
    height = float((loss.slope if slopes else loss.value)(pairs.margin[[heaviest]])[0])
    at, there = (f"{n + 0.0:.2f}".replace("-", "−") for n in (margin, height))
    return (
        f"{int((pairs.margin <= 0).sum())} of {counted(len(pairs.margin), 'pairs')} "
        f"have no positive margin; the heaviest pair is at the margin {at}, where the "
        f"{loss.title} loss has the {'slope' if slopes else 'value'} {there}."
    )


def loss_colours(palette: Palette) -> tuple[str, ...]:
    """Return the colours of the losses, in their order."""
    return (*palette.runs[: len(LOSSES) - 1], palette.ink)


def _curve(
    loss: PairLoss, v: Floats, y: Floats, colour: str, strong: bool
) -> dict[str, Any]:
    return draw.lines(
        v,
        y,
        colour,
        3 if strong else 1.5,
        hover=f"{loss.title}: %{{y:.3f}} at v = %{{x:.2f}}",
        name=loss.title,
        opacity=1.0 if strong else 0.75,
    )


def _pairs(
    pairs: ListPairs, chosen: PairLoss, slopes: bool, palette: Palette
) -> dict[str, Any]:
    heaviest = np.argsort(-pairs.weight, kind="stable")[:MOST_PAIRS]
    v, weight = pairs.margin[heaviest], pairs.weight[heaviest]
    most = float(weight.max(initial=0.0)) or 1.0
    colours = np.where(pairs.wrong[heaviest], palette.runs[1], palette.secondary)
    return draw.marks(
        v,
        (chosen.slope if slopes else chosen.value)(v),
        draw.outlined(
            5.0 + 13.0 * np.sqrt(weight / most),
            colours.tolist(),
            palette.background,
            opacity=0.65,
        ),
        hover="weight %{customdata:.3f}, v = %{x:.3f}: %{y:.3f}",
        name="pairs",
        customdata=weight,
    )


def _name(
    loss: PairLoss,
    v: Floats,
    y: Floats,
    low: float,
    top: float,
    colour: str,
    palette: Palette,
) -> dict[str, Any]:
    """Return the curve's name at its left end, or where it leaves the picture."""
    return draw.end_name(
        f"<b>{loss.title}</b>",
        0,
        np.clip(y[0], low, top),
        palette.readable(colour),
        xref="paper",
        xanchor="right",
        xshift=-6,
    )
