"""Pictures of a measure over the directions of three features: a globe and maps."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, layout, lines, marks, outlined
from rankcore.topics.approximation.landscape_figure import SCALE, colour_bar, short

GLOBE_HEIGHT = 384
MAP_HEIGHT = 180
# Height of lines and points above the surface.
_ABOVE = 1.02
# Distances of the axes' ends and names from the centre. Seen from the middle of an
# octant, all six ends are outside the globe's outline: √(2/3) of this is more than 1.
_TIP, _NAME = 1.32, 1.44
# Position of each name at the end of its axis, as seen from there: above or below.
_SIDES = ("bottom", "bottom", "top", "top", "top", "bottom")
# At this distance the globe with its names fills the height of the canvas.
_REACH, _SIZE = 1.5, 2.2
_CIRCLE_POINTS = 49
_MAP_POINTS = 73


class MarkedSphere(NamedTuple):
    """Names, scale and marks of pictures of a measure over three features.

    Attributes
    ----------
    names : sequence of 3 str
        The features along the axes; the third points to the north pole.
    measure : str
        Its name.
    span : pair of float
        Ends of the scale of colours.
    circles : (m, 3) float64
        Normals of great circles to draw.
    ends : (k, 3) float64
        End points of restarts.
    """

    names: Sequence[str]
    measure: str
    span: tuple[float, float]
    circles: Floats = np.empty((0, 3))
    ends: Floats = np.empty((0, 3))


def globe_figure(
    values: Floats, marked: MarkedSphere, palette: Palette = LIGHT
) -> Picture:
    """Draw the sphere of directions, each patch in the colour of its centre.

    Parameters
    ----------
    values : (r, p) float64
        The measure at the centre of each patch: r bands of latitude of equal height in
        degrees, from the south pole up, and p meridians from longitude 0.
    """
    traces = [_patches(values, marked, palette)]
    if len(marked.circles):
        traces.append(_rings(marked.circles))
    if len(marked.ends):
        traces.append(_dots(marked.ends, palette))
    traces += _axes(marked.names, palette)
    figure = layout(palette, "", "", height=GLOBE_HEIGHT)
    del figure["xaxis"], figure["yaxis"]
    figure["margin"] = {"l": 0, "r": 0, "t": 0, "b": 0}
    hidden = {"visible": False, "range": [-_REACH, _REACH]}
    figure["scene"] = {
        "xaxis": hidden,
        "yaxis": hidden,
        "zaxis": hidden,
        "aspectmode": "manual",
        "aspectratio": dict.fromkeys("xyz", _SIZE),
        "dragmode": "orbit",
        "domain": {"x": [0.0, 1.0], "y": [0.09, 1.0]},
        "camera": {
            "eye": dict.fromkeys("xyz", 1.25),
            "center": dict.fromkeys("xyz", 0.0),
            "projection": {"type": "orthographic"},
        },
    }
    return Picture(traces, figure)


def map_figure(
    values: Floats, marked: MarkedSphere, palette: Palette = LIGHT
) -> Picture:
    """Draw an equal-area map of the sphere of directions.

    The horizontal axis is the longitude, the vertical one the sine of the latitude, so
    equal areas of the map are equal shares of the directions.

    Parameters
    ----------
    values : (r, p) float64
        The measure at the centre of each patch: r bands of equal area from the south
        up, and p meridians from longitude 0.
    """
    bands, meridians = values.shape
    low, high = marked.span
    traces: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            "name": marked.measure,
            "x": np.arange(meridians) * (360.0 / meridians),
            "y": (np.arange(bands) + 0.5) * (2.0 / bands) - 1.0,
            "z": values.astype(np.float32),
            "zmin": low,
            "zmax": high,
            "colorscale": SCALE,
            "showscale": False,
            "hovertemplate": "longitude %{x:.0f}°, sine of latitude %{y:.2f}: "
            "%{z:.3f}<extra></extra>",
        }
    ]
    if len(marked.circles):
        traces.append(_map_lines(marked.circles))
    if len(marked.ends):
        traces.append(_map_dots(marked.ends, palette))
    figure = layout(palette, "direction (longitude)", "", height=MAP_HEIGHT)
    figure["margin"] = {"l": 48, "r": 14, "t": 12, "b": 26}
    first, second, third = short(marked.names)
    half = 180.0 / meridians
    figure["xaxis"] |= {
        "range": [-half, 360.0 - half],
        "tickvals": [0, 90, 180, 270],
        "ticktext": [first, second, f"−{first}", f"−{second}"],
        "tickfont": {"size": 10},
    }
    # The sine of the latitude is the third coefficient of a model of length one.
    figure["yaxis"] |= {
        "range": [-1, 1],
        "tickvals": [-1, 0, 1],
        "ticktext": ["−1", "0", "1"],
        "showgrid": False,
    }
    figure["yaxis"]["title"]["text"] = third
    return Picture(traces, figure)


def patch_latitudes(bands: int) -> Floats:
    """(bands,) latitudes in radians of the middles of the globe's patches."""
    return np.linspace(-0.5, 0.5, 2 * bands + 1)[1::2] * math.pi


def map_latitudes(bands: int) -> Floats:
    """(bands,) latitudes in radians of the middles of the map's bands."""
    return np.arcsin(np.linspace(-1.0, 1.0, 2 * bands + 1)[1::2])


