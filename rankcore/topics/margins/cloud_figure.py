"""A picture of the orders of a list as points, below their tangent line."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import Palette, faded
from rankcore.plot.style import lines, marks, note, outlined, shortened
from rankcore.topics.margins.cloud import OrderCloud
from rankcore.topics.margins.order_figure import loss_colour, margin_colour

# Sizes of a point with one order, for few and for many points.
FEW, FEW_SIZE, MANY_SIZE, LARGEST = 40, 15, 8, 36
LONGEST_ORDER, LONGEST_NAME = 6, 8
# Labels whose right end is at their mark.
ENDING: dict[str, Any] = {
    "xanchor": "right",
    "yanchor": "bottom",
    "xshift": -6,
    "align": "right",
}
# In pixels: the height of a line of text, and the distance of a label from its mark.
WORDS, NEAR = 15, 12


class CloudAxes(NamedTuple):
    """The axes of a cloud.

    Attributes
    ----------
    x, y : str
        Its axes, such as ``"x2"``.
    across, up : (float, float)
        Their ranges.
    height : float
        In pixels.
    """

    x: str
    y: str
    across: tuple[float, float]
    up: tuple[float, float]
    height: float

    @property
    def on(self) -> dict[str, Any]:
        """Names of these axes for a trace."""
        return {"xaxis": self.x, "yaxis": self.y}

    @property
    def notes(self) -> dict[str, Any]:
        """Names of these axes for annotations."""
        return {"xref": self.x, "yref": self.y}

    def pixels(self, y: float) -> float:
        """Return a height in pixels."""
        return y * self.height / (self.up[1] - self.up[0])


def margin_range(cloud: OrderCloud) -> tuple[float, float]:
    """Return a range around all margins, with room for text at the left, stable under
    small changes."""
    low, high = float(cloud.margins.min()), float(cloud.margins.max())
    low -= 0.4 * max(high - low, 0.5)
    step = 0.5 if high - low < 5.0 else 2.0
    return step * np.floor(low / step), step * np.ceil(max(high + 0.05, 0.5) / step)


def loss_range(clouds: Sequence[OrderCloud]) -> tuple[float, float]:
    """Return a range of losses with room for text above, stable under small changes of
    slacks."""
    most = max(1.0, *(np.ceil(2.0 * cloud.slack) / 2.0 for cloud in clouds))
    return -0.1 * most, 1.22 * most


def order_words(order: np.ndarray, names: Sequence[str]) -> str:
    """Return the documents of an order, the first ones of a long list."""
    text = " ".join(
        escape(shortened(names[i], LONGEST_NAME)) for i in order[:LONGEST_ORDER]
    )
    return text + " …" * (len(order) > LONGEST_ORDER)


def cloud_traces(
    cloud: OrderCloud, names: Sequence[str], axes: CloudAxes, palette: Palette
) -> list[dict[str, Any]]:
    """Return the points, the line that touches them, and the slack."""
    low, high = axes.across
    bottom, top = axes.up
    slack, worst = cloud.slack, cloud.worst
    slope = np.array([max(low, bottom - slack), min(high, top - slack)])
    even = np.array([max(low, bottom), min(high, top)])
    corner = np.array([even[0], even[1], high, high])
    area = lines(
        corner,
        np.array([even[0], even[1], min(high, top), bottom]),
        margin_colour(palette),
        0,
        name="margin holds",
        fill="toself",
        fillcolor=faded(margin_colour(palette), 0.1),
        **axes.on,
    )
    dash = {"dash": "dot"}
    traces = [
        area,
        lines(even, even, margin_colour(palette), 1.2, line=dash, **axes.on),
        *([] if cloud.every else [_outline(cloud, axes, palette)]),
        lines(slope, slope + slack, palette.primary, 2.5, name="touches", **axes.on),
        lines([0, 0], [0, slack], palette.primary, 6, name="slack", **axes.on),
        _points(cloud, names, axes, palette),
    ]
    ring = {"size": 24, "color": "rgba(0,0,0,0)"}
    for name, point, line in (
        ("predicted", cloud.predicted, {"color": palette.secondary, "width": 2}),
        ("most violated", worst, {"color": palette.ink, "width": 3}),
    ):
        at = [cloud.margins[point]], [cloud.losses[point]]
        traces.append(marks(*at, {**ring, "line": line}, name=name, **axes.on))
    return traces


def _outline(cloud: OrderCloud, axes: CloudAxes, palette: Palette) -> dict[str, Any]:
    outer = cloud.outline
    return lines(
        cloud.margins[outer],
        cloud.losses[outer],
        loss_colour(palette),
        1.5,
        name="outline",
        **axes.on,
    )


def _points(
    cloud: OrderCloud, names: Sequence[str], axes: CloudAxes, palette: Palette
) -> dict[str, Any]:
    """Return a disc for each point, larger for more orders, with their number."""
    few = len(cloud.counts) <= FEW
    counts = cloud.counts if cloud.every else np.ones_like(cloud.counts)
    sizes = (FEW_SIZE if few else MANY_SIZE) * counts**0.3
    violated = cloud.violations > 0.0
    shades = [loss_colour(palette) if on else margin_colour(palette) for on in violated]
    others = [f" and {counted(n - 1, 'other orders')}" if n > 1 else "" for n in counts]
    texts = [
        f"{order_words(order, names)}{other}<br>Δ − wᵀδφ {decimals(value)}"
        for order, other, value in zip(
            cloud.orders, others, cloud.violations, strict=True
        )
    ]
    return marks(
        cloud.margins,
        cloud.losses,
        outlined(
            np.minimum(sizes, LARGEST).round(1),
            shades,
            palette.background,
            opacity=0.85 if few else 0.6,
        ),
        hover="%{customdata}<br>Δ %{y:.3g}, wᵀδφ %{x:.3g}",
        mode="markers+text",
        name="orders",
        text=[str(n) if few and n > 1 else "" for n in counts.tolist()],
        textfont={"size": 11, "color": [palette.on(shade) for shade in shades]},
        customdata=texts,
        **axes.on,
    )


def cloud_notes(
    cloud: OrderCloud,
    names: Sequence[str],
    axes: CloudAxes,
    palette: Palette,
    narrow: bool = False,
) -> list[dict[str, Any]]:
    """Return labels of the marks: slack, line, most violated, predicted and ideal
    order, and where margins hold. None covers a point: none is above the line.

    Parameters
    ----------
    names : sequence of m str
    narrow : bool
        Whether other clouds stand beside this one.
    """
    words = [
        *_touching_words(cloud, names, axes, palette, narrow),
        note(
            "ideal",
            0.0,
            0.0,
            palette.ink,
            xanchor="right",
            xshift=-8,
            yanchor="top",
            yshift=-NEAR / 2,
            **axes.notes,
        ),
    ]
    words = words if narrow else [*words, *_far_words(cloud, axes, palette)]
    # No line crosses the words.
    return [word | {"bgcolor": palette.background} for word in words]


def _touching_words(
    cloud: OrderCloud,
    names: Sequence[str],
    axes: CloudAxes,
    palette: Palette,
    narrow: bool,
) -> list[dict[str, Any]]:
    """Return labels of the slack, at its end, and of the order at the tangent point.
    They end at their marks; of two that would overlap, the higher one is raised."""
    slack, worst = cloud.slack, cloud.worst
    margin, loss = float(cloud.margins[worst]), float(cloud.losses[worst])
    met, touched = axes.pixels(slack) + NEAR / 2, axes.pixels(loss) + NEAR
    share = margin / (axes.across[1] - axes.across[0])
    if -0.25 < share <= 0.0 < slack:
        met = max(met, touched + 2 * WORDS)
    elif 0.0 < share < 0.3:
        touched = max(touched, met + WORDS)
    place = axes.notes | ENDING
    text = f"<b>most violated</b><br>{order_words(cloud.orders[worst], names)}"
    if narrow:
        text = "<b>most<br>violated</b>"
    number = note(
        f"<b>ξ = {decimals(slack)}</b>",
        0.0,
        slack,
        palette.readable(palette.primary),
        14,
        yshift=met - axes.pixels(slack),
        **place,
    )
    shift = touched - axes.pixels(loss)
    order = note(text, margin, loss, palette.ink, yshift=shift, **place)
    return [number, order] if slack > 0.0 else [number]


def _far_words(
    cloud: OrderCloud, axes: CloudAxes, palette: Palette
) -> list[dict[str, Any]]:
    """Return the other labels: the equation of the line, the region where margins hold,
    and the predicted order, left of all others."""
    slack, (low, high), place = cloud.slack, axes.across, axes.notes | ENDING
    green = palette.readable(margin_colour(palette))
    words = [note("margin<br>≥ loss", high, axes.up[0], green, **place)]
    end = min(high, axes.up[1] - slack)
    if end - cloud.margins[cloud.worst] > 0.35 * (high - low):
        blue = palette.readable(palette.primary)
        aside = place | {"xshift": -44, "yshift": -18}
        words.append(note("Δ = wᵀδφ + ξ", end, end + slack, blue, **aside))
    first = cloud.predicted
    if first != cloud.worst and cloud.margins[first] <= cloud.margins.min():
        aside = place | {"xshift": -16, "yanchor": "middle"}
        at = float(cloud.margins[first]), float(cloud.losses[first])
        words.append(note("predicted", *at, palette.secondary, **aside))
    return words
