"""A picture of a hand-sized query: scores to drag, and the slack as one moves."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import (
    Picture,
    axis,
    end_names,
    layout,
    lines,
    marks,
    vline,
)
from rankcore.topics.margins.order import SlackCurve
from rankcore.topics.margins.order_figure import fixed, loss_colour

# In pixels: a document's line, the curves, and what lies between and below them.
LINE, CURVES, BETWEEN, BELOW = 34, 230, 24, 50


def hand_figure(
    curve: SlackCurve,
    labels: Sequence[int],
    names: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw each document at its score, to be dragged along its line; below, slack and
    predicted loss over the score of the one that moves.

    Parameters
    ----------
    curve : SlackCurve
        Of the document that moves, which has a ring.
    labels, names : sequences of n
    palette : Palette
    """
    n, name = len(names), names[curve.document]
    inner = LINE * n + BETWEEN + CURVES
    drawn = layout(palette, "score wᵀx", "", height=inner + BELOW + 10)
    drawn["margin"] |= {"t": 10, "b": BELOW, "r": 84}
    fixed(drawn, 60)
    ends = [float(curve.scores[0]), float(curve.scores[-1])]
    drawn["xaxis"] |= {"range": ends, "showgrid": True, "anchor": "y2"}
    drawn["yaxis"] |= {
        "title": {"text": "document"},
        "range": [n - 0.4, -0.6],
        "domain": [1.0 - LINE * n / inner, 1.0],
        "showticklabels": False,
        "ticks": "",
    } | {"tickvals": list(range(n))}
    top = float(max(curve.slack.max(), 1.0)) * 1.08
    drawn["yaxis2"] = axis(palette, "slack and loss") | {
        "range": [-0.02 * top, top],
        "domain": [0.0, CURVES / inner],
        "automargin": False,
    }
    here = float(curve.scores[curve.at])
    drawn["shapes"] = [vline(here, palette.primary)]
    last = {
        "slack ξ": (float(curve.slack[-1]), palette.primary),
        "loss Δ(ŷ)": (float(curve.loss[-1]), loss_colour(palette)),
    }
    drawn["annotations"] = end_names(last, palette, CURVES / (1.02 * top), yref="y2")
    least, order = int(np.argmin(curve.slack)), np.argsort(-curve.every, kind="stable")
    said = ", ".join(f"{names[i]} with label {labels[i]}" for i in order)
    alt = (
        f"From the highest score down: {said}. While the score of {name} moves, the "
        f"slack is {decimals(curve.slack[curve.at])} now and least, "
        f"{decimals(curve.slack[least])}, at score {curve.scores[least]:.2f}; the loss "
        f"of the predicted order is {decimals(curve.loss[curve.at])}."
    )
    table = {
        f"score of {name}": curve.scores,
        "slack": curve.slack,
        "loss of the predicted order": curve.loss,
    }
    documents = _documents(curve, labels, names, palette)
    return Picture([documents, *_curves(curve, palette)], drawn, alt, table)


def _documents(
    curve: SlackCurve, labels: Sequence[int], names: Sequence[str], palette: Palette
) -> dict[str, Any]:
    """Each document as a disc at its score, on a line of its own."""
    highest = max(*labels, 1)
    fills = [palette.label(label, highest) for label in labels]
    ring = np.arange(len(names)) == curve.document
    return marks(
        curve.every,
        np.arange(len(names)),
        {
            "size": 26,
            "color": fills,
            "line": {
                "color": [palette.ink if on else palette.secondary for on in ring],
                "width": np.where(ring, 3.5, 0.5),
            },
        },
        hover="label %{customdata}, score %{x:.3g}",
        mode="markers+text",
        name="documents",
        meta={"drag": "x"},
        text=[escape(name) for name in names],
        textfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        cliponaxis=False,
        customdata=list(labels),
    )


def _curves(curve: SlackCurve, palette: Palette) -> list[dict[str, Any]]:
    """Slack and loss over the score, and their values now, to be dragged."""
    colours = [palette.primary, loss_colour(palette)]
    both = {"slack": curve.slack, "loss": curve.loss}
    drawn = [
        lines(curve.scores, of, colour, 2.5, f"{name} %{{y:.3g}}", yaxis="y2")
        for (name, of), colour in zip(both.items(), colours, strict=True)
    ]
    dots = marks(
        np.full(2, curve.scores[curve.at]),
        np.array([of[curve.at] for of in both.values()]),
        {
            "size": 12,
            "color": colours,
            "line": {"color": palette.background, "width": 2},
        },
        hover="now %{y:.3g}",
        name="moved",
        meta={"drag": "x"},
        yaxis="y2",
    )
    return [*drawn, dots]
