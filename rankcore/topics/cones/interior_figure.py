"""Pictures of the interior of a cone of few vectors in space."""

from collections.abc import Sequence

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import percent
from rankcore.plot.palette import LIGHT, Palette, mix
from rankcore.plot.style import Picture, bars, layout, marks
from rankcore.topics.cones import space_figure as cone_space
from rankcore.topics.cones.claims import Interior
from rankcore.topics.cones.cone_figure import colours, limits, to_border
from rankcore.topics.cones.sight import VisibleCone

HEIGHT = 380


def interior_figure(
    view: VisibleCone,
    differences: Floats,
    interior: Interior,
    names: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a cone in space, a point of it, and the point moved to either side.

    Parameters
    ----------
    differences : (m, 3) float64
        Differences; those in the cone are filled squares.
    names : sequence of 3 str
    """
    U, colour = view.basis, colours(palette).cone
    ends = limits(np.vstack([differences, U.T]))
    middle = 0.6 * to_border(interior.inside, ends)[0]
    aside = 0.2 * float(np.abs(ends).max()) * interior.across
    points = np.stack([middle + aside, middle - aside])
    inside = view.inside
    traces = [
        *cone_space.cone_sides(view, ends, colour),
        *cone_space.generators(U, colour),
        cone_space.dots(differences[~inside], "outside", palette.label(1, 2), size=3),
        cone_space.dots(differences[inside], "inside", palette.runs[2], "square", 4),
        cone_space.dots(middle[None], "in the cone", palette.ink, size=7),
        cone_space.dots(points, "moved a little", palette.runs[1], "diamond", 7),
    ]
    places = {"p": (middle, palette.ink)} | {
        name: (at, palette.runs[1])
        for name, at in zip(("p + εn", "p − εn"), points, strict=True)
    }
    labels = [
        *cone_space.vector_labels(U, colour, palette),
        *(cone_space.label(name, *at, palette) for name, at in places.items()),
    ]
    box = cone_space.box(palette, names, ends, labels, HEIGHT)
    alt = (
        f"The cone of {U.shape[1]} vectors in {U.shape[0]} dimensions contains "
        f"{percent(inside.mean())} of the differences."
    )
    columns = zip(names, differences.T, strict=True)
    table = {f"z: {name}": column for name, column in columns} | {"inside": inside}
    return Picture(traces, box, alt, table)


def interior_shares_figure(
    shares: Sequence[float], at: int, palette: Palette = LIGHT
) -> Picture:
    """Draw the share of differences inside cones of 1, 2, … vectors; zero is a hollow
    mark.

    Parameters
    ----------
    at : int
        The selected number of vectors.
    """
    values, colour = np.array(shares), colours(palette).cone
    numbers = np.arange(1, len(values) + 1)
    none = values == 0.0
    columns = bars(
        numbers,
        values,
        {
            "color": [
                colour if k == at else mix(colour, palette.background, 0.5)
                for k in numbers
            ],
        },
        hover="K = %{x}: %{y:.1%} inside",
        text=["" if zero else percent(v) for v, zero in zip(values, none, strict=True)],
        textposition="outside",
        cliponaxis=False,
    )
    hollow = marks(
        numbers[none],
        values[none],
        {
            "symbol": "circle-open",
            "size": 10,
            "color": palette.secondary,
            "line": {"width": 1.5},
        },
        "K = %{x}: none inside",
        mode="markers+text",
        text=["0"] * int(none.sum()),
        textposition="top center",
    )
    figure = layout(palette, "vectors K", "differences inside", height=HEIGHT)
    figure["yaxis"] |= {"tickformat": ".0%", "range": [-0.06, 1.18]}
    figure["xaxis"] |= {"dtick": 1}
    empty = numbers[none].tolist()
    alt = (
        f"Cones of {', '.join(map(str, empty)) or 'no number of'} vectors contain no "
        f"difference; {numbers[-1]} vectors contain {percent(values[-1])}."
    )
    return Picture([columns, hollow], figure, alt, {"K": numbers, "inside": values})
