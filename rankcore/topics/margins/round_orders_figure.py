"""A picture of one query's orders, and of the planes added by rounds."""

from typing import Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, axis, layout, lines, marks, note, outlined
from rankcore.topics.margins.cloud import RoundOrders
from rankcore.topics.margins.cloud_figure import (
    WORDS,
    CloudAxes,
    cloud_notes,
    cloud_traces,
    loss_range,
    margin_range,
)
from rankcore.topics.margins.order_figure import fixed

HEIGHT, ABOVE, BELOW = 330, 12, 50
# Maximum number of rounds named at one point.
MOST_NAMED = 3


def round_orders_figure(orders: RoundOrders, palette: Palette = LIGHT) -> Picture:
    """Draw the orders of a query by margin and loss, marks on orders added by rounds,
    and a line for each plane."""
    cloud, names = orders.cloud, orders.names
    low, high = margin_range(cloud)
    across = min(low, orders.margins.min()), max(high, orders.margins.max())
    axes = CloudAxes(
        "x", "y", across, loss_range([cloud]), float(HEIGHT - ABOVE - BELOW)
    )
    figure = layout(palette, "margin wᵀδφ", "loss Δ", height=HEIGHT)
    figure["margin"] |= {"t": ABOVE, "b": BELOW, "r": 16}
    fixed(figure, 60)
    figure["xaxis"] = axis(palette, "margin wᵀδφ") | {
        "range": list(axes.across),
        "nticks": 5,
        "zeroline": True,
        "zerolinecolor": palette.secondary,
    }
    figure["yaxis"] |= {"range": list(axes.up)}
    figure["annotations"] = cloud_notes(cloud, names, axes, palette, narrow=True)
    traces = [
        *cloud_traces(cloud, names, axes, palette),
        _planes(orders, axes, palette),
        _added(orders, palette),
    ]
    if (
        axes.pixels(cloud.slack - orders.lower_bound) > WORDS
        and orders.lower_bound > 0.0
    ):
        ends: dict[str, Any] = {"xanchor": "left", "xshift": 6, "yanchor": "top"}
        words = "planes so far"
        figure["annotations"].append(
            note(words, 0.0, orders.lower_bound, palette.secondary, **ends)
        )
    return Picture(traces, figure, _alt_text(orders), _table(orders))


def _alt_text(orders: RoundOrders) -> str:
    last, slack = len(orders.losses) - 1, decimals(orders.cloud.slack)
    if not last:
        return f"At round 0 there is no plane yet; the slack is {slack}."
    return (
        f"At round {last} the planes of {counted(last, 'earlier rounds')} show that "
        f"the slack is at least {decimals(orders.lower_bound)}; it is {slack}."
    )


def _planes(orders: RoundOrders, axes: CloudAxes, palette: Palette) -> dict[str, Any]:
    """Return lines of constant loss minus margin through the orders of earlier rounds:
    each meets a margin of 0 at its bound on the slack."""
    bounds = np.unique(np.round((orders.losses - orders.margins)[:-1], 9))
    (low, high), (bottom, top) = axes.across, axes.up
    gap = np.full(len(bounds), np.nan)
    x = [np.maximum(low, bottom - bounds), np.minimum(high, top - bounds), gap]
    along = np.stack(x, axis=1)
    rising = (along + bounds[:, None]).ravel()
    return lines(along.ravel(), rising, palette.secondary, 1, name="planes")


def _added(orders: RoundOrders, palette: Palette) -> dict[str, Any]:
    """Return a ring at the order of each round, with the numbers of its rounds."""
    places = np.round(np.stack([orders.margins, orders.losses], axis=1), 9)
    points, point = np.unique(places, axis=0, return_inverse=True)
    rounds = [np.flatnonzero(point.ravel() == k) for k in range(len(points))]
    return marks(
        points[:, 0],
        points[:, 1],
        outlined(14, "rgba(0,0,0,0)", palette.ink, 2),
        hover="added in round %{customdata}<br>Δ %{y:.3g}, wᵀδφ %{x:.3g}",
        mode="markers+text",
        name="added",
        text=[_numbers(added) for added in rounds],
        textposition="bottom right",
        textfont={"size": 11, "color": palette.ink},
        customdata=[", ".join(map(str, numbers)) for numbers in rounds],
    )


def _numbers(rounds: np.ndarray) -> str:
    """Return the numbers of the last rounds that added an order, as text."""
    more = "… " if len(rounds) > MOST_NAMED else ""
    return more + ", ".join(map(str, rounds[-MOST_NAMED:]))


def _table(orders: RoundOrders) -> dict[str, Any]:
    return {
        "round": np.arange(len(orders.losses)),
        "Δ": orders.losses,
        "wᵀδφ": orders.margins,
        "Δ − wᵀδφ": orders.losses - orders.margins,
    }
