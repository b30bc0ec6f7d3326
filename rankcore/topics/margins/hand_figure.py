"""Pictures of a small query: draggable scores, its orders, and the slack against one
score."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.margins.cloud import OrderCloud
from rankcore.topics.margins.cloud_figure import (
    CloudAxes,
    cloud_notes,
    cloud_traces,
    loss_range,
    margin_range,
    order_words,
)
from rankcore.topics.margins.order import SlackCurve, score_range
from rankcore.topics.margins.order_figure import fixed, loss_colour

if TYPE_CHECKING:
    from rankcore.topics.approximation.score_list import ScoreList

# Heights in pixels: a document's line, the orders, and the spaces between and below.
LINE, ORDERS, BETWEEN, BELOW = 30, 290, 60, 50
CURVES = 230


def hand_figure(
    documents: "ScoreList",
    moving: int,
    clouds: Mapping[str, OrderCloud],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw each document at its score, draggable along its line, and below the orders
    of the list by margin and loss.

    Parameters
    ----------
    moving : int
        The moving document, which has a ring.
    clouds : dict of str to OrderCloud
        The orders under each feature map, by its symbol.
    """
    n, names = len(documents.names), documents.names
    inner = LINE * n + BETWEEN + ORDERS
    figure = draw.layout(palette, "score wᵀx", "", height=inner + BELOW + 10)
    figure["margin"] |= {"t": 10, "b": BELOW, "r": 16}
    fixed(figure, 60)
    figure["xaxis"] |= {"range": list(score_range(documents.scores)), "showgrid": True}
    figure["yaxis"] |= {
        "title": {"text": "document"},
        "range": [n - 0.4, -0.6],
        "domain": [1.0 - LINE * n / inner, 1.0],
        "showticklabels": False,
        "ticks": "",
    } | {"tickvals": list(range(n))}
    every = list(clouds.values())
    up, share = loss_range(every), ORDERS / inner
    figure["yaxis2"] = draw.axis(palette, "loss Δ") | {
        "range": list(up),
        "domain": [0.0, share],
        "automargin": False,
    }
    figure["annotations"] = []
    traces = [_documents(documents, moving, palette)]
    for place, (symbol, cloud) in enumerate(clouds.items()):
        across, width = margin_range(cloud), 1.0 / len(every)
        axes = CloudAxes(f"x{place + 2}", "y2", across, up, ORDERS)
        figure[f"xaxis{place + 2}"] = draw.axis(palette, "margin wᵀδφ") | {
            "range": list(across),
            "domain": [width * (place + 0.14 * (place > 0)), width * (place + 1)],
            "anchor": "y2",
            "automargin": False,
            "nticks": 5,
            "zeroline": True,
            "zerolinecolor": palette.secondary,
        }
        traces += cloud_traces(cloud, names, axes, palette)
        notes = cloud_notes(cloud, names, axes, palette, len(every) > 1)
        figure["annotations"] += [*notes, *_head(symbol, axes, palette)]
    alt = f"{_scores_in_words(documents)} {_orders_in_words(clouds, names)}"
    return Picture(traces, figure, alt, lambda: _order_table(clouds, names))


def _head(symbol: str, axes: CloudAxes, palette: Palette) -> list[dict[str, Any]]:
    if not symbol:
        return []
    where = {"xref": f"{axes.x} domain", "yref": "y2 domain", "yanchor": "bottom"}
    return [draw.note(f"<b>{symbol}</b>", 0.5, 1.0, palette.ink, 14, **where)]


def _scores_in_words(documents: "ScoreList") -> str:
    order = np.argsort(-documents.scores, kind="stable")
    each = ", ".join(
        f"{documents.names[i]} with label {documents.labels[i]}" for i in order
    )
    return f"From the highest score down: {each}."


def _orders_in_words(clouds: Mapping[str, OrderCloud], names: Sequence[str]) -> str:
    sentences = []
    for symbol, cloud in clouds.items():
        count = f"{counted(int(cloud.counts.sum()), 'orders')} are at "
        sentences.append(
            f"{f'{symbol}: ' if symbol else ''}"
            f"{count if cloud.every else 'The outermost orders are at '}"
            f"{counted(len(cloud.counts), 'points')}; the line touches "
            f"{order_words(cloud.orders[cloud.worst], names)}, of loss "
            f"{decimals(cloud.losses[cloud.worst])} and margin "
            f"{decimals(cloud.margins[cloud.worst])}, so the slack is "
            f"{decimals(cloud.slack)}."
        )
    return " ".join(sentences)


