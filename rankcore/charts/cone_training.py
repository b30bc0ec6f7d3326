"""Pictures of one difference's weights in a cone, and of the cone's training."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, axis, bars, layout, lines, marks
from rankcore.charts.cone import colours, vector_name
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.cone_view import Pass

Floats = NDArray[np.float64]

WEIGHTS_HEIGHT = 200
TRAINING_HEIGHT = 190


def weights_figure(weights: Floats, free: Floats, palette: Palette = LIGHT) -> Picture:
    """Draw the folding-in weights of one difference, one bar a vector.

    Parameters
    ----------
    weights : (K,) float64
        A weight of zero is a hollow mark.
    free : (K,) float64
        The weights without constraints, whose sum votes; drawn as lines.
    palette : Palette
    """
    names, colour = [vector_name(k) for k in range(len(weights))], colours(palette).cone
    zero = weights <= 1e-12
    texts = ["0" if none else f"{w:.3f}" for w, none in zip(weights, zero, strict=True)]
    columns = bars(
        names,
        np.where(zero, 0.0, weights),
        {"color": colour},
        hover="%{x}: weight %{y:.4f}",
        text=texts,
        textposition="outside",
        cliponaxis=False,
    )
    hollow = marks(
        [name for name, none in zip(names, zero, strict=True) if none],
        np.zeros(int(zero.sum())),
        {
            "symbol": "circle-open",
            "size": 9,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
    )
    votes = marks(
        names,
        free,
        {
            "symbol": "line-ew-open",
            "size": 26,
            "color": palette.ink,
            "line": {"width": 2, "color": palette.ink},
        },
        "%{x}: without constraints %{y:.4f}",
    )
    figure = layout(palette, "vector", "weight", height=WEIGHTS_HEIGHT)
    figure["xaxis"]["type"] = "category"
    figure["yaxis"] |= {
        "range": _room_above(weights, free),
        "zeroline": True,
        "zerolinecolor": palette.secondary,
    }
    alt = (
        f"The difference uses {int((~zero).sum())} of {len(names)} vectors; without "
        f"constraints its weights add up to {free.sum():.3f}."
    )
    table = {"vector": names, "weight": weights, "without constraints": free}
    return Picture([columns, hollow, votes], figure, alt, table)


def training_figure(
    passes: Sequence[Pass],
    right: Floats,
    at: int,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a training: the share of pairs in order above, the objective below.

    Parameters
    ----------
    passes : sequence of n Pass
    right : (n,) float64
        Share of pairs that each pass' direction puts in order.
    at : int
        The selected iteration.
    palette : Palette
    """
    number = np.arange(len(passes))
    objective = np.array([one.objective for one in passes])
    sizes, colour = np.where(number == at, 11, 4), colours(palette).cone
    shares = lines(
        number,
        right,
        colour,
        hover="iteration %{x}: %{y:.1%} in order",
        name="in order",
    )
    below = lines(
        number,
        objective,
        palette.secondary,
        hover="iteration %{x}: objective %{y:.4g}",
        name="objective",
        yaxis="y2",
    )
    traces = [
        trace
        | {
            "mode": "lines+markers",
            "marker": {"color": trace["line"]["color"], "size": sizes},
        }
        for trace in (shares, below)
    ]
    figure = layout(palette, "iteration", "correct pairs", height=TRAINING_HEIGHT)
    figure["xaxis"] |= {"anchor": "y2"}
    figure["yaxis"] |= {"domain": [0.56, 1.0], "tickformat": ".0%", "nticks": 4}
    figure["yaxis2"] = axis(palette, "objective") | {
        "domain": [0.0, 0.44],
        "rangemode": "tozero",
        "nticks": 4,
    }
    alt = (
        f"In {number[-1]} iterations the objective goes from {objective[0]:.3g} to "
        f"{objective[-1]:.3g}, and the share of pairs ranked correctly from "
        f"{right[0]:.0%} to {right[-1]:.0%}."
    )
    table = {
        "iteration": number,
        "objective": objective,
        "energy captured": [one.captured for one in passes],
        "ranked correctly": right,
    }
    return Picture(traces, figure, alt, table)


def _room_above(weights: Floats, free: Floats) -> list[float]:
    """Ends of the axis of weights, with room for a number on each bar."""
    low = min(0.0, float(free.min()))
    high = max(1e-3, float(max(free.max(), weights.max())))
    pad = 0.18 * (high - low)
    return [low - (pad if low else 0.0), high + pad]