def _patches(values: Floats, marked: MarkedSphere, palette: Palette) -> dict[str, Any]:
    """Return the surface, with two triangles of one colour per patch."""
    bands, meridians = values.shape
    low, high = marked.span
    across = (np.arange(meridians) - 0.5) * (2.0 * math.pi / meridians)
    up = np.linspace(-math.pi / 2.0, math.pi / 2.0, bands + 1)[:, None]
    x, y = np.cos(up) * np.cos(across), np.cos(up) * np.sin(across)
    z = np.broadcast_to(np.sin(up), x.shape)
    here = np.arange(bands * meridians).reshape(bands, meridians)
    right = np.roll(here, -1, axis=1)
    above, beyond = here + meridians, right + meridians
    # Two triangles share a patch; each has three corners.
    i = np.stack([here, beyond], axis=-1).ravel()
    j = np.stack([right, above], axis=-1).ravel()
    k = np.stack([beyond, here], axis=-1).ravel()
    return {
        "type": "mesh3d",
        "name": marked.measure,
        "x": x.ravel().astype(np.float32),
        "y": y.ravel().astype(np.float32),
        "z": z.ravel().astype(np.float32),
        "i": i.astype(np.int32),
        "j": j.astype(np.int32),
        "k": k.astype(np.int32),
        "intensity": np.repeat(values.ravel(), 2).astype(np.float32),
        "intensitymode": "cell",
        "cmin": low,
        "cmax": high,
        "colorscale": SCALE,
        "colorbar": colour_bar(palette) | {"y": 0.02, "yanchor": "bottom", "ypad": 4},
        "flatshading": True,
        "lighting": {"ambient": 1.0, "diffuse": 0.0, "specular": 0.0, "fresnel": 0.0},
        "hoverinfo": "skip",
    }


def _rings(circles: Floats) -> dict[str, Any]:
    points = _ABOVE * circle_points(circles, _CIRCLE_POINTS)
    gap = np.full((len(circles), 1, 3), np.nan)
    line = {"color": "rgba(255,255,255,0.55)", "width": 1.2}
    rings = np.concatenate([points, gap], axis=1).astype(np.float32)
    return _in_space("scores cross", "lines", rings, line=line)


def _in_space(name: str, mode: str, points: Any, **details: Any) -> dict[str, Any]:
    """Return a trace of points (…, 3), with hover text if any."""
    x, y, z = points.reshape(-1, 3).T
    hover = {} if "hovertemplate" in details else {"hoverinfo": "skip"}
    trace = {"type": "scatter3d", "name": name, "mode": mode, "x": x, "y": y, "z": z}
    return trace | details | hover


def circle_points(circles: Floats, count: int) -> Floats:
    """(m, count, 3) points of unit length round great circles with normals (m, 3)."""
    # An axis far from the normal, to construct two directions perpendicular to it.
    far = np.eye(3)[np.abs(circles).argmin(axis=1)]
    one = np.cross(circles, far)
    one /= np.sqrt((one**2).sum(axis=1, keepdims=True))
    other = np.cross(circles, one)
    turn = np.linspace(0.0, 2.0 * math.pi, count)[:, None]
    return np.asarray(
        np.cos(turn) * one[:, None] + np.sin(turn) * other[:, None], np.float64
    )


def _dots(ends: Floats, palette: Palette) -> dict[str, Any]:
    return _in_space(
        "end points",
        "markers",
        1.05 * _units(ends),
        marker=outlined(5, palette.runs[1], palette.background),
        hovertemplate="a restart ended here<extra></extra>",
    )


def _axes(names: Sequence[str], palette: Palette) -> list[dict[str, Any]]:
    """Return the axes of features: short lines out of the sphere, and names."""
    ways = np.concatenate([np.eye(3), -np.eye(3)])
    stems = np.stack([ways, _TIP * ways, np.nan * ways], axis=1)
    axes = short(names)
    return [
        _in_space(
            "axes", "lines", stems, line={"color": palette.secondary, "width": 2}
        ),
        _in_space(
            "features",
            "text",
            _NAME * ways,
            text=[*axes, *(f"−{name}" for name in axes)],
            textposition=[f"{side} center" for side in _SIDES],
            textfont={"color": palette.ink, "size": 11},
        ),
    ]


def _map_lines(circles: Floats) -> dict[str, Any]:
    """Return great circles: a sine of latitude for each longitude, or two meridians."""
    across = np.linspace(0.0, 2.0 * math.pi, _MAP_POINTS)
    level = circles[:, :1] * np.cos(across) + circles[:, 1:2] * np.sin(across)
    steep = np.abs(circles[:, 2]) < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.sin(np.arctan(-level[~steep] / circles[~steep, 2:]))
    x = np.broadcast_to(np.degrees(across), up.shape)
    # A circle through the poles consists of two opposite meridians.
    foot = np.degrees(np.arctan2(-circles[steep, 0], circles[steep, 1])) % 180.0
    feet = np.concatenate([foot, foot + 180.0])
    gap = np.full((len(up), 1), np.nan)
    ends = np.tile([-1.0, 1.0, np.nan], len(feet))
    return lines(
        np.concatenate(
            [np.concatenate([x, gap], axis=1).ravel(), np.repeat(feet, 3)]
        ).astype(np.float32),
        np.concatenate([np.concatenate([up, gap], axis=1).ravel(), ends]).astype(
            np.float32
        ),
        "rgba(255,255,255,0.35)",
        0.7,
        name="scores cross",
    )


def _map_dots(ends: Floats, palette: Palette) -> dict[str, Any]:
    x, y, z = _units(ends).T
    return marks(
        np.degrees(np.arctan2(y, x)) % 360.0,
        z,
        outlined(8, palette.runs[1], palette.background),
        hover="a restart ended here",
        name="end points",
    )


def _units(models: Floats) -> Floats:
    lengths = np.sqrt((models**2).sum(axis=1, keepdims=True))
    return np.asarray(models / np.where(lengths > 0.0, lengths, 1.0), np.float64)
