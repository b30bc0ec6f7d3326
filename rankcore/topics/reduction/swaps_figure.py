"""Pictures of one list's pairs: their weights, what orders lose, and swap by swap."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.plot.numbers import decimals, significant
from rankcore.plot.palette import LIGHT, Palette, mix
from rankcore.plot.style import (
    Picture,
    axis,
    cells,
    end_name,
    joined,
    layout,
    lines,
    marks,
    place_labels,
)
from rankcore.topics.reduction.swaps import Swap, sum_swaps

Floats = NDArray[np.float64]

WEIGHTS_HEIGHT = 400
PLANE_HEIGHT = 300
SWAPS_HEIGHT = 400
# Cells of a larger matrix have no room for a number.
NUMBERED = 8
# The lines between cells would cover those of a larger one.
GAPS_UNTIL = 40
FEW_SWAPS = 60


def weights_figure(
    matrix: Floats,
    labels: Sequence[int],
    names: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the weight of each pair; below the diagonal those the wrong way round.

    Parameters
    ----------
    matrix : (n, n) float64
        As from `rankcore.topics.reduction.pair_losses.weight_matrix`.
    labels : sequence of n int
        From the top of the list down.
    names : sequence of n str
    palette : Palette
    """
    n = len(labels)
    places = np.arange(n)
    most = float(np.nanmax(matrix, initial=0.0)) or 1.0
    shades = {"right": palette.secondary, "wrong": palette.runs[1]}
    traces = [
        _cells(matrix, names, kind, colour, most, palette)
        for kind, colour in shades.items()
    ]
    for own in ({"x": [-1], "y": places}, {"x": places, "y": [-1]}):
        traces.append(_strip(labels, own, palette))
    figure = layout(
        palette,
        "the worse document, by rank",
        "the better document, by rank",
        height=WEIGHTS_HEIGHT,
    )
    step = -(-n // 12)
    for side in ("xaxis", "yaxis"):
        figure[side] |= {
            "tickmode": "array",
            "tickvals": places[::step],
            "ticktext": [f"{k + 1} {escape(names[k])}" for k in places[::step]],
            "range": [-1.6, n - 0.5],
            "showgrid": False,
        }
    figure["yaxis"] |= {"range": [n - 0.5, -1.6]}
    figure["xaxis"] |= {"side": "bottom"}
    figure["shapes"] = [
        _line(-0.5, -0.5, n - 0.5, n - 0.5, palette.secondary, dash="dot")
    ]
    return Picture(traces, figure)


def plane_figure(
    lost: Floats,
    loss: Floats,
    chosen: tuple[float, float] | None,
    hovers: Sequence[str],
    note: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw L against 1 - NDCG with the bound between them.

    Parameters
    ----------
    lost, loss : (m,) float64
        1 - NDCG and L of orders, or of queries.
    chosen : tuple of float, optional
        Both values of the selected order or query.
    hovers : sequence of m str
        Hover text of each point.
    note : str
        Label of the selected point.
    palette : Palette
    """
    below = lost > loss + 1e-12
    traces: list[dict[str, Any]] = [
        marks(
            lost,
            loss,
            {
                "size": 7 if len(lost) < 60 else 5,
                "color": [palette.runs[1] if b else palette.secondary for b in below],
                "opacity": 0.75 if len(lost) < 60 else 0.45,
            },
            hover="%{text}<br>1 − NDCG %{x:.3f}, L %{y:.3f}",
            name="points",
            text=list(hovers),
        )
    ]
    furthest = max(float(np.max(lost, initial=0.0)), 0.05)
    if chosen is not None:
        traces.append(_ring(*chosen, note, palette, before=chosen[0] > furthest / 2))
    figure = layout(palette, "1 − NDCG", "L", height=PLANE_HEIGHT)
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {"range": [-0.03 * furthest, furthest * 1.1], "showgrid": True}
    figure["yaxis"] |= {"range": [-0.04, max(float(np.max(loss, initial=0.0)), 0.1)]}
    figure["yaxis"]["range"][1] *= 1.1
    figure["shapes"] = [_line(0, 0, 2, 2, palette.primary)]
    figure["margin"] |= {"r": 96}
    end = min(furthest * 1.1, figure["yaxis"]["range"][1])
    figure["annotations"] = [
        end_name("<b>L = 1 − NDCG</b>", end, end, palette.readable(palette.primary))
    ]
    held = int((~below).sum())
    alt = f"{held} of {len(lost)} points lie on or above the line L = 1 − NDCG."
    if chosen is not None:
        x, y = map(decimals, chosen)
        alt += f" {note.capitalize()} is at {x} and {y}."
    table = {"point": list(hovers), "1 − NDCG": lost, "L": loss}
    return Picture(traces, figure, alt, table)


def swaps_figure(
    swaps: Sequence[Swap], names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw what each swap gains beside its weight, and below the sums so far.

    Parameters
    ----------
    swaps : sequence of Swap
        At least one.
    names : sequence of str
        Names of the documents.
    palette : Palette
    """
    number = np.arange(1.0, len(swaps) + 1)
    gains = np.array([swap.ndcg_gain for swap in swaps])
    weights = np.array([swap.weight for swap in swaps])
    sums = {"1 − NDCG": gains.cumsum(), "L": weights.cumsum()}
    stairs = [
        _sum_so_far(name, total, colour)
        for (name, total), colour in zip(
            sums.items(), (palette.primary, palette.secondary), strict=True
        )
    ]
    figure = layout(palette, "swap", "gain in NDCG", height=SWAPS_HEIGHT)
    figure["margin"] |= {"r": 96, "b": 70}
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {
        "anchor": "y2",
        "range": [-0.3, len(swaps) + 0.4],
        **_moves(swaps, names),
    }
    figure["yaxis"] |= {"domain": [0.5, 1.0], "rangemode": "tozero"}
    figure["yaxis2"] = axis(palette, "sum so far") | {
        "domain": [0.0, 0.42],
        "rangemode": "tozero",
    }
    figure["annotations"] = _totals(sums, len(swaps), palette)
    total = sum_swaps(swaps)
    alt = (
        f"In {len(total.broken)} of {len(swaps)} swaps the gain exceeds the weight; in "
        f"sum, 1 − NDCG = {total.gained:.3g} ≤ L = {total.weight:.3g}."
    )
    table = {
        "swap": [f"{names[s.risen[0]]} over {names[s.risen[1]]}" for s in swaps],
        "gain in NDCG": gains,
        "weight": weights,
        "difference of discounts gained": [swap.gained_discount for swap in swaps],
        "that the weight has": [swap.weight_discount for swap in swaps],
    }
    traces = [*_each_swap(number, gains, weights, palette), *stairs]
    return Picture(traces, figure, alt, table)


def swaps_in_words(swaps: Sequence[Swap]) -> list[str]:
    """Say what Lemma 1 claims of swaps, and what is true of their sum.

    Parameters
    ----------
    swaps : sequence of Swap
        At least one.

    Returns
    -------
    list of str
        In Markdown.
    """
    total, lemma = sum_swaps(swaps), "Here no swap gains more than its weight."
    if total.worst is not None:
        worst = swaps[total.worst]
        lemma = (
            "**False:** by Lemma 1 every swap gains less than its weight. In "
            f"{len(total.broken)} of these {len(swaps)} it gains more: swap "
            f"{total.worst + 1} moves discounts by "
            f"{significant(worst.gained_discount)}, while the weight of the pair has "
            f"{significant(worst.weight_discount)}."
        )
    return [
        lemma,
        (
            "**True:** the sum over all swaps is bounded: 1 − NDCG = "
            f"{significant(total.gained)} ≤ L = {significant(total.weight)}."
        ),
    ]


def _each_swap(
    number: Floats, gains: Floats, weights: Floats, palette: Palette
) -> list[dict[str, Any]]:
    """Stems from gain to weight, a ring at the weight and a dot at the gain; in the
    colour of a warning where the gain is the larger."""
    few = len(number) <= FEW_SWAPS
    broken = gains > weights + 1e-12
    colours = [palette.runs[1] if b else palette.secondary for b in broken]
    ring = {
        "size": 12 if few else 5,
        "color": palette.background,
        "line": {"color": colours, "width": 2 if few else 1},
    }
    dot = {"size": 9 if few else 4, "color": colours}
    return [
        lines(joined(number, number), joined(gains, weights), palette.line, 3),
        marks(number, weights, ring, "weight %{y:.3g}", name="weight"),
        marks(number, gains, dot, "gain in NDCG %{y:.3g}", name="gain"),
    ]


def _sum_so_far(name: str, total: Floats, colour: str) -> dict[str, Any]:
    return lines(
        np.arange(len(total) + 1),
        np.concatenate([[0.0], total]),
        colour,
        hover=f"{name} so far %{{y:.3g}}",
        mode="lines+markers",
        yaxis="y2",
        line={"color": colour, "width": 2, "shape": "hv"},
        marker={"size": 4, "color": colour},
    )


def _cells(
    matrix: Floats,
    names: Sequence[str],
    kind: str,
    colour: str,
    most: float,
    palette: Palette,
) -> dict[str, Any]:
    """Return the pairs that stand the right way round, or those that do not."""
    half = np.triu(np.ones(matrix.shape, bool))
    z = np.where(half if kind == "right" else ~half, matrix, np.nan)
    shown = np.isfinite(z)
    gap = 1 if len(names) <= GAPS_UNTIL else 0
    texts = [
        [decimals(value) if seen else "" for value, seen in zip(*row, strict=True)]
        for row in zip(z, shown, strict=True)
    ]
    return cells(
        z,
        (0.0, most),
        [mix(palette.background, colour, share) for share in (0.08, 0.85)],
        palette,
        texts if len(names) <= NUMBERED else None,
        textfont={"size": 12},
        name=kind,
        xgap=gap,
        ygap=gap,
        customdata=[
            [f"{escape(better)} before {escape(worse)}" for worse in names]
            for better in names
        ],
        hovertemplate=f"%{{customdata}}, {kind}: weight %{{z:.3g}}<extra></extra>",
    )


def _strip(
    labels: Sequence[int], places: dict[str, Any], palette: Palette
) -> dict[str, Any]:
    """Return the documents' labels along one side, in the colours of relevance."""
    z = np.minimum(np.asarray(labels, np.float64), len(palette.relevance) - 1)
    column = len(places["x"]) == 1
    last = len(palette.relevance)
    edges = [
        [(k + e) / last, shade]
        for k, shade in enumerate(palette.relevance)
        for e in (0, 1)
    ]
    return {
        "type": "heatmap",
        **places,
        "z": z[:, None] if column else z[None, :],
        "zmin": -0.5,
        "zmax": last - 0.5,
        "colorscale": edges,
        "xgap": 1 if len(labels) <= GAPS_UNTIL else 0,
        "ygap": 1 if len(labels) <= GAPS_UNTIL else 0,
        "showscale": False,
        "hovertemplate": "label %{z}<extra></extra>",
    }


def _ring(
    x: float, y: float, name: str, palette: Palette, before: bool
) -> dict[str, Any]:
    return marks(
        [x],
        [y],
        {
            "size": 13,
            "color": palette.background,
            "line": {"color": palette.primary, "width": 3},
        },
        hover="1 − NDCG %{x:.3g}, L %{y:.3g}",
        mode="markers+text",
        name="chosen",
        text=[f"<b>{escape(name)}</b>"],
        textposition="middle left" if before else "middle right",
        textfont={"color": palette.readable(palette.primary), "size": 12},
        cliponaxis=False,
    )


def _line(
    x0: float, y0: float, x1: float, y1: float, colour: str, dash: str = "solid"
) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": x0,
        "y0": y0,
        "x1": x1,
        "y1": y1,
        "layer": "below",
        "line": {"color": colour, "width": 1, "dash": dash},
    }


def _moves(swaps: Sequence[Swap], names: Sequence[str]) -> dict[str, Any]:
    """Ticks that say which document overtakes which."""
    step = -(-len(swaps) // 12)
    texts = []
    for swap in swaps:
        risen, fallen = swap.risen
        texts.append(f"{escape(names[risen])} over<br>{escape(names[fallen])}")
    places = list(range(1, len(swaps) + 1))
    return {
        "tickmode": "array",
        "tickvals": places[::step],
        "ticktext": texts[::step],
    }


def _totals(
    sums: dict[str, Floats], count: int, palette: Palette
) -> list[dict[str, Any]]:
    """Return the sums' names and values at the ends of their lines."""
    highest = max(float(total[-1]) for total in sums.values()) or 1.0
    names = [
        end_name(
            f"<b>{name}</b> {decimals(total[-1])}",
            count,
            total[-1],
            palette.readable(colour),
            yref="y2",
        )
        for (name, total), colour in zip(
            sums.items(), (palette.primary, palette.secondary), strict=True
        )
    ]
    return place_labels(names, SWAPS_HEIGHT * 0.32 / highest)
