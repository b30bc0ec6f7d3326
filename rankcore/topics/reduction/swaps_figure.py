"""Pictures of one list's pairs: weights, losses of orders, and swaps."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, significant
from rankcore.plot.palette import LIGHT, Palette, faded, mix
from rankcore.plot.style import Picture
from rankcore.topics.reduction.swaps import (
    Swap,
    SwapFilm,
    SwapSum,
    sum_swaps,
    swap_film,
)

WEIGHTS_HEIGHT = 400
PLANE_HEIGHT = 300
SWAPS_HEIGHT = 440
# Largest matrix whose cells have room for a number.
NUMBERED = 8
# Largest matrix with lines between cells; they would cover smaller cells.
GAPS_UNTIL = 40
# The height of the sums below the film, as a share.
LOWER = 0.33
# From this height of a row on there is room for the name of a document.
ROOMY = 18


def weights_figure(
    matrix: Floats,
    labels: Sequence[int],
    names: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the weight of each pair; misordered pairs are below the diagonal.

    Parameters
    ----------
    matrix : (n, n) float64
        From `rankcore.topics.reduction.pair_losses.weight_matrix`.
    labels : sequence of n int
        From the top of the list down.
    names : sequence of n str
    """
    n = len(labels)
    places = np.arange(n)
    most = float(np.nanmax(matrix, initial=0.0)) or 1.0
    shades = {"right": palette.secondary, "wrong": palette.runs[1]}
    traces = [
        _cells(matrix, names, kind, colour, most, palette)
        for kind, colour in shades.items()
    ]
    for trace in ({"x": [-1], "y": places}, {"x": places, "y": [-1]}):
        traces.append(_strip(labels, trace, palette))
    figure = draw.layout(
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
        draw.segment(
            (-0.5, -0.5), (n - 0.5, n - 0.5), palette.secondary, 1, "dot", layer="below"
        )
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
    """
    below = lost > loss + 1e-12
    traces: list[dict[str, Any]] = [
        draw.marks(
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
    figure = draw.layout(palette, "1 − NDCG", "L", height=PLANE_HEIGHT)
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {"range": [-0.03 * furthest, furthest * 1.1], "showgrid": True}
    figure["yaxis"] |= {"range": [-0.04, max(float(np.max(loss, initial=0.0)), 0.1)]}
    figure["yaxis"]["range"][1] *= 1.1
    bound = draw.segment((0, 0), (2, 2), palette.primary, 1, "solid", layer="below")
    figure["shapes"] = [bound]
    figure["margin"] |= {"r": 96}
    end = min(furthest * 1.1, figure["yaxis"]["range"][1])
    figure["annotations"] = [
        draw.end_name(
            "<b>L = 1 − NDCG</b>", end, end, palette.readable(palette.primary)
        )
    ]
    held = int((~below).sum())
    alt = f"{held} of {len(lost)} points lie on or above the line L = 1 − NDCG."
    if chosen is not None:
        x, y = map(decimals, chosen)
        alt += f" {note.capitalize()} is at {x} and {y}."
    table = {"point": list(hovers), "1 − NDCG": lost, "L": loss}
    return Picture(traces, figure, alt, table)


def swaps_figure(
    swaps: Sequence[Swap],
    labels: Sequence[int],
    names: Sequence[str],
    now: int,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the sorting of the list, with time to the right, above the remaining L and 1
    - NDCG. A swap that gains more than its weight has a warning colour.

    Parameters
    ----------
    swaps : sequence of Swap
        At least one.
    labels, names : sequence of n int, sequence of n str
        Labels and names of the documents.
    now : int
        Number of swaps made; the last one is marked.
    """
    film, total, n = swap_film(swaps), sum_swaps(swaps), len(labels)
    pixels = (SWAPS_HEIGHT - 116) * 0.6 / n
    figure = draw.layout(palette, "swap", "", height=SWAPS_HEIGHT)
    figure["margin"] |= {"t": 52, "b": 64}
    figure |= {"hovermode": "closest", "transition": draw.GLIDE}
    edge = 0.05 * len(swaps)
    figure["xaxis"] |= {"anchor": "y2", "range": [-edge, len(swaps) + edge]}
    figure["xaxis"] |= {"dtick": -(-len(swaps) // 12), "tick0": 0}
    hidden = {"visible": False, "range": [n - 0.4, -0.6], "fixedrange": True}
    figure["yaxis"] |= hidden | {"domain": [0.4, 1.0]}
    highest = max(film.unpaid[0], film.lost.max())
    figure["yaxis2"] = draw.axis(palette, "remaining") | {
        "domain": [0.0, LOWER],
        "range": [0.0, 1.2 * highest],
        "nticks": 4,
    }
    figure["shapes"] = _now(now, palette)
    heading = draw.above(_swap_in_words(swaps, names, now), 60, palette)
    figure["annotations"] = [heading, _sums(film, palette)]
    if total.worst is not None:
        figure["annotations"].append(_worst(swaps, total.worst, film, palette))
    traces = [
        *_amounts(film, total, palette),
        *_paths(film, swaps, labels, total, names, palette),
        *_columns(film, labels, names, now, pixels, palette),
    ]
    alt = (
        f"In {len(total.broken)} of {len(swaps)} swaps the gain exceeds the weight; in "
        f"sum, 1 − NDCG = {total.gained:.3g} ≤ L = {total.weight:.3g}."
    )
    table = {
        "swap": [f"{names[s.risen[0]]} over {names[s.risen[1]]}" for s in swaps],
        "gain in NDCG": [swap.ndcg_gain for swap in swaps],
        "weight": [swap.weight for swap in swaps],
        "1 − NDCG after it": film.lost[1:],
        "remaining L after it": film.unpaid[1:],
        "difference of discounts gained": [swap.gained_discount for swap in swaps],
        "in the weight": [swap.weight_discount for swap in swaps],
    }
    return Picture(traces, figure, alt, table)


def swaps_in_words(swaps: Sequence[Swap]) -> list[str]:
    """Return Lemma 1's claim about swaps, and the truth about their sum.

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
        "**True:** the sum over all swaps is bounded: 1 − NDCG ≤ L.",
    ]


def _swap_in_words(swaps: Sequence[Swap], names: Sequence[str], now: int) -> str:
    """Return a sentence on the present swap, its gain and its weight."""
    if now == 0:
        return f"<b>Before the first of {counted(len(swaps), 'swaps')}</b><br> "
    swap = swaps[now - 1]
    risen, fallen = (escape(names[document]) for document in swap.risen)
    gain, weight = decimals(swap.ndcg_gain), decimals(swap.weight)
    relation = "more than" if swap.exceeds else "within"
    return (
        f"<b>Swap {now} of {len(swaps)}: {risen} over {fallen}</b><br>"
        f"gains {gain}, {relation} its weight {weight}"
    )


def _now(now: int, palette: Palette) -> list[dict[str, Any]]:
    """Return a band over the present swap."""
    if now == 0:
        return []
    band = {"type": "rect", "x0": now - 1, "x1": now, "y0": 0.0, "y1": 1.0}
    place = {"yref": "paper", "layer": "below"}
    return [{**band, **place, "fillcolor": palette.panel, "line": {"width": 0}}]


def _sums(film: SwapFilm, palette: Palette) -> dict[str, Any]:
    """Return both sums at the start, in the colours of their lines."""
    loss, lost = (
        f'<b style="color:{palette.readable(colour)}">{name} = {decimals(value)}</b>'
        for name, value, colour in (
            ("L", film.unpaid[0], palette.secondary),
            ("1 − NDCG", film.lost[0], palette.primary),
        )
    )
    text = f"At the start {loss} ≥ {lost}"
    return draw.above(text, 0, palette) | {"y": LOWER}


def _worst(
    swaps: Sequence[Swap], number: int, film: SwapFilm, palette: Palette
) -> dict[str, Any]:
    """Return the claim above the swap that contradicts Lemma 1 most."""
    late, at = 2 * number + 1 > len(swaps), number + 0.5
    there = np.arange(len(swaps) + 1.0)
    # The text is about a quarter of the axis wide on a narrow screen.
    low, high = sorted([at, at + (-0.25 if late else 0.25) * len(swaps)])
    over = np.linspace(low, high, 9)
    height = max(np.interp(over, there, each).max() for each in film[1:])
    gain, weight = swaps[number].ndcg_gain, swaps[number].weight
    return draw.end_name(
        f"<b>{decimals(gain)} > {decimals(weight)}</b>",
        at,
        height,
        palette.readable(palette.runs[1]),
        yref="y2",
        yanchor="bottom",
        xanchor="right" if late else "left",
        xshift=0,
    )


def _amounts(film: SwapFilm, total: SwapSum, palette: Palette) -> list[dict[str, Any]]:
    """Return the remaining L, and 1 - NDCG below it; both fall at each swap."""
    traces = [
        draw.lines(
            np.arange(len(values)),
            values,
            colour,
            hover=f"{name} %{{y:.3g}} left",
            name=name,
            yaxis="y2",
            fill="tozeroy",
            fillcolor=faded(colour, share),
        )
        for name, values, colour, share in (
            ("L", film.unpaid, palette.secondary, 0.16),
            ("1 − NDCG", film.lost, palette.primary, 0.3),
        )
    ]
    begins = np.array(total.broken, dtype=np.int64)
    steep = draw.joined(film.lost[begins], film.lost[begins + 1])
    x = draw.joined(begins.astype(np.float64), begins + 1.0)
    warning = draw.lines(x, steep, palette.runs[1], 4, name="too steep", yaxis="y2")
    return [*traces, warning]


def _paths(
    film: SwapFilm,
    swaps: Sequence[Swap],
    labels: Sequence[int],
    total: SwapSum,
    names: Sequence[str],
    palette: Palette,
) -> list[dict[str, Any]]:
    """Return the path of each document, with crossings that gain too much."""
    last = len(swaps)
    traces = []
    for label in sorted(set(labels)):
        rows = film.places[np.asarray(labels) == label].astype(np.float64)
        gaps = np.column_stack([rows, np.full(len(rows), np.nan)])
        x = np.tile(np.append(np.arange(last + 1.0), np.nan), len(rows))
        colour = mix(palette.label(label), palette.secondary, 0.35)
        name = f"label {label}"
        traces.append(
            draw.lines(x, gaps.ravel(), colour, 3 if label else 1.5, name=name)
        )
    ends = [(i, document) for i in total.broken for document in swaps[i].risen]
    begins = np.array([film.places[d, i] for i, d in ends], dtype=np.float64)
    after = np.array([film.places[d, i + 1] for i, d in ends], dtype=np.float64)
    x = np.array([i for i, _ in ends], dtype=np.float64)
    warning = draw.lines(
        draw.joined(x, x + 1.0),
        draw.joined(begins, after),
        palette.runs[1],
        4,
        name="crossings",
    )
    texts = [_swap_in_words(swaps, names, number) for number in range(1, last + 1)]
    here = draw.marks(
        np.arange(last) + 0.5,
        np.array([swap.place + 0.5 for swap in swaps]),
        {"size": 16, "color": "rgba(0,0,0,0)"},
        hover="%{customdata}",
        name="swaps",
        customdata=texts,
    )
    return [*traces, warning, here]


def _columns(
    film: SwapFilm,
    labels: Sequence[int],
    names: Sequence[str],
    now: int,
    pixels: float,
    palette: Palette,
) -> list[dict[str, Any]]:
    """Return the documents as chips: in the first, the present and the ideal order."""
    fills = [palette.label(label) for label in labels]
    roomy = pixels >= ROOMY
    traces = []
    for name, at in {"first": 0, "ideal": film.places.shape[1] - 1, "now": now}.items():
        edge = (palette.ink, 2) if name == "now" else (palette.line, 1)
        traces.append(
            draw.marks(
                np.full(len(labels), float(at)),
                film.places[:, at].astype(np.float64),
                draw.outlined(min(28.0, 0.8 * pixels), fills, *edge, symbol="square"),
                hover="%{customdata}",
                name=name,
                mode="markers+text" if roomy else "markers",
                text=[escape(each) for each in names],
                textfont={"color": [palette.on(fill) for fill in fills], "size": 12},
                customdata=[
                    f"{escape(each)}, label {label}"
                    for each, label in zip(names, labels, strict=True)
                ],
                cliponaxis=False,
            )
        )
    return traces


def _cells(
    matrix: Floats,
    names: Sequence[str],
    kind: str,
    colour: str,
    most: float,
    palette: Palette,
) -> dict[str, Any]:
    """Return the correctly ordered pairs, or the misordered ones."""
    half = np.triu(np.ones(matrix.shape, bool))
    z = np.where(half if kind == "right" else ~half, matrix, np.nan)
    shown = np.isfinite(z)
    gap = 1 if len(names) <= GAPS_UNTIL else 0
    texts = [
        [
            decimals(value) if visible else ""
            for value, visible in zip(*row, strict=True)
        ]
        for row in zip(z, shown, strict=True)
    ]
    return draw.cells(
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
    ring = draw.outlined(13, palette.background, palette.primary, 3)
    return draw.marks(
        [x],
        [y],
        ring,
        "1 − NDCG %{x:.3g}, L %{y:.3g}",
        mode="markers+text",
        name="chosen",
        text=[f"<b>{escape(name)}</b>"],
        textposition="middle left" if before else "middle right",
        textfont={"color": palette.readable(palette.primary), "size": 12},
        cliponaxis=False,
    )
