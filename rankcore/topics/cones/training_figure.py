"""Pictures of one difference's weights in a cone, and of the cone's training."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, percent
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.cones.cone_figure import colours, vector_name
from rankcore.topics.cones.sight import Pass

WEIGHTS_HEIGHT = 200
NUMBER_HEIGHT = 16
TRAINING_HEIGHT = 190


def weights_figure(weights: Floats, free: Floats, palette: Palette = LIGHT) -> Picture:
    """Draw the folding-in weights of one difference, one bar per vector.

    Parameters
    ----------
    weights : (K,) float64
        A weight of zero is a hollow mark.
    free : (K,) float64
        The weights without constraints, drawn as lines.
    """
    names = [vector_name(k) for k in range(len(weights))]
    at, zero = np.arange(len(weights)), weights <= 1e-12
    shown = np.where(zero, 0.0, weights)
    columns = draw.bars(
        at,
        shown,
        {"color": colours(palette).cone},
        hover="%{customdata}: weight %{y:.3f}",
        customdata=names,
    )
    hollow = draw.marks(
        at[zero],
        shown[zero],
        {
            "symbol": "circle-open",
            "size": 9,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
    )
    votes = draw.lines(
        draw.joined(at - 0.4, at + 0.4),
        draw.joined(free, free),
        palette.ink,
        hover="%{customdata}: without constraints %{y:.3f}",
        customdata=np.repeat(names, 3).tolist(),
    )
    alt = (
        f"The difference uses {int((~zero).sum())} of {len(names)} vectors; without "
        f"constraints its weights add up to {decimals(float(free.sum()))}."
    )
    table = {"vector": names, "weight": weights, "without constraints": free}
    figure = _weights_layout(names, shown, free, palette)
    return Picture([columns, hollow, votes], figure, alt, table)


def _weights_layout(
    names: list[str], weights: Floats, free: Floats, palette: Palette
) -> dict[str, Any]:
    """Return axes with a number on each bar, not crossed by the lines of ``free``."""
    low, high = _room_above(weights, free)
    room = NUMBER_HEIGHT / (WEIGHTS_HEIGHT - 68) * (high - low)
    heights = np.where((free > weights) & (free < weights + room), free, weights)
    figure = draw.layout(palette, "vector", "weight", height=WEIGHTS_HEIGHT)
    figure["margin"]["l"] = 54
    figure["xaxis"] |= {
        "tickvals": np.arange(len(names)),
        "ticktext": names,
        "tickangle": 0,
        "range": [-0.6, len(names) - 0.4],
    }
    figure["yaxis"] |= {
        "range": [low, high],
        "zeroline": True,
        "zerolinecolor": palette.secondary,
    }
    figure["annotations"] = [
        draw.note(
            decimals(w, 2) if w else "0", k, height, palette.secondary, 10,
            yanchor="bottom", yshift=0 if w else 5, borderpad=1,
        )
        for k, (w, height) in enumerate(zip(weights, heights, strict=True))
    ]  # fmt: skip
    return figure


def training_figure(
    passes: Sequence[Pass], right: Floats, at: int, palette: Palette = LIGHT
) -> Picture:
    """Draw a training: the share of pairs in order above, the objective below.

    Parameters
    ----------
    passes : sequence of n Pass
    right : (n,) float64
        Share of pairs that each iteration's direction orders correctly.
    at : int
        The selected iteration.
    """
    number = np.arange(len(passes))
    objective = np.array([one.objective for one in passes])
    sizes, colour = np.where(number == at, 11, 4), colours(palette).cone
    shares = draw.lines(
        number,
        right,
        colour,
        hover="iteration %{x}: %{y:.1%} in order",
        name="in order",
    )
    below = draw.lines(
        number,
        objective,
        palette.secondary,
        hover="iteration %{x}: objective %{y:.3~r}",
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
    figure = draw.layout(palette, "iteration", "correct pairs", height=TRAINING_HEIGHT)
    figure["xaxis"] |= {"anchor": "y2"}
    figure["yaxis"] |= {"domain": [0.56, 1.0], "tickformat": ".0%", "nticks": 4}
    figure["yaxis2"] = draw.axis(palette, "objective") | {
        "domain": [0.0, 0.44],
        "rangemode": "tozero",
        "nticks": 4,
    }
    alt = (
        f"In {counted(number[-1], 'iterations')} the objective goes from "
        f"{objective[0]:.3g} to "
        f"{objective[-1]:.3g}, and the share of pairs ranked correctly from "
        f"{percent(right[0])} to {percent(right[-1])}."
    )
    table = {
        "iteration": number,
        "objective": objective,
        "energy captured": [one.captured for one in passes],
        "ranked correctly": right,
    }
    return Picture(traces, figure, alt, table)


def _room_above(weights: Floats, free: Floats) -> list[float]:
    """Return ends of the axis of weights, with room for a number on each bar."""
    low = min(0.0, float(free.min()))
    high = max(1e-3, float(max(free.max(), weights.max())))
    pad = 0.18 * (high - low)
    return [low - (pad if low else 0.0), high + pad]