def _order_table(
    clouds: Mapping[str, OrderCloud], names: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        ({"feature map": symbol} if symbol else {})
        | {"order": " ".join(names[i] for i in order)}
        | ({"orders of this point": int(count)} if cloud.every else {})
        | {"Δ": loss, "wᵀδφ": margin, "Δ − wᵀδφ": loss - margin}
        for symbol, cloud in clouds.items()
        for order, count, loss, margin in zip(
            cloud.orders, cloud.counts, cloud.losses, cloud.margins, strict=True
        )
    ]


def slack_figure(curve: SlackCurve, name: str, palette: Palette = LIGHT) -> Picture:
    """Draw slack and predicted loss against the score of the moving document.

    Parameters
    ----------
    name : str
        Name of that document.
    """
    figure = draw.layout(palette, f"score of {escape(name)}", "slack and loss")
    figure["margin"] |= {"r": 84}
    fixed(figure, 60)
    figure["height"] = CURVES + figure["margin"]["t"] + figure["margin"]["b"]
    ends = [float(curve.scores[0]), float(curve.scores[-1])]
    figure["xaxis"] |= {"range": ends, "showgrid": True}
    top = float(max(curve.slack.max(), 1.0)) * 1.08
    figure["yaxis"] |= {"range": [-0.02 * top, top]}
    figure["shapes"] = [draw.vline(float(curve.scores[curve.at]), palette.primary)]
    last = {
        "slack ξ": (float(curve.slack[-1]), palette.primary),
        "loss Δ(ŷ)": (float(curve.loss[-1]), loss_colour(palette)),
    }
    figure["annotations"] = draw.end_names(last, palette, CURVES / (1.02 * top))
    least = int(np.argmin(curve.slack))
    alt = (
        f"While the score of {name} moves, the slack is "
        f"{decimals(curve.slack[curve.at])} now and least, "
        f"{decimals(curve.slack[least])}, at score {curve.scores[least]:.2f}; the loss "
        f"of the predicted order is {decimals(curve.loss[curve.at])}."
    )
    table = {
        f"score of {name}": curve.scores,
        "slack": curve.slack,
        "loss of the predicted order": curve.loss,
    }
    return Picture(_curves(curve, palette), figure, alt, table)


def _documents(documents: "ScoreList", moving: int, palette: Palette) -> dict[str, Any]:
    """Return each document as a disc at its score, on its own line."""
    names, labels = documents.names, documents.labels.tolist()
    highest = max(*labels, 1)
    fills = [palette.label(label, highest) for label in labels]
    ring = np.arange(len(names)) == moving
    return draw.marks(
        documents.scores,
        np.arange(len(names)),
        draw.outlined(
            26,
            fills,
            [palette.ink if on else palette.secondary for on in ring],
            np.where(ring, 3.5, 0.5),
        ),
        hover="label %{customdata}, score %{x:.3g}",
        mode="markers+text",
        name="documents",
        meta={"drag": "x"},
        text=[escape(name) for name in names],
        textfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        cliponaxis=False,
        customdata=labels,
    )


def _curves(curve: SlackCurve, palette: Palette) -> list[dict[str, Any]]:
    """Slack and loss against the score, with draggable present values."""
    colours = [palette.primary, loss_colour(palette)]
    both = {"slack": curve.slack, "loss": curve.loss}
    traces = [
        draw.lines(curve.scores, of, colour, 2.5, f"{name} %{{y:.3g}}")
        for (name, of), colour in zip(both.items(), colours, strict=True)
    ]
    dots = draw.marks(
        np.full(2, curve.scores[curve.at]),
        np.array([of[curve.at] for of in both.values()]),
        draw.outlined(12, colours, palette.background, 2),
        hover="now %{y:.3g}",
        name="moved",
        meta={"drag": "x", "names": list(both)},
    )
    return [*traces, dots]
