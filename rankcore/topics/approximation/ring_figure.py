"""A picture of a measure over the directions of two features, as a coloured ring."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, layout, outlined
from rankcore.topics.approximation.landscape import Optima, Profile
from rankcore.topics.approximation.landscape_figure import (
    SCALE,
    MarkedProfile,
    Marks,
    colour_bar,
    lined,
)

HEIGHT = 384
MOST_SECTORS = 720
_INNER, _OUTER = 0.55, 1.0


def ring_figure(
    marked: MarkedProfile, names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw the circle of directions, coloured by the measure.

    Each cell is one sector; if there are too many to distinguish, equal sectors show
    the exact mean of the measure.

    Parameters
    ----------
    marked : MarkedProfile
        By the angle in degrees, 0 to 360.
    names : sequence of 2 str
        The features: at 0 and at 90 degrees.
    """
    profile, measure, at, marks, tops = marked
    traces = [_ring(sectors(profile), measure, palette)]
    if marks is not None:
        traces += _ring_marks(marks, palette)
    if tops is not None:
        traces += _ring_tops(tops, palette)
    if at is not None:
        line = {"color": palette.primary, "width": 2.5}
        end = {"size": [0, 10], "color": palette.primary}
        hand = _polar("direction", [at, at], [0.0, _INNER - 0.04], end)
        traces.append(hand | {"mode": "lines+markers", "line": line})
    figure = layout(palette, "", "", height=HEIGHT)
    del figure["xaxis"], figure["yaxis"]
    figure["margin"] = {"l": 62, "r": 62, "t": 34, "b": 4}
    # A narrow screen has little room beside the ring.
    first, second = lined(names)
    figure["polar"] = {
        "bgcolor": "rgba(0,0,0,0)",
        "domain": {"x": [0.0, 1.0], "y": [0.17, 1.0]},
        "radialaxis": {"visible": False, "range": [0.0, 1.09]},
        "angularaxis": {
            "tickvals": [0, 90, 180, 270],
            "ticktext": [first, second, f"−{first}", f"−{second}"],
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "tickfont": {"color": palette.ink, "size": 12},
        },
    }
    return Picture(traces, figure)


def _ring(cells: Profile, measure: str, palette: Palette) -> dict[str, Any]:
    """Return the sectors in the colours of their values."""
    widths = np.diff(cells.edges)
    return {
        "type": "barpolar",
        "name": measure,
        "theta": (cells.edges[:-1] + widths / 2.0),
        "width": widths,
        "base": np.full(len(widths), _INNER),
        "r": np.full(len(widths), _OUTER - _INNER),
        "customdata": cells.values,
        "marker": {
            "color": cells.values,
            "colorscale": SCALE,
            # Sectors overlap a little, as the background would show through the seams.
            "line": {"width": 1, "color": cells.values, "colorscale": SCALE},
            "showscale": True,
            "colorbar": colour_bar(palette) | {"yanchor": "bottom", "ypad": 0},
        },
        "hovertemplate": "%{theta:.1f}°: %{customdata:.3f}<extra></extra>",
    }


def sectors(profile: Profile, most: int = MOST_SECTORS) -> Profile:
    """Return the profile itself if it has few cells, else its exact means over equal
    sectors."""
    if len(profile.values) <= most:
        return profile
    ends = np.linspace(profile.edges[0], profile.edges[-1], most + 1)
    widths = np.diff(profile.edges)
    whole = np.concatenate([[0.0], np.cumsum(profile.values * widths)])
    means = np.diff(np.interp(ends, profile.edges, whole)) / np.diff(ends)
    return Profile(ends, means)


def _ring_marks(marks: Marks, palette: Palette) -> list[dict[str, Any]]:
    """Return hollow marks at restarts' starts and filled ones at their ends."""
    colour, ground = palette.runs[1], palette.background
    inner, outer = _INNER - 0.06, _OUTER + 0.06
    return [
        _polar(name, theta, np.full(len(theta), radius), marker, name[:-1])
        for name, theta, radius, marker in (
            ("starts", marks.starts, inner, outlined(8, ground, colour, 1.5)),
            ("end points", marks.ends, outer, outlined(8, colour, ground)),
        )
    ]


def _ring_tops(tops: Optima, palette: Palette) -> list[dict[str, Any]]:
    """Return marks on the cells, with the symbols of the step picture: the smooth
    measure's inside, the exact one's outside, as they are often close."""
    ground, inner, outer = palette.background, _INNER + 0.1, _OUTER - 0.1
    smooth = outlined(13, palette.primary, ground, 1.5, symbol="diamond")
    exact = outlined(13, palette.ink, ground, 1.5, symbol="triangle-down")
    name = "best of the smooth"
    return [
        _polar(name, [tops.smooth], [inner], smooth, name),
        _polar("best", [tops.exact], [outer], exact, "best"),
    ]


def _polar(
    name: str, degrees: Any, radii: Any, marker: dict[str, Any], words: str = ""
) -> dict[str, Any]:
    """Return marks at angles and radii, with this hover text, if any."""
    hover = f"{words} at %{{theta:.1f}}°<extra></extra>"
    return {
        "type": "scatterpolar",
        "name": name,
        "mode": "markers",
        "theta": degrees,
        "r": radii,
        "marker": marker,
        **({"hovertemplate": hover} if words else {"hoverinfo": "skip"}),
    }
