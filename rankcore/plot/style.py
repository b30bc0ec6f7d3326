"""Pictures, their layout, and the traces and labels that all figures share."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcore.plot.palette import Palette, faded, shade

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Plotly reads integers of at most four bytes.
NARROWER = {"int64": "int32", "uint64": "uint32", "float16": "float32"}

HEIGHT = 240
LINE_HEIGHT = 15
# Smallest share of its height that a plot keeps on a projector, where type is larger.
LOWEST = 0.5
# Properties of annotations in pixels; those of an arrow's tail only if it is on no
# axis.
IN_PIXELS = ("xshift", "yshift", "standoff", "borderpad")
TAILS = {"ax": "axref", "ay": "ayref"}
# Number of marks along a curve.
MOST_MARKS = 8
# Size of a mark on a projector in pixels, and the most marks in a trace with that size.
SMALLEST_MARK = 8.0
MANY_MARKS = 200
# Transition to the next state of a film, shorter than the time a state is shown.
GLIDE = {"duration": 300, "easing": "cubic-in-out"}
NAMES_ABOVE = {
    "showlegend": True,
    "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
}

# Columns by name, as a mapping or a DataFrame, or one mapping per row.
Table = Mapping[str, Any] | Sequence[Mapping[str, Any]]


class Picture(NamedTuple):
    """A figure in Plotly's form, its text alternative and its numbers, in one value.

    Attributes
    ----------
    data : list of dict
        Traces. Points of a trace with ``meta`` ``{"drag": "x"}``, ``"y"`` or ``"xy"``
        can be dragged in that direction in the app, or moved by keys; they are named by
        their texts or by ``names`` in the ``meta``.
    alt : str
        Text alternative: what the figure shows, as a sentence.
    table : mapping, sequence of mappings or DataFrame, or a function, optional
        The numbers drawn: columns by name, rows that are mappings, or a function
        without parameters that returns them; `numbers` calls it when they are read.

    Examples
    --------
    In a notebook, ``labels_figure([5, 3]).figure()`` shows itself.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]
    alt: str = ""
    table: Callable[[], Table] | Table | None = None

    def described(
        self, alt: str, table: Callable[[], Table] | Table | None = None
    ) -> "Picture":
        """Return a copy with this text alternative and this table.

        The parameters are the attributes of the same names; without ``table``, the
        picture's own table stays.
        """
        return self._replace(alt=alt, table=self.table if table is None else table)

    def numbers(self) -> Table | None:
        """Return the table, computed now if it is a function; None if there is none."""
        return self.table() if callable(self.table) else self.table

    def figure(self) -> "go.Figure":
        """Return the picture as a Plotly figure, which is checked and shows itself.

        Raises
        ------
        ValueError
            If Plotly does not know a property, or its value.
        """
        import plotly.graph_objects as go

        return go.Figure(data=self.data, layout=self.layout)

    def larger(self, factor: float) -> "Picture":
        """Return a copy with type, margins and height ``factor`` times as large.

        For a projector: marks have at least 8 pixels unless there are many.
        """
        layout = _larger_type(self.layout, factor)
        for name in ("height", "margin"):
            if name in layout:
                layout[name] = _times(layout[name], factor)
        if "annotations" in layout:
            layout["annotations"] = _apart(layout["annotations"], factor)
        data = [_visible_marks(_larger_type(trace, factor)) for trace in self.data]
        return self._replace(data=data, layout=layout)


