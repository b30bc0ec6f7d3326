"""An arrow at a mark of a picture, with words that cover little of it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.plot.style import LINE_HEIGHT, LOWEST, Picture, note

# In pixels: the distance from the mark to the words, across and up; the width of a
# letter, the height of a line with its border, the assumed width of figures, and the
# spacing of the points at which lines are sampled.
ACROSS, UP = (70, 40), (44, 28, 96, 150)
LETTER, LINE, WIDTH, NEAR = 7.0, 26, 600, 4.0
# Distance from a mark to the text beside it.
GAP = 6.0
MARK = 12
# Cost per pixel of text outside the axes, horizontally and vertically.
BEYOND = np.array([3.0, 4.0])
# Weight of a pixel beyond the figure, where words are cut off.
CUT = 200
# Weight of a point under the arrow; a point under the words has weight 1.
CROSSED = 4
LINES = {"mode": "lines"}
# Shares of the way from the mark to the words at which an arrow may cross a label.
SHAFT = np.linspace(0.2, 1.0, 5)[:, None]
# Where the arrow begins: pixels right of the mark and above it. The words stand beside
# its beginning, or above or below it if it is not far to a side. An arrow from the
# nearest of those places would be too short.
FAR, NEARER = ACROSS
WAYS = tuple(
    (across, up)
    for far in (*UP, 0)
    for up in (far, -far)[: 1 + (far > 0)]
    for across in (FAR, -FAR, 0, NEARER, -NEARER)
    if abs(across) == FAR or far > min(UP)
)


def pointed(
    picture: Picture, name: str, words: str, share: float = 1.0
) -> Picture | None:
    """Return a picture with an arrow at the last point of a trace, and words beside it,
    on the side where they cover least of the drawing.

    Parameters
    ----------
    picture : Picture
        In the plane; its own labels stay.
    name : str
        Name of the trace.
    share : float
        Width of the picture as a share of the page.

    Returns
    -------
    Picture or None
        None if there is no such trace, or no point of it on numeric axes.
    """
    trace = next((one for one in picture.data if one.get("name") == name), None)
    if trace is None or trace.get("type") not in ("scatter", "scattergl", "bar"):
        return None
    axes = _Axes(picture, trace, share * WIDTH)
    points = axes.points(trace)
    if points is None or not len(points):
        return None
    across, up = axes.clearest(points[-1], words)
    ink, paper = (picture.layout["hoverlabel"][key] for key in ("font", "bgcolor"))
    x, y = points[-1].tolist()
    arrow = note(words, x, y, ink["color"], 14) | axes.refs
    arrow |= {
        "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": ink["color"],
        "standoff": 8, "ax": across, "ay": -up,
        "xanchor": ("center", "left", "right")[_side(across)], "bgcolor": paper,
        "borderpad": 4,
    }  # fmt: skip
    labels = [*picture.layout.get("annotations", ()), arrow]
    return picture._replace(layout=picture.layout | {"annotations": labels})


class _Axes:
    """The two axes that a trace of a picture is drawn on.

    Attributes
    ----------
    refs : dict
        Their names in the form that annotations use.
    """

    def __init__(
        self, picture: Picture, trace: Mapping[str, Any], width: float
    ) -> None:
        layout = picture.layout
        self._picture, self.refs = picture, _axes_of(trace)
        names = self.refs.values()
        self._both = [layout[f"{name[0]}axis{name[1:]}"] for name in names]
        left, right, top, bottom = (layout["margin"][side] for side in "lrtb")
        whole = np.array([width - left - right, layout["height"] - top - bottom])
        domains = np.array([axis.get("domain", (0.0, 1.0)) for axis in self._both])
        self._size = whole * np.ptp(domains, axis=1)
        self._room = np.array([[left, bottom], [right, top]]) + whole * np.stack(
            [domains[:, 0], 1.0 - domains[:, 1]]
        )

    def points(self, trace: Mapping[str, Any]) -> Floats | None:
        """Return the (n, 2) points of a trace on these axes; None on axes of categories
        or dates."""
        each = [np.asarray(trace[axis]) for axis in "xy"]
        if not {values.dtype.kind for values in each} <= set("iuf"):
            return None
        points = np.stack(each, axis=1).astype(np.float64)
        for place, axis in enumerate(self._both):
            if axis.get("type") == "log":
                points[:, place] = np.log10(points[:, place])
        return points[np.isfinite(points).all(axis=1)]

    def clearest(self, mark: Floats, words: str) -> tuple[int, int]:
        """Return the placement from `WAYS` at which words beside a mark cover the
        fewest lines, marks and labels, have few labels under their arrow, and stay
        within the axes; a distant one only if it covers much less."""
        traces = [
            (one, self.points(one)) for one in self._picture.data if self._has(one)
        ]
        placed = [(one, points) for one, points in traces if points is not None]
        every = np.concatenate([points for _, points in placed])
        ends = [
            axis.get("range", (every[:, place].min(), every[:, place].max()))
            for place, axis in enumerate(self._both)
        ]
        first, last = np.asarray(ends, dtype=np.float64).T
        middle, wide = (first + last) / 2.0, last - first
        wide = np.where(wide == 0.0, 1.0, wide)

        def costs(share: float) -> list[float]:
            size = self._size * np.array([1.0, share])
            scale = size / wide
            if self._both[1].get("scaleanchor"):
                scale = np.copysign(np.abs(scale).min(), scale)
            if self._both[1].get("constrain") == "domain":
                size = np.abs(scale * wide)

            def pixels(points: Floats) -> Floats:
                return (points - middle) * scale + size / 2.0

            covered = [_along(one, pixels(points)) for one, points in placed]
            covered += [
                _along(LINES, pixels(error))
                for one, points in placed
                for error in self._errors(one, points)
            ]
            labels = [np.empty((0, 2)), *self._labels(pixels)]
            for one, points in placed:
                labels += _beside(one, pixels(points))
            ink = np.concatenate([*covered, *labels])
            marks = [
                _along(one, pixels(points)) for one, points in placed if _apart(one)
            ]
            at = pixels(mark)
            solid = np.concatenate([*labels, *marks])
            solid = solid[(solid != at).any(axis=1)]
            room = self._room + (self._size * np.array([1.0, share]) - size) / 2.0
            return [_cost(way, at, len(words), size, room, ink, solid) for way in WAYS]

        # On a projector the plot is lower in relation to its type.
        both = np.array([costs(1.0), costs(LOWEST)]).sum(axis=0)
        return WAYS[int(both.argmin())]

    def _has(self, trace: Mapping[str, Any]) -> bool:
        return {"x", "y"} <= set(trace) and _axes_of(trace) == self.refs

    def _errors(self, trace: Mapping[str, Any], points: Floats) -> list[Floats]:
        """Return the (2, 2) ends of the vertical error bars of a trace."""
        error = trace.get("error_y", {})
        if not {"array", "arrayminus"} <= set(error) or len(points) < len(trace["y"]):
            return []
        y = np.asarray(trace["y"], np.float64)
        ends = np.stack([y - error["arrayminus"], y + error["array"]])
        if self._both[1].get("type") == "log":
            ends = np.log10(np.maximum(ends, np.finfo(np.float64).tiny))
        ends = np.maximum(ends, self._both[1].get("range", [-np.inf])[0])
        lines = zip(points[:, 0], *ends, strict=True)
        return [np.array([[x, low], [x, high]]) for x, low, high in lines]

    def _labels(self, pixels: Any) -> Iterator[Floats]:
        """Yield points along the labels on these axes."""
        for label in self._picture.layout.get("annotations", ()):
            if {ref: label.get(ref, ref[0]) for ref in self.refs} != self.refs:
                continue
            shift = np.array([label.get(f"{axis}shift", 0.0) for axis in "xy"])
            place = np.array([label["x"], label["y"]], dtype=np.float64)
            at = pixels(place) + shift
            rows = re.sub("<(?!br)[^>]*>", "", label["text"]).split("<br>")
            anchor = {"left": 0.0, "right": 1.0}.get(label.get("xanchor"), 0.5)
            for row, text in enumerate(rows):
                middle = LINE_HEIGHT * ((len(rows) - 1) / 2.0 - row)
                yield at + _row(-anchor * LETTER * len(text), text) + [0.0, middle]


def _cost(
    way: tuple[int, int],
    mark: Floats,
    letters: int,
    size: Floats,
    room: Floats,
    ink: Floats,
    solid: Floats,
) -> float:
    """Return the cost of a placement: the drawing hidden by the words, marks and labels
    hidden by their arrow, and the part of the words outside axes of this size, or
    outside the figure with this room around them, all in pixels."""
    half = np.array([LETTER * letters, LINE]) / 2.0
    middle = mark + way + np.array([_side(way[0]) * half[0], 0.0])
    beyond = np.stack([half - middle, middle + half - size])
    under = (np.abs(ink - middle) <= half).all(axis=1)
    away = solid[:, None] - mark - SHAFT * way
    crossed = np.hypot(*away.T).min(axis=0, initial=LINE) < LINE / 2.0
    longer = max(abs(way[1]) - UP[0], 0) / 1.5
    hidden = NEAR * (under.sum() + CROSSED * crossed.sum())
    cut = CUT * np.maximum(beyond - room, 0.0).sum()
    return float((BEYOND * np.maximum(beyond, 0.0)).sum() + cut + hidden + longer)


def _row(start: float, text: str) -> Floats:
    """Return points along a row of text that begins at an offset to the right of a
    place, above and below its middle."""
    across = np.arange(start, start + LETTER * len(text), NEAR)
    rows = [np.stack([across, across * 0.0 + up], axis=1) for up in (-LETTER, LETTER)]
    return np.concatenate(rows)


def _beside(trace: Mapping[str, Any], at: Floats) -> list[Floats]:
    """Return points along the texts left or right of a trace's marks at these
    pixels."""
    texts = trace.get("text", ())
    shown = "text" in trace.get("mode", "") and np.ndim(texts) == 1
    if not shown or len(texts) != len(at):
        return []
    places = np.broadcast_to(trace.get("textposition", "middle center"), len(texts))
    rows = []
    for point, text, place in zip(at, texts, places, strict=True):
        if place.endswith("right"):
            rows.append(point + _row(GAP, text))
        elif place.endswith("left"):
            rows.append(point + _row(-GAP - LETTER * len(text), text))
    return rows


def _side(across: int) -> int:
    """Return the side of an arrow's beginning on which its words stand: 1 right, -1
    left, 0 both."""
    return int(np.sign(across)) if abs(across) == FAR else 0


def _axes_of(trace: Mapping[str, Any]) -> dict[str, str]:
    return {f"{axis}ref": trace.get(f"{axis}axis", axis) for axis in "xy"}


def _apart(trace: Mapping[str, Any]) -> bool:
    """Whether a trace has marks that no line joins."""
    return "lines" not in trace.get("mode", "")


def _along(trace: Mapping[str, Any], corners: Floats) -> Floats:
    """Return points along the lines of a trace, in pixels; without lines, each of its
    marks counts as `MARK` points."""
    if _apart(trace) or len(corners) < 2:
        return np.repeat(corners, MARK, axis=0)
    steps = np.hypot(*np.diff(corners, axis=0).T)
    far = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.arange(0.0, far[-1], NEAR)
    return np.stack([np.interp(at, far, corners[:, axis]) for axis in (0, 1)], axis=1)
