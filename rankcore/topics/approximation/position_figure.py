"""Picture of one document's approximated position: a sigmoid for each other one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals, subscript
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.approximation.approximate_list import SigmoidSum
from rankcore.topics.approximation.bounds import PositionErrors
from rankcore.topics.approximation.list_figure import document_names

HEIGHT, FRAME = 380, 98
# Most documents for which there is room for names and terms.
FEW = 8


def position_figure(
    sigmoids: SigmoidSum,
    positions: PositionErrors,
    labels: Sequence[int],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the sigmoids of all other documents, stacked on 1, and the true staircase.

    The handle at the document's score, the trace ``score``, can be dragged.

    Parameters
    ----------
    positions : PositionErrors
        Positions of the list.
    labels : sequence of n int
    """
    n, place, score = len(labels), sigmoids.place, sigmoids.score
    exact, soft = float(positions.exact[place]), float(positions.soft[place])
    name = f"x{subscript(place + 1)}"
    figure = draw.layout(palette, f"score of {name}", f"position of {name}", HEIGHT)
    figure["margin"] |= {"t": 46, "r": 16}
    figure["xaxis"]["range"] = [sigmoids.x[0], sigmoids.x[-1]]
    figure["yaxis"] |= {"range": [0.0, n + 0.3], "dtick": max(1, n // 8), "tick0": 1}
    figure["shapes"] = [draw.vline(score, palette.secondary)]
    points = [
        draw.end_name(
            f"<b>{text}</b>", score, y, palette.ink, bgcolor=palette.background
        )
        for text, y in ((decimals(soft, 2), soft), (f"{exact:g}", exact))
    ]
    figure["annotations"] = [
        draw.above(_sum_in_words(sigmoids, soft, exact), 60, palette),
        *_names(sigmoids, labels, palette),
        *draw.place_labels(points, (HEIGHT - FRAME) / (n + 0.3)),
    ]
    traces = [
        *_stack(sigmoids, labels, palette),
        *_positions(sigmoids, soft, exact, palette),
        _handle(score, 0.05 * n, palette),
    ]
    alt = (
        f"The position of x{place + 1} is {exact:g}; 1 and the "
        f"{counted(n - 1, 'sigmoids')} of the other documents sum to "
        f"{decimals(soft, 2)}."
    )
    table = {f"score of x{place + 1}": sigmoids.x, "position": sigmoids.exact}
    table |= {"approximated": sigmoids.soft}
    documents = document_names(n)
    for other, values in zip(sigmoids.others, sigmoids.sigmoids, strict=True):
        table[f"sigmoid of {documents[other]}"] = values
    return Picture(traces, figure, alt, table)


def _positions(
    sigmoids: SigmoidSum, soft: float, exact: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return the true staircase, the sum, and both at the document."""
    colour, x = palette.runs[0], sigmoids.x
    stair = draw.lines(
        x, sigmoids.exact, palette.ink, 2, name="true", line={"shape": "hv"}
    )
    dots = [
        draw.marks(
            [sigmoids.score],
            [y],
            draw.outlined(11, colour, colour, 2, symbol=symbol),
            hover=f"{name} %{{y:.3g}}",
            name=name,
        )
        for name, y, symbol in (
            ("true position", exact, "circle"),
            ("approximated position", soft, "circle-open"),
        )
    ]
    return [
        stair,
        draw.lines(x, sigmoids.soft, colour, 2.5, name="approximated"),
        *dots,
    ]


def _handle(score: float, y: float, palette: Palette) -> dict[str, Any]:
    """Return the triangle that drags the document's score."""
    triangle = {"symbol": "triangle-up", "size": 16, "color": palette.primary}
    hover = "score %{x:.3g}; drag it"
    return draw.marks([score], [y], triangle, hover, name="score", meta={"drag": "x"})


def _sum_in_words(sigmoids: SigmoidSum, soft: float, exact: float) -> str:
    """Return the sum of the sigmoids at the document's score, as a formula."""
    terms = f"1 + {counted(len(sigmoids.others), 'sigmoids')}"
    if len(sigmoids.others) < FEW:
        terms = " + ".join(["1", *(decimals(term, 2) for term in sigmoids.terms)])
    return f"○ approximated: {terms} = <b>{decimals(soft, 2)}</b><br>● true: {exact:g}"


def _stack(
    sigmoids: SigmoidSum, labels: Sequence[int], palette: Palette
) -> list[dict[str, Any]]:
    """Return stacked bands for the document itself and for each other one."""
    edge: dict[str, Any] = {"stackgroup": "position"}
    edge["line"] = {"color": palette.background, "width": 1}
    ones = np.ones(len(sigmoids.x))
    itself = draw.lines(sigmoids.x, ones, palette.background, name="itself", **edge)
    traces = [itself | {"fillcolor": palette.panel}]
    for other, values in zip(sigmoids.others.tolist(), sigmoids.sigmoids, strict=True):
        name = f"x{subscript(other + 1)}"
        hover = f"{name} adds %{{y:.3f}}"
        band = draw.lines(sigmoids.x, values, "", 1, hover=hover, name=name, **edge)
        traces.append(band | {"fillcolor": palette.label(labels[other])})
    return traces


def _names(
    sigmoids: SigmoidSum, labels: Sequence[int], palette: Palette
) -> list[dict[str, Any]]:
    """Return the names of the bands at their left ends, if there are few bands."""
    if len(labels) > 2 * FEW:
        return []
    heights = np.append(1.0, sigmoids.sigmoids[:, 0])
    middles = np.cumsum(heights) - heights / 2.0
    names = [f"x{subscript(other + 1)}" for other in sigmoids.others.tolist()]
    fills = [palette.label(labels[other]) for other in sigmoids.others]
    itself = f"1 for x{subscript(sigmoids.place + 1)} itself"
    bands = zip([itself, *names], [palette.panel, *fills], middles, strict=True)
    return [
        draw.note(
            text, sigmoids.x[0], y, palette.on(fill), 11, xanchor="left", xshift=4
        )
        for text, fill, y in bands
    ]