def packed(value: Any) -> Any:
    """Arrays in the binary form that plotly.js reads, at any depth."""
    # Most arrays are such, and figures are packed at every run of a page.
    if value is None or type(value) in (str, float, int, bool):
        return value
    if isinstance(value, Mapping):
        return {name: packed(part) for name, part in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        numbers = value.astype(NARROWER.get(value.dtype.name, value.dtype), copy=False)
        shape = {"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {}
        binary = b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")
        return {"dtype": numbers.dtype.str[1:], "bdata": binary} | shape
    if isinstance(value, list | tuple):
        return [packed(part) for part in value]
    return listed(value)


def listed(value: Any) -> Any:
    """Arrays as lists, so that a browser can move their points."""
    if isinstance(value, Mapping):
        return {name: listed(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def layout(palette: Palette, x: str, y: str, height: int = HEIGHT) -> dict[str, Any]:
    """Return the layout of a figure with two axes, named ``x`` and ``y``.

    Ticks and titles of usual length fit its margins. Otherwise Plotly widens a margin
    and draws everything a second time.
    """
    return {
        "template": "none",
        "height": height,
        "margin": {"l": 68, "r": 12, "t": 16, "b": 52},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {
            "family": "Source Sans, sans-serif",
            "size": 12,
            "color": palette.secondary,
        },
        "showlegend": False,
        "dragmode": False,
        "bargap": 0.15,
        "hoverlabel": {"bgcolor": palette.panel, "font": {"color": palette.ink}},
        "xaxis": axis(palette, x) | {"showgrid": False},
        "yaxis": axis(palette, y),
    }


def axis(palette: Palette, title: str) -> dict[str, Any]:
    """Return a thin axis with at most six grid lines."""
    return {
        "title": {"text": title, "standoff": 6},
        "gridcolor": palette.line,
        "linecolor": palette.line,
        "tickcolor": palette.line,
        "zeroline": False,
        "nticks": 6,
        "automargin": True,
    }


def axis_number(place: int) -> str:
    """Return the suffix of "x" or "xaxis" for one of several axes, counted from 0."""
    return str(place + 1) if place else ""


def stacked_axes(
    figure: dict[str, Any],
    titles: Sequence[str],
    domains: Sequence[Sequence[float]],
    palette: Palette,
) -> None:
    """Give a layout several stacked vertical axes over one horizontal axis.

    Parameters
    ----------
    figure : dict
        From `layout`; changes.
    titles : sequence of k str
        From the top down.
    domains : sequence of k pairs
        The ends of each axis, as shares of the height.
    """
    figure["xaxis"]["anchor"] = f"y{axis_number(len(titles) - 1)}"
    for place, (title, domain) in enumerate(zip(titles, domains, strict=True)):
        figure[f"yaxis{axis_number(place)}"] = axis(palette, title) | {"domain": domain}


def lines(
    x: Any, y: Any, colour: str, width: float = 2, hover: str = "", **details: Any
) -> dict[str, Any]:
    """Return a trace of lines.

    Parameters
    ----------
    x, y : sequence
    width : float
        In pixels.
    hover : str
        Plotly's template of the hover text; empty for none.
    **details
        Other properties of the trace, such as ``name``; those of ``line`` are added to
        colour and width.
    """
    line = {"color": colour, "width": width, **details.pop("line", {})}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": line,
        **_hover_text(hover),
        **details,
    }


def in_lines(title: str, longest: int) -> str:
    """Return a title in lines of about this many letters; each part between commas
    starts a new line."""
    parts = [wrap(part, longest, break_long_words=False) for part in title.split(", ")]
    return "<br>".join(line for part in parts for line in part)


def marks(
    x: Any, y: Any, marker: dict[str, Any], hover: str = "", **details: Any
) -> dict[str, Any]:
    """Return a trace of marks; the parameters are as for `lines`."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": marker,
        **_hover_text(hover),
        **details,
    }


def outlined(
    size: Any, colour: Any, edge: Any, width: Any = 1, **details: Any
) -> dict[str, Any]:
    """Return a marker for `marks` with an outline, sizes in pixels; ``details`` are
    other properties, such as ``symbol``."""
    line = {"color": edge, "width": width}
    return {"size": size, "color": colour, "line": line, **details}


def marked(curve: dict[str, Any], symbol: str) -> dict[str, Any]:
    """Return a trace of lines with a few marks on it; unchanged without a symbol."""
    if not symbol:
        return curve
    marker = {
        "symbol": symbol,
        "size": 8,
        "color": curve["line"]["color"],
        "maxdisplayed": MOST_MARKS,
    }
    return curve | {"mode": "lines+markers", "marker": marker, "cliponaxis": False}


def bars(
    x: Any, y: Any, marker: dict[str, Any], hover: str = "", **details: Any
) -> dict[str, Any]:
    """Return a trace of bars; the parameters are as for `lines`."""
    return (
        {"type": "bar", "x": x, "y": y, "marker": marker} | _hover_text(hover) | details
    )


def cells(
    z: np.ndarray,
    ends: tuple[float, float],
    colours: Sequence[str],
    palette: Palette,
    texts: Sequence[Sequence[str]] | None = None,
    **details: Any,
) -> dict[str, Any]:
    """Return a trace of coloured cells, with text that is readable on each colour.

    Parameters
    ----------
    z : (m, k) array
        NaN where there is no cell.
    ends : (low, high)
        The ends of the colour scale.
    colours : sequence of str
        Colours at equal distances on the scale.
    texts : m rows of k, optional
    **details
        Other properties of the Plotly trace.
    """
    low, high = ends
    steps = np.linspace(0.0, 1.0, len(colours)).tolist()
    trace = {
        "type": "heatmap",
        "z": z,
        "zmin": low,
        "zmax": high,
        "colorscale": [list(stop) for stop in zip(steps, colours, strict=True)],
        "showscale": False,
        "hoverongaps": False,
        **details,
    }
    if texts is not None:
        shares = ((np.asarray(z, np.float64) - low) / (high - low)).tolist()
        trace["texttemplate"] = "%{text}"
        trace["text"] = [
            [
                text
                and f'<span style="color:{palette.on(shade(colours, share))}">'
                f"{text}</span>"
                for text, share in zip(*row, strict=True)
            ]
            for row in zip(texts, shares, strict=True)
        ]
    return trace


def joined(begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return a coordinate of separate lines in one trace: their ends, a gap after
    each."""
    gap = np.full(len(begins), np.nan)
    return np.stack([begins, ends, gap], axis=1).ravel()


def note(
    text: str, x: float, y: float, colour: str, size: int = 12, **place: Any
) -> dict[str, Any]:
    """Text at a point; ``place`` has other properties of it, such as ``yref``."""
    return {
        "text": text,
        "x": float(x),
        "y": float(y),
        "showarrow": False,
        "font": {"size": size, "color": colour},
        **place,
    }


def above(text: str, margin: int, palette: Palette) -> dict[str, Any]:
    """Small lines of text above a plot, beginning ``margin`` pixels to its left."""
    return note(
        text, 0.0, 1.0, palette.secondary, 11, xref="paper", yref="paper",
        xanchor="left", yanchor="bottom", align="left", xshift=-margin, yshift=3,
    )  # fmt: skip


def end_name(
    text: str, x: float, y: float, colour: str, size: int = 12, **place: Any
) -> dict[str, Any]:
    """Return the name of a line, to the right of its end; the parameters are
    `note`'s."""
    return note(text, x, y, colour, size, **{"xanchor": "left", "xshift": 8, **place})


def end_names(
    ends: Mapping[str, tuple[float, str]],
    palette: Palette,
    pixels: float,
    x: float = 1.0,
    size: int = 12,
    within: tuple[float, float] | None = None,
    **place: Any,
) -> list[dict[str, Any]]:
    """Return the names of several lines, to the right of their ends, without overlap.

    Parameters
    ----------
    ends : mapping of str to (float, str)
        The height at which each line ends, and its colour, by name.
    pixels : float
        The height of one unit of their axis.
    x : float
        End of the lines: 1, the right border of the plot, unless ``place`` has
        another ``xref`` than ``"paper"``.
    within : (low, high), optional
        The range of their axis, within which all names stay.
    **place
        As for `note`.
    """
    names = [
        end_name(
            f"<b>{name}</b>",
            x,
            height,
            palette.readable(colour),
            size,
            **{"xref": "paper", **place},
        )
        for name, (height, colour) in ends.items()
    ]
    return place_labels(names, pixels, within)


def place_labels(
    labels: Sequence[dict[str, Any]],
    pixels: float,
    within: tuple[float, float] | None = None,
    line: float = LINE_HEIGHT,
) -> list[dict[str, Any]]:
    """Move labels up or down if they would overlap, or leave their axis.

    Parameters
    ----------
    labels : sequence of dict
        Annotations, as from `end_name`.
    pixels : float
        The height of one unit of their axis.
    within : (low, high), optional
        The range of that axis, if known.
    line : float
        The height of a line, in pixels.
    """
    wanted = np.nan_to_num(np.array([label["y"] for label in labels]) * pixels)
    low, high = (end * pixels for end in within or (-np.inf, np.inf))
    sizes = np.array([1 + label["text"].count("<br>") for label in labels])
    placed = separate_labels(wanted, line * sizes, low, high)
    shifts = placed - wanted
    return [
        label | {"yshift": float(shift), "name": f"{pixels:.4g}"}
        for label, shift in zip(labels, shifts, strict=True)
    ]


def separate_labels(
    wanted: np.ndarray, sizes: np.ndarray, low: float = -np.inf, high: float = np.inf
) -> np.ndarray:
    """Heights of labels of these ``sizes``, all in pixels, without overlap, between
    ``low`` and ``high``, in the same order and near ``wanted``. Without room for all,
    they continue below ``low``."""
    if not len(wanted):
        return wanted
    order = np.argsort(wanted, kind="stable")
    sizes = sizes[order]
    steps = np.cumsum(sizes) - sizes / 2.0
    raised = np.maximum.accumulate(wanted[order] - steps) + steps
    near = raised - (raised - wanted[order]).mean()
    above = np.maximum(near, low + steps)
    placed = np.empty_like(wanted)
    placed[order] = np.minimum(above, high - (sizes.sum() - steps))
    return placed


def shortened(name: str, longest: int) -> str:
    """Return a name cut to at most ``longest`` characters."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def short_names(names: Iterable[str], longest: int) -> list[str]:
    """Names in one picture, cut to at most ``longest`` characters.

    They are cut in the middle, as similar feature names differ in their ends, and all
    at the place where most of them stay distinct.
    """

    def cut(name: str, tail: int) -> str:
        begin, end = name[: longest - 1 - tail].rstrip(), name[-tail:].lstrip()
        return name if len(name) <= longest else f"{begin}…{end}"

    words = list(names)
    tails = sorted(range(1, longest - 1), key=lambda tail: abs(2 * tail - longest))
    ways = ([cut(name, tail) for name in words] for tail in tails)
    return max(ways, key=lambda way: len(set(way)))


def span(*values: Any) -> float:
    """Distance from the smallest to the largest finite number; at least 1e-9."""
    numbers = np.concatenate([np.ravel(each) for each in (*values, [])])
    numbers = numbers[np.isfinite(numbers)]
    return max(float(np.ptp(numbers)), 1e-9) if numbers.size else 1e-9


def area_between(x: Any, low: Any, high: Any, colour: str) -> dict[str, Any]:
    """Return a trace that shades the area between two curves over ``x`` (m,)."""
    there_and_back = np.concatenate([x, x[::-1]]).astype(np.float32)
    ends = np.concatenate([high, low[::-1]]).astype(np.float32)
    edge = lines(there_and_back, ends, colour, 0, name="band")
    return edge | {"fill": "toself", "fillcolor": faded(colour, 0.16)}


def padded_range(share: float, *values: Any) -> list[float]:
    """Return the range of numbers, extended on both sides by a ``share`` of its
    length."""
    low = min(float(np.min(each)) for each in values)
    high = max(float(np.max(each)) for each in values)
    room = share * ((high - low) or 1.0)
    return [low - room, high + room]


def segment(
    begin: Iterable[float],
    end: Iterable[float],
    colour: str,
    width: float = 1,
    dash: str = "",
    **details: Any,
) -> dict[str, Any]:
    """Return a shape that is a line between two points (x, y); ``details`` are further
    properties, such as ``layer``."""
    line = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
    (x0, y0), (x1, y1) = begin, end
    ends = {"x0": x0, "y0": y0, "x1": x1, "y1": y1}
    return {"type": "line", **ends, "line": line, **details}


def vline(
    x: float, colour: str, width: float = 1.5, dash: str = "dot"
) -> dict[str, Any]:
    """Return a line across the height of the figure, below its traces."""
    ends = (x, 0), (x, 1)
    return segment(*ends, colour, width, dash, yref="paper", layer="below")


def hline(y: float, colour: str, width: float = 1, dash: str = "dot") -> dict[str, Any]:
    """Return a line across the width of the figure."""
    return segment((0, y), (1, y), colour, width, dash, xref="paper")


def hband(low: float, high: float, colour: str) -> dict[str, Any]:
    """Return a band across the width of the figure, below its traces."""
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": low,
        "y1": high,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": colour,
    }


def _hover_text(hover: str) -> dict[str, str]:
    return (
        {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    )


def _larger_type(part: Any, factor: float) -> Any:
    """Return a part of a picture with every font enlarged."""
    if isinstance(part, list):
        return [_larger_type(child, factor) for child in part]
    if not isinstance(part, dict):
        return part
    return {
        name: child | {"size": _times(child["size"], factor)}
        if name.endswith("font") and isinstance(child, dict) and "size" in child
        else _larger_type(child, factor)
        for name, child in part.items()
    }


def _apart(labels: Sequence[dict[str, Any]], factor: float) -> list[dict[str, Any]]:
    """Return annotations with larger offsets in pixels; those of `place_labels` are
    placed again, so that they do not overlap in a lower plot."""
    larger = [_further(label, factor) for label in labels]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for at, label in enumerate(larger):
        if "name" in label:
            group = *(label.get(key) for key in ("x", "xref", "yref")), label["name"]
            groups.setdefault(group, []).append(at)
    for (*_, pixels), places in groups.items():
        lower, line = LOWEST * float(pixels), LINE_HEIGHT * factor
        placed = place_labels([larger[at] for at in places], lower, None, line)
        for at, label in zip(places, placed, strict=True):
            larger[at] = label
    return larger


def _further(label: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return an annotation with larger offsets in pixels."""
    tails = {tail for tail, ref in TAILS.items() if label.get(ref, "pixel") == "pixel"}
    return {
        name: _times(value, factor) if name in (*IN_PIXELS, *tails) else value
        for name, value in label.items()
    }


def _visible_marks(trace: Any) -> Any:
    """Return a trace whose marks are large enough for a projector, unless it has many
    or they are the close dots of a line."""
    size = trace.get("marker", {}).get("size")
    apart = "lines" not in trace.get("mode", "lines")
    if size is None or not apart or np.size(trace.get("x", ())) > MANY_MARKS:
        return trace
    # In 3D Plotly draws marks larger than specified, most where all are alike.
    space = trace.get("type") == "scatter3d"
    smallest = SMALLEST_MARK / (
        1.0 if not space else 3.0 if np.ndim(size) == 0 else 1.5
    )
    larger = np.maximum(size, smallest).tolist()
    return trace | {"marker": trace["marker"] | {"size": larger}}


def _times(size: Any, factor: float) -> Any:
    """Return one or several sizes, multiplied by a factor."""
    if isinstance(size, dict):
        return {name: _times(child, factor) for name, child in size.items()}
    if isinstance(size, list | tuple):
        return [_times(child, factor) for child in size]
    return size if isinstance(size, bool) else round(size * factor)
