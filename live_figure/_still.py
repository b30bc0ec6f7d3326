"""A still picture of a figure, as SVG that fills the available width.

It takes the place of the figure until the browser has loaded plotly.js, and is drawn
from the same traces and layout. It has curves, markers, bars, cells, texts and axes;
contour lines and labels on bars and cells appear with the figure, and figures of other
kinds, such as 3D or polar ones, have no picture. Positions are percentages of the plot,
because the server does not know its width.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape
from itertools import groupby, pairwise
from typing import Any

from live_figure._axes import Axis, values

Place = tuple[float, float]
Trace = Mapping[str, Any]
# A value that an axis must include, its padding in pixels, and whether it has a margin.
Reach = tuple[Any, float, bool]

DRAWN = {"scatter", "bar", "heatmap", "contour"}
# Size of a plot in units of its curves; a unit is a small fraction of a pixel.
UNITS = 10_000
MOST_MARKS, MOST_POINTS = 400, 2000
LINE, GAP, TICK, TITLE = 1.3, 3, 6, {"size": 14}
SYMBOLS = {
    "square": "M-1-1H1V1H-1Z",
    "diamond": "M0-1.3L1.3 0L0 1.3L-1.3 0Z",
    "triangle-up": "M-1.15.6L0-1.2L1.15.6Z",
    "triangle-down": "M-1.15-.6L0 1.2L1.15-.6Z",
    "triangle-left": "M.6-1.15L-1.2 0L.6 1.15Z",
    "triangle-right": "M-.6-1.15L1.2 0L-.6 1.15Z",
    "line-ns": "M0-1.4V1.4",
    "x": "M-1-.4L-.4-1L0-.5L.4-1L1-.4L.5 0L1 .4L.4 1L0 .5L-.4 1L-1 .4L-.5 0Z",
}
DASHES = {"dot": (1, 1), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1)}
ANCHORS = {"left": "start", "right": "end"}
# Named colour scales of plotly.js, at equal steps from 0 to 1.
SCALES = {
    "Cividis": [
        "00204c", "002a66", "00346e", "273f6c", "3c4a6b", "4c556b",
        "5b5f6d", "686a70", "757575", "838178", "928c78", "a19876",
        "b0a572", "c0b16d", "d1bf66", "e1cc5c", "f3db4f", "ffe945",
    ],
}  # fmt: skip
FULL = {"width": "100%", "height": "100%"}


def still(data: Sequence[Trace], layout: Mapping[str, Any]) -> str:
    """Return the picture of a figure as HTML; empty if it cannot be drawn.

    Parameters
    ----------
    data, layout
        As for plotly.js.
    """
    plane = {"xaxis", "yaxis", "height", "margin"} <= layout.keys()
    if not plane or not {trace["type"] for trace in data} <= DRAWN:
        return ""
    try:
        return _Still(data, layout).html()
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # Only the browser can draw this trace, which appears with the live figure.
        return ""


class _Still:
    def __init__(self, data: Sequence[Trace], layout: Mapping[str, Any]) -> None:
        self.data, self.layout = data, layout
        self.axes: dict[str, Axis] = {}
        for name, settings in layout.items():
            if re.fullmatch("[xy]axis[0-9]*", name):
                axis = name.replace("axis", "")
                self.axes[axis] = Axis(name, settings, self._reach(axis))

    def html(self) -> str:
        """Return the whole picture."""
        height, margin = self.layout["height"], self.layout["margin"]
        left, right, top, bottom = (margin[side] for side in "lrtb")
        x, y = self.axes["x"], self.axes["y"]
        drawn, tall = self._drawn(), f"{height}px"
        upright = "".join(self._axis(a) for a in self.axes.values() if a.vertical)
        flat = "".join(self._axis(a) for a in self.axes.values() if not a.vertical)
        if "scaleanchor" in {*x.layout, *y.layout}:
            # With equal scales on both axes, the plot must not be higher than wide.
            tall = f"min({tall},calc(100cqw - {left + right - top - bottom}px))"
            inner = height - top - bottom
            wide = inner * abs((x.high - x.low) / (y.high - y.low))
            square = x.layout.get("constrain") == "domain"
            within = (upright if square else "") + flat + drawn
            view = {"viewBox": f"0 0 {wide:.5g} {inner}", "overflow": "visible"}
            drawn = ("" if square else upright) + _tag("svg", within, **FULL, **view)
        else:
            drawn = upright + flat + drawn
        font = self.layout.get("font", {})
        box = f"left:{left}px;top:{top}px;width:calc(100% - {left + right}px)"
        plot = _tag(
            "svg",
            drawn,
            style=f"position:absolute;overflow:visible;{box};"
            f"height:calc(100% - {top + bottom}px)",
            font_size=font.get("size", 12),
            fill=font.get("color", "currentColor"),
        )
        frame = _tag("div", plot, style=f"position:relative;height:{tall}")
        return _tag("div", frame, style="container-type:inline-size")

    def _drawn(self) -> str:
        """Return the content between the axes, from back to front."""
        shapes = self.layout.get("shapes", ())
        below = [shape.get("layer") == "below" for shape in shapes]
        kinds = {"heatmap": self._cells, "bar": self._bars, "scatter": self._scatter}
        return "".join([
            *(self._shape(s) for s, b in zip(shapes, below, strict=True) if b),
            *(draw(t) for kind, draw in kinds.items() for t in self.data
              if t["type"] == kind),
            *(self._shape(s) for s, b in zip(shapes, below, strict=True) if not b),
            *map(self._note, self.layout.get("annotations", ())),
        ])  # fmt: skip

    def _axes_of(self, trace: Trace) -> tuple[Axis, Axis]:
        return self.axes[trace.get("xaxis", "x")], self.axes[trace.get("yaxis", "y")]

    # Room that traces need on their axes.

    def _reach(self, axis: str) -> list[Reach]:
        letter, reach = axis[0], list[Reach]()
        for trace in self.data:
            if trace.get(f"{letter}axis", letter) != axis:
                continue
            if trace["type"] == "bar":
                reach += self._reach_of_bars(trace, letter)
            elif letter in trace:
                bare = trace.get("mode", "lines") == "lines"
                row = values(trace[letter])
                sizes = _each(trace.get("marker", {}).get("size"), len(row))
                reach += [
                    (
                        v,
                        0 if bare else max((size or 6) / 2, 3),
                        letter == "y" or not bare,
                    )
                    for v, size in zip(row, sizes, strict=False)
                ]
        return reach

    def _reach_of_bars(self, trace: Trace, letter: str) -> list[Reach]:
        places = values(trace[_across(trace)])
        if letter != _across(trace):
            return [(0.0, 0, False), *((v, 0, True) for v in values(trace[letter]))]
        if any(isinstance(place, str) for place in places):
            return [(place, 0, True) for place in places]
        widths = self._widths(trace, places)
        both = zip(places, widths, strict=True)
        return [(v + side * w, 0, False) for v, w in both for side in (-0.5, 0.5)]

    def _widths(self, trace: Trace, places: Sequence[float]) -> list[float]:
        if trace.get("width") is not None:
            return _each(trace["width"], len(places))
        apart = sorted(set(places))
        steps = [b - a for a, b in pairwise(apart)]
        width = (1 - self.layout.get("bargap", 0.2)) * min(steps, default=1.0)
        return [width] * len(places)

    # Axes with grid lines.

    def _axis(self, axis: Axis) -> str:
        layout = axis.layout
        if layout.get("visible") is False:
            return ""
        cross = "x" if axis.vertical else "y"
        begin, end = self.axes.get(layout.get("anchor", cross), self.axes[cross]).ends()
        far = layout.get("side") in ("right", "top")
        edge, out = (end if far == axis.vertical else begin), 1 if far else -1
        if not axis.vertical:
            out = -out
        parts = [_line(axis, edge, edge, axis.ends(), layout.get("linecolor"))]
        if layout.get("zeroline") and axis.low < 0 < axis.high:
            at = axis.share(0)
            parts.append(_line(axis, begin, end, (at, at), layout.get("zerolinecolor")))
        drawn = layout.get("ticks", "outside" if "tickcolor" in layout else "")
        gap, lines = GAP + TICK * bool(drawn), 1
        for at, text in axis.ticks():
            if layout.get("showgrid", True):
                colour = layout.get("gridcolor", "#eee")
                parts.append(_line(axis, begin, end, (at, at), colour))
            if layout.get("showticklabels", True):
                font = layout.get("tickfont", {})
                lines = max(lines, 1 + text.count("<br>"))
                parts.append(_beside(axis, text, edge, at, out * gap, font))
        title, middle = layout.get("title", {}).get("text"), sum(axis.ends()) / 2
        if title and axis.vertical:
            words = _words(title, (0, 0), ("center", "middle"), (0, 0), TITLE)
            turned = _tag("g", words, transform=f"translate({out * 48} 0) rotate(-90)")
            where = {"x": _percent(edge), "y": _percent(middle)}
            parts.append(_tag("svg", turned, overflow="visible", **where))
        elif title:
            below = 27 + (lines - 1) * LINE * 12
            parts.append(_beside(axis, title, edge, middle, out * below, TITLE))
        return "".join(parts)

    # Traces.

    def _places(self, trace: Trace) -> list[Place]:
        x, y = self._axes_of(trace)
        both = zip(values(trace["x"]), values(trace["y"]), strict=False)
        return [(x.at(a), y.at(b)) for a, b in both]

    def _scatter(self, trace: Trace) -> str:
        places, mode = self._places(trace), trace.get("mode", "lines")
        parts = [self._curve(trace, places, "lines" in mode)]
        if "markers" in mode:
            parts.append(_marks(trace, places))
        if "text" in mode:
            parts.append(_texts(trace, places))
        return _tag("g", "".join(parts), opacity=trace.get("opacity"))

    def _curve(self, trace: Trace, places: list[Place], shown: bool) -> str:
        line, width = trace.get("line", {}), trace.get("line", {}).get("width", 2)
        if line.get("shape") == "hv":
            steps = pairwise(places)
            corners = [at for a, b in steps for at in (a, (b[0], a[1]))]
            places = [*corners, *places[-1:]]
        parts = ""
        if trace.get("fill"):
            area = _path([*places, *self._back(trace, places)], closed=True)
            parts += _tag("path", d=area, fill=trace.get("fillcolor", "none"))
        if shown:
            dash = _dashes(line.get("dash", "solid"), width)
            parts += _tag(
                "path", d=_path(places), fill="none", stroke=line.get("color"),
                stroke_width=width, stroke_linejoin="round", stroke_dasharray=dash,
                vector_effect="non-scaling-stroke",
            )  # fmt: skip
        (left, right), (top, foot) = (axis.ends() for axis in self._axes_of(trace))
        box = [left, top, right - left, foot - top]
        return parts and _tag(
            "svg", parts, **_box(*box), preserveAspectRatio="none",
            viewBox=" ".join(f"{UNITS * number:.0f}" for number in box),
            overflow="hidden" if trace.get("cliponaxis", True) else "visible",
        )  # fmt: skip

    def _back(self, trace: Trace, places: Sequence[Place]) -> list[Place]:
        """Return the other edge of a filled area, starting at its end."""
        if trace["fill"] == "tozeroy" and places:
            foot = self._axes_of(trace)[1].at(0)
            return [(places[-1][0], foot), (places[0][0], foot)]
        if trace["fill"] != "tonexty":
            return []
        axes = self._axes_of(trace)
        before = self.data[: next(i for i, t in enumerate(self.data) if t is trace)]
        there = [t for t in before if self._axes_of(t) == axes]
        return self._places(there[-1])[::-1] if there else []

    def _bars(self, trace: Trace) -> str:
        lies, marker = _across(trace) == "y", trace.get("marker", {})
        along, across = self._axes_of(trace)[:: 1 if lies else -1]
        places = [across.number(v) for v in values(trace[_across(trace)])]
        columns = zip(
            places,
            self._widths(trace, places),
            _each(trace.get("base", 0), len(places)),
            values(trace["x" if lies else "y"]),
            _each(marker.get("color"), len(places)),
            strict=False,
        )
        edge, parts = marker.get("line", {}).get("color"), []
        for place, width, base, length, colour in columns:
            sides = [across.share(place + side * width) for side in (-0.5, 0.5)]
            ends = [along.at(base), along.at(None if length is None else base + length)]
            parts.append(_rectangle(*(ends, sides) if lies else (sides, ends), colour))
        stroke = edge if isinstance(edge, str) else None
        return _tag("g", "".join(parts), opacity=trace.get("opacity"), stroke=stroke)

    def _cells(self, trace: Trace) -> str:
        rows = values(trace["z"])
        names = trace.get("x", range(len(rows[0]))), trace.get("y", range(len(rows)))
        columns, lines = (
            [[axis.share(end) for end in ends] for ends in _edges(axis, values(row))]
            for axis, row in zip(self._axes_of(trace), names, strict=True)
        )
        low, high = trace.get("zmin", 0), trace.get("zmax", 1)
        cells = [
            _rectangle(
                across, down, _colour(trace["colorscale"], (z - low) / (high - low))
            )
            for down, row in zip(lines, rows, strict=False)
            for across, z in zip(columns, row, strict=False)
            if z is not None and math.isfinite(z)
        ]
        return _tag("g", "".join(cells), opacity=trace.get("opacity"))

    # Shapes and annotations.

    def _at(self, part: Mapping[str, Any], letter: str, end: str = "") -> float:
        reference, value = part.get(f"{letter}ref", letter), part[f"{letter}{end}"]
        if reference in self.axes:
            return self.axes[reference].at(value)
        return 1 - float(value) if letter == "y" else float(value)

    def _shape(self, shape: Mapping[str, Any]) -> str:
        if shape["type"] not in ("line", "rect"):
            return ""
        line = shape.get("line", {})
        width = line.get("width", 2)
        look = {
            "stroke": line.get("color"),
            "stroke_width": width,
            "stroke_dasharray": _dashes(line.get("dash", "solid"), width),
            "opacity": shape.get("opacity"),
        }
        across, down = ([self._at(shape, a, end) for end in "01"] for a in "xy")
        if shape["type"] == "rect":
            drawn = _rectangle(across, down, shape.get("fillcolor", "none"), **look)
        else:
            names = zip(("x1", "x2", "y1", "y2"), (*across, *down), strict=True)
            drawn = _tag("line", **{k: _percent(v) for k, v in names}, **look)
        beyond = "paper" in (shape.get("xref"), shape.get("yref"))
        return drawn if beyond else _tag("svg", drawn, **FULL)

    def _note(self, note: Mapping[str, Any]) -> str:
        if note.get("axref"):
            return ""
        place = self._at(note, "x"), self._at(note, "y")
        anchors = note.get("xanchor", "center"), note.get("yanchor", "middle")
        shift = note.get("xshift", 0), -note.get("yshift", 0)
        return _words(note["text"], place, anchors, shift, note.get("font", {}))


def _tag(name: str, content: str = "", **attributes: Any) -> str:
    """Return an element; ``_`` in the names of attributes stands for ``-``."""
    written = "".join(
        f' {key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>"


def _percent(share: float) -> str:
    return f"{100 * share:.5g}%"


def _box(left: float, top: float, width: float, height: float) -> dict[str, str]:
    sides = {"x": left, "y": top, "width": width, "height": height}
    return {name: _percent(share) for name, share in sides.items()}


def _rectangle(
    across: Sequence[float], down: Sequence[float], fill: str | None, **look: Any
) -> str:
    (left, right), (top, foot) = sorted(across), sorted(down)
    if not fill or not math.isfinite(left + right + top + foot):
        return ""
    return _tag("rect", fill=fill, **_box(left, top, right - left, foot - top), **look)


def _line(axis: Axis, begin: float, end: float, along: Place, colour: Any) -> str:
    """Return a line from ``begin`` to ``end`` perpendicular to an axis, and over
    ``along`` in its direction."""
    across = (begin, end)
    (x1, x2), (y1, y2) = (across, along) if axis.vertical else (along, across)
    ends = {"x1": x1, "x2": x2, "y1": y1, "y2": y2}
    return _tag("line", **{k: _percent(v) for k, v in ends.items()}, stroke=colour)


def _beside(
    axis: Axis, text: str, edge: float, at: float, out: float, font: Mapping[str, Any]
) -> str:
    """Return text some pixels outside the edge of a plot."""
    if axis.vertical:
        anchors = "right" if out < 0 else "left", "middle"
        return _words(text, (edge, at), anchors, (out, 0), font)
    anchors = "center", "bottom" if out < 0 else "top"
    return _words(text, (at, edge), anchors, (0, out), font)


def _across(trace: Trace) -> str:
    """Return the axis along which bars are side by side."""
    return "y" if trace.get("orientation") == "h" else "x"


def _each(value: Any, count: int) -> list[Any]:
    """Return one value per point, from a single value or an array."""
    one = isinstance(value, str | int | float | None)
    return [value] * count if one else values(value)


def _edges(axis: Axis, names: Sequence[Any]) -> list[Place]:
    """Return the beginning and the end of each cell of a row, in units of its axis."""
    places = [axis.number(name) for name in names]
    steps = [b - a for a, b in pairwise(places)] or [1.0]
    before, after = [steps[0], *steps], [*steps, steps[-1]]
    rows = zip(places, before, after, strict=False)
    return [(at - low / 2, at + high / 2) for at, low, high in rows]


def _colour(scale: Any, share: float) -> str | None:
    """Return the colour at a fraction of a scale, interpolated between its stops."""
    if isinstance(scale, str) and scale in SCALES:
        last = len(SCALES[scale]) - 1
        scale = [(i / last, f"#{colour}") for i, colour in enumerate(SCALES[scale])]
    if not isinstance(scale, list):
        return None
    share = min(max(share, 0.0), 1.0)
    pairs = pairwise(scale)
    (begin, one), (end, other) = next(pair for pair in pairs if share <= pair[1][0])
    part = 100 * (share - begin) / (end - begin)
    return f"color-mix(in srgb, {other} {part:.4g}%, {one})"


def _dashes(dash: str, width: float) -> str | None:
    if dash in DASHES:
        return " ".join(f"{part * max(width, 3):g}" for part in DASHES[dash])
    return None if dash == "solid" else dash.replace("px", "")


def _is_there(place: Place) -> bool:
    return math.isfinite(place[0] + place[1])


def _path(places: Iterable[Place], closed: bool = False) -> str:
    """Return a path through positions, interrupted at missing ones."""
    runs = [list(run) for there, run in groupby(places, _is_there) if there]
    parts = []
    for run in runs:
        few = _few(run, max(2, MOST_POINTS // len(runs)))
        points = (f"{x * UNITS:.0f} {y * UNITS:.0f}" for x, y in few)
        parts.append("M" + "L".join(point for point, _ in groupby(points)))
    return "".join(part + "Z" * closed for part in parts)


def _few(row: list[Any], most: int) -> list[Any]:
    """Return at most this many items, at equal steps."""
    return row[:: math.ceil(len(row) / most) or 1]


def _marks(trace: Trace, places: Sequence[Place]) -> str:
    marker, count = trace.get("marker", {}), len(places)
    line, (low, high) = marker.get("line", {}), (marker.get("cmin"), marker.get("cmax"))
    colours = [
        _colour(marker.get("colorscale"), (colour - low) / (high - low))
        if isinstance(colour, int | float) and None not in (low, high)
        else colour
        for colour in _each(marker.get("color"), count)
    ]
    columns = (
        _each(marker.get("size", 6), count),
        _each(marker.get("symbol", "circle"), count),
        colours,
        _each(marker.get("opacity"), count),
        _each(line.get("width", 0), count),
        _each(line.get("color"), count),
    )
    rows = list(zip(places, *columns, strict=False))
    rows = _few(rows, marker.get("maxdisplayed") or MOST_MARKS)
    return "".join(_mark(*row) for row in rows if _is_there(row[0]))


def _mark(
    place: Place,
    size: float | None,
    symbol: str,
    colour: str | None,
    opacity: float | None,
    width: float,
    edge: str | None,
) -> str:
    x, y = map(_percent, place)
    radius, name = (size or 0) / 2, str(symbol).removesuffix("-open")
    look: dict[str, Any] = {"fill": colour, "stroke": edge if width else None}
    look |= {"stroke_width": width, "opacity": opacity}
    if name != symbol:
        look |= {"fill": "none", "stroke": colour, "stroke_width": width or 1}
    if name not in SYMBOLS:
        return _tag("circle", cx=x, cy=y, r=f"{radius:g}", **look)
    sized = {"transform": f"scale({radius:g})", "vector_effect": "non-scaling-stroke"}
    path = _tag("path", d=SYMBOLS[name], **sized, **look)
    return _tag("svg", path, x=x, y=y, overflow="visible")


def _texts(trace: Trace, places: Sequence[Place]) -> str:
    font, marker, count = (
        trace.get("textfont", {}),
        trace.get("marker", {}),
        len(places),
    )
    columns = zip(
        places,
        _each(trace.get("text"), count),
        _each(trace.get("textposition", "middle center"), count),
        _each(font.get("color"), count),
        _each(font.get("size"), count),
        _each(marker.get("size", 0), count),
        strict=False,
    )
    parts = []
    for place, text, position, colour, letters, size in columns:
        if text and _is_there(place):
            level, side = position.split()
            # Text to the right of a point is aligned at its left edge, and so on.
            swapped = {
                "left": "right",
                "right": "left",
                "top": "bottom",
                "bottom": "top",
            }
            anchors = swapped.get(side, side), swapped.get(level, level)
            out = {"left": -1, "right": 1, "top": -1, "bottom": 1}
            far = (size or 0) / 2 + 2
            shift = out.get(side, 0) * far, out.get(level, 0) * far
            look = {"color": colour, "size": letters}
            parts.append(_words(str(text), place, anchors, shift, look))
    return "".join(parts)


def _words(
    text: str,
    place: Place,
    anchors: tuple[str, str],
    shift: Place,
    font: Mapping[str, Any],
) -> str:
    """Return text at a position, with Plotly's tags for line breaks and bold."""
    if not _is_there(place):
        return ""
    size, lines = font.get("size") or 12, text.split("<br>")
    tall = (len(lines) - 1) * LINE * size
    levels = {"top": 0.9 * size, "bottom": -tall - 0.25 * size}
    first = levels.get(anchors[1], 0.35 * size - tall / 2) + shift[1]
    x, y = map(_percent, place)
    heavy = re.fullmatch("<b>((?!<b>).)*</b>", text)
    return "".join(
        _tag(
            "text", escape(unescape(re.sub("<[^>]*>", "", line))), x=x, y=y,
            dx=f"{shift[0]:.4g}", dy=f"{first + number * LINE * size:.4g}",
            text_anchor=ANCHORS.get(anchors[0], "middle"), fill=font.get("color"),
            font_size=font.get("size"),
            font_weight="bold" if heavy or "<b>" in line else None,
        )
        for number, line in enumerate(lines)
    )  # fmt: skip
