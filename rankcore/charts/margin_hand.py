"""Pictures of a hand-sized query: scores to drag, and the slack as one moves."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from rankcore.charts._style import (
    Picture,
    end_names,
    layout,
    lines,
    marks,
    vline,
)
from rankcore.charts.margins import fixed, loss_colour
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.margins import SlackCurve

HEIGHT = 280


def scores_figure(
    scores: ArrayLike,
    labels: Sequence[int],
    names: Sequence[str],
    chosen: int,
    reach: tuple[float, float],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw each document at its score, to be dragged along its line.

    Parameters
    ----------
    scores : (n,) float64
    labels, names : sequences of n
    chosen : int
        The document with a ring.
    reach : tuple of float
        The scores at both ends.
    palette : Palette
    """
    highest = max(*labels, 1)
    fills = [palette.label(label, highest) for label in labels]
    ring = np.arange(len(names)) == chosen
    points = marks(
        np.asarray(scores, dtype=np.float64),
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
        text=[f"{escape(name)}" for name in names],
        textfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        cliponaxis=False,
        customdata=list(labels),
    )
    drawn = layout(palette, "score wᵀx", "", height=62 + 30 * len(names))
    drawn["margin"] |= {"r": 16}
    fixed(drawn, 16)
    drawn["xaxis"] |= {"range": list(reach), "showgrid": True}
    drawn["yaxis"] |= {
        "range": [len(names) - 0.4, -0.6],
        "tickvals": list(range(len(names))),
        "showticklabels": False,
        "ticks": "",
    }
    order = np.argsort(-np.asarray(scores), kind="stable")
    said = ", ".join(f"{names[i]} with label {labels[i]}" for i in order)
    table = {"document": list(names), "score": scores, "label": list(labels)}
    return Picture([points], drawn, f"From the highest score down: {said}.", table)


def slack_figure(curve: SlackCurve, name: str, palette: Palette = LIGHT) -> Picture:
    """Draw slack and predicted loss over one document's score.

    Parameters
    ----------
    curve : SlackCurve
    name : str
        Name of the document.
    palette : Palette
    """
    ends = {
        "slack ξ": (curve.slack, palette.primary),
        "loss Δ(ŷ)": (curve.loss, loss_colour(palette)),
    }
    here = curve.scores[curve.at]
    curves = [
        lines(
            curve.scores,
            values,
            colour,
            2.5,
            hover=f"{label.split()[0]} %{{y:.4f}}",
        )
        for label, (values, colour) in ends.items()
    ]
    dots = marks(
        np.array([here, here]),
        np.array([curve.slack[curve.at], curve.loss[curve.at]]),
        {
            "size": 12,
            "color": [palette.primary, loss_colour(palette)],
            "line": {"color": palette.background, "width": 2},
        },
        hover="now %{y:.4f}",
        name="moved",
        meta={"drag": "x"},
    )
    drawn = layout(palette, f"score of {escape(name)}", "", height=HEIGHT)
    top = float(max(curve.slack.max(), 1.0)) * 1.08
    drawn["margin"] |= {"r": 76}
    fixed(drawn, 40)
    drawn["yaxis"] |= {"range": [-0.02 * top, top]}
    drawn["xaxis"] |= {"range": [float(curve.scores[0]), float(curve.scores[-1])]}
    drawn["shapes"] = [vline(float(here), palette.primary)]
    last = {label: (values[-1], colour) for label, (values, colour) in ends.items()}
    drawn["annotations"] = end_names(last, palette, HEIGHT * 0.8 / top)
    least = int(np.argmin(curve.slack))
    alt = (
        f"The slack is {curve.slack[curve.at]:.3f} now and least, "
        f"{curve.slack[least]:.3f}, at score {curve.scores[least]:.2f}; the loss of "
        f"the predicted order is {curve.loss[curve.at]:.3f}."
    )
    table = {
        "score": curve.scores,
        "slack": curve.slack,
        "loss of the predicted order": curve.loss,
    }
    return Picture([*curves, dots], drawn, alt, table)
