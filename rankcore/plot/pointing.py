"""An arrow at a mark of a picture, with words where they cover least of it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.plot.style import Picture, note

Floats = NDArray[np.float64]

# In pixels: from the mark to the words, across and up; the width of a letter, the
# height of a line with its border, an assumed width of figures, and the spacing of the
# points at which lines are sampled.
ACROSS, UP = 70, (44, 28)
LETTER, LINE, WIDTH, NEAR = 7.0, 26, 640, 4.0
MARK = 4
# Shares of the way from the mark to the words at which an arrow may cross a label.
SHAFT = np.linspace(0.2, 1.0, 5)[:, None]
# Places of the words: 1 for right of the mark or -1 for left, and pixels above it.
WAYS = tuple((side, up) for far in UP for up in (far, -far) for side in (1, -1))


def pointed(picture: Picture, name: str, words: str) -> Picture | None:
    """Return a picture with an arrow at the last point of a trace, and words beside it,
    on the side where they cover least of what is drawn.

    Parameters
    ----------
    picture : Picture
        In the plane; its own labels stay.
    name : str
        Of the trace.
    words : str

    Returns
    -------
    Picture or None
        None without such a trace, or without a point of it on numeric axes.
    """
    trace = next((one for one in picture.data if one.get("name") == name), None)
    if trace is None or trace.get("type") not in ("scatter", "scattergl", "bar"):
        return None
    axes = _Axes(picture, trace)
    points = axes.points(trace)
    if points is None or not len(points):
        return None
    side, up = axes.clearest(points[-1], words)
    ink, paper = (picture.layout["hoverlabel"][key] for key in ("font", "bgcolor"))
    x, y = points[-1].tolist()
    arrow = note(words, x, y, ink["color"], 14) | axes.refs
    arrow |= {
        "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": ink["color"],
        "standoff": 8, "ax": ACROSS * side, "ay": -up,
        "xanchor": "left" if side > 0 else "right", "bgcolor": paper, "borderpad": 4,
    }  # fmt: skip
    labels = [*picture.layout.get("annotations", ()), arrow]
    return picture._replace(layout=picture.layout | {"annotations": labels})


class _Axes:
    """The two axes that a trace of a picture is drawn on.

    Attributes
    ----------
    refs : dict
        Their names, as an annotation has them.
    """

    def __init__(self, picture: Picture, trace: Mapping[str, Any]) -> None:
        layout = picture.layout
        self._picture, self.refs = picture, _axes_of(trace)
        names = self.refs.values()
        self._both = [layout[f"{name[0]}axis{name[1:]}"] for name in names]
        margins = layout["margin"]
        whole = WIDTH, layout["height"] - margins["t"] - margins["b"]
        shares = [np.ptp(axis.get("domain", (0.0, 1.0))) for axis in self._both]
        self._size = np.multiply(whole, shares)

    def points(self, trace: Mapping[str, Any]) -> Floats | None:
        """Return the (n, 2) points of a trace that are drawn on these axes; None on
        axes of categories or dates."""
        each = [np.asarray(trace[axis]) for axis in "xy"]
        if not {values.dtype.kind for values in each} <= set("iuf"):
            return None
        points = np.stack(each, axis=1).astype(np.float64)
        for place, axis in enumerate(self._both):
            if axis.get("type") == "log":
                points[:, place] = np.log10(points[:, place])
        return points[np.isfinite(points).all(axis=1)]

    def clearest(self, mark: Floats, words: str) -> tuple[int, int]:
        """Return the one of `WAYS` in which words beside a mark cover least of lines,
        marks and labels, stay on the axes, and have no label under their arrow."""
        traces = [
            (one, self.points(one)) for one in self._picture.data if self._has(one)
        ]
        known = [(one, points) for one, points in traces if points is not None]
        every = np.concatenate([points for _, points in known])
        ends = [
            axis.get("range", (every[:, place].min(), every[:, place].max()))
            for place, axis in enumerate(self._both)
        ]
        first, last = np.asarray(ends, dtype=np.float64).T

        def pixels(points: Floats) -> Floats:
            return (
                (points - first)
                / np.where(last == first, 1.0, last - first)
                * self._size
            )

        covered = [_along(one, pixels(points)) for one, points in known]
        labels = np.concatenate([np.empty((0, 2)), *self._labels(pixels)])
        drawn = np.concatenate([*covered, labels])
        half = np.array([LETTER * len(words), LINE]) / 2.0

        def cost(way: tuple[int, int]) -> float:
            middle = pixels(mark) + np.array([way[0] * (ACROSS + half[0]), way[1]])
            beyond = np.abs(middle - self._size / 2.0) + half - self._size / 2.0
            under = (np.abs(drawn - middle) <= half).all(axis=1)
            end = np.array([way[0] * ACROSS, way[1]])
            away = labels[:, None] - pixels(mark) - SHAFT * end
            crossed = np.hypot(*away.T).min(axis=0, initial=LINE) < LINE / 2.0
            hidden = under.sum() + crossed.sum()
            return float(np.maximum(beyond, 0.0).sum() + NEAR * hidden)

        return min(WAYS, key=cost)

    def _has(self, trace: Mapping[str, Any]) -> bool:
        return {"x", "y"} <= set(trace) and _axes_of(trace) == self.refs

    def _labels(self, pixels: Any) -> Iterator[Floats]:
        """Yield points along the labels on these axes."""
        for label in self._picture.layout.get("annotations", ()):
            if {ref: label.get(ref, ref[0]) for ref in self.refs} != self.refs:
                continue
            wide = LETTER * len(re.sub("<[^>]*>", "", label["text"]))
            left = {"left": 0.0, "right": 1.0}.get(label.get("xanchor"), 0.5) * wide
            across = np.arange(0.0, wide, NEAR) - left + label.get("xshift", 0.0)
            up = np.full(len(across), label.get("yshift", 0.0))
            at = pixels(np.array([label["x"], label["y"]], dtype=np.float64))
            yield at + np.stack([across, up], axis=1)


def _axes_of(trace: Mapping[str, Any]) -> dict[str, str]:
    return {f"{axis}ref": trace.get(f"{axis}axis", axis) for axis in "xy"}


def _along(trace: Mapping[str, Any], corners: Floats) -> Floats:
    """Return points along the lines of a trace, in pixels; each of its marks, without
    lines, counts as `MARK` points."""
    if "lines" not in trace.get("mode", "") or len(corners) < 2:
        return np.repeat(corners, MARK, axis=0)
    steps = np.hypot(*np.diff(corners, axis=0).T)
    far = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.arange(0.0, far[-1], NEAR)
    return np.stack([np.interp(at, far, corners[:, axis]) for axis in (0, 1)], axis=1)
