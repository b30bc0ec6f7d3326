"""A picture of the ring of directions, unrolled into a strip above the curve."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.plot import style
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, layout, note
from rankcore.topics.approximation.landscape_figure import (
    HEIGHT,
    MARGIN_RIGHT,
    SCALE,
    MarkedProfile,
    short,
)
from rankcore.topics.approximation.ring_figure import sectors

# Lines that are drawn across the band, their length and width in pixels; a mark
# "line-ns" is longer than its size by LONGER.
MOST_SECTORS, THICK, WIDE, LONGER = 360, 28, 4.5, 1.4
# The share of the animation in which the ring only turns, before it opens at the top.
TURNING = 0.2
# Distances of marks from the middle of the band, outwards; the ring has radius 1.
INNER, OUTER, ENDS, NAMES = -0.13, 0.13, 0.36, -0.42


def unrolled_figure(
    marked: MarkedProfile, names: Sequence[str], share: float, palette: Palette = LIGHT
) -> Picture:
    """Draw the circle of directions, cut at 0° and bent open, coloured by the measure.

    Parameters
    ----------
    marked, names
        As in `rankcore.topics.approximation.ring_figure.ring_figure`.
    share : float
        Degree of unrolling: 0 is the ring, 1 a strip from 0° to 360° on the axis of the
        curve below.
    """
    profile, measure, at, marks, tops = marked
    cells = sectors(profile, MOST_SECTORS)
    degrees = (np.arange(MOST_SECTORS) + 0.5) * 360.0 / MOST_SECTORS
    values = cells.at(degrees)
    x, y = placed(degrees, share)
    turned = (degrees - 180.0) * _bent(share) + _quarter(share)
    traces = [
        style.marks(
            x,
            y,
            {
                "symbol": "line-ns",
                "size": THICK / LONGER,
                "angle": -turned,
                "color": values,
                "colorscale": SCALE,
                "line": {"width": WIDE, "color": values, "colorscale": SCALE},
            },
            hover="%{customdata[0]:.1f}°: %{customdata[1]:.3f}",
            name=measure,
            customdata=np.stack([degrees, values], axis=1),
        )
    ]
    if marks is not None:
        traces.append(
            _mark(marks.ends, share, ENDS, "circle", palette.runs[1], "end points")
        )
    if tops is not None:
        for name, where, out, symbol, colour in (
            ("best of the smooth", tops.smooth, INNER, "diamond", palette.primary),
            ("best", tops.exact, OUTER, "triangle-down", palette.ink),
        ):
            traces.append(_mark([where], share, out, symbol, colour, name))
    if at is not None:
        ring = _mark([at], share, 0.0, "circle", palette.background, "direction")
        ring["marker"]["line"] = {"color": palette.primary, "width": 3}
        traces.append(ring)
    figure = layout(palette, "", "", height=HEIGHT)
    figure["margin"] |= {"r": MARGIN_RIGHT, "b": 4}
    for axis in ("xaxis", "yaxis"):
        figure[axis] |= {"showgrid": False, "showticklabels": False, "ticks": ""}
        figure[axis] |= {"linecolor": "rgba(0,0,0,0)", "automargin": False}
    figure["xaxis"] |= {"range": [-np.pi, np.pi]}
    # A wider figure has more room above, so that the strip stays near the curve.
    bottom = {"scaleanchor": "x", "constraintoward": "bottom"}
    figure["yaxis"] |= {"range": [-0.6, 2.6]} | bottom
    figure["annotations"] = _names(names, share, palette)
    return Picture(traces, figure)


def placed(degrees: Any, share: float, outwards: float = 0.0) -> tuple[Floats, Floats]:
    """Return x and y of directions on a band unrolled by a share; its middle, 180°, is
    at the origin."""
    arc = np.radians(np.asarray(degrees, dtype=np.float64)) - np.pi
    bent = _bent(share)
    if bent < 1e-9:
        return arc, np.full_like(arc, -outwards)
    radius, along = 1.0 / bent + outwards, arc * bent
    x, y = radius * np.sin(along), 1.0 / bent - radius * np.cos(along)
    turn = np.radians(_quarter(share))
    up = y - 1.0
    return (
        x * np.cos(turn) - up * np.sin(turn),
        x * np.sin(turn) + up * np.cos(turn) + 1.0,
    )


def _bent(share: float) -> float:
    """Return the curvature of the band: 1 for the ring, 0 for the strip."""
    return 1.0 - max(0.0, share - TURNING) / (1.0 - TURNING)


def _quarter(share: float) -> float:
    """Return the rotation of the ring in degrees, so that 0° starts at its right and is
    at its top when it opens."""
    return -90.0 * max(0.0, 1.0 - share / TURNING)


def _mark(
    degrees: Any, share: float, outwards: float, symbol: str, colour: str, name: str
) -> dict[str, Any]:
    x, y = placed(degrees, share, outwards)
    edge = {"color": LIGHT.background, "width": 1.5}
    return style.marks(
        x,
        y,
        {"symbol": symbol, "size": 13, "color": colour, "line": edge},
        hover=f"{name} at %{{customdata:.1f}}°",
        name=name,
        customdata=np.asarray(degrees, dtype=np.float64),
    )


def _names(
    names: Sequence[str], share: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return labels of the features' directions; once the ring is open, that of 0° is
    at both ends."""
    first, second = short(names)
    texts = [(0, first), (90, second), (180, f"−{first}"), (270, f"−{second}")]
    if share > TURNING:
        texts.append((360, first))
    notes = []
    for degrees, text in texts:
        x, y = placed(degrees, share, NAMES)
        notes.append(note(text, float(x), float(y), palette.ink))
    return notes
