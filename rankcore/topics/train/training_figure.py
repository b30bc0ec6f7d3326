"""The picture of a training run: the measure above the objective.

It is drawn ten times a second while a run goes on.
"""

from collections.abc import Sequence
from html import escape, unescape
from operator import itemgetter
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture
from rankcore.topics.train.bands import MeanInterval
from rankcore.topics.train.curves import Axis, Curve, RunCurves, together

HEIGHT = 446
# The shortest range of a measure's axis.
SHORTEST_AXIS = 0.06
MEASURE_DOMAIN = (0.36, 1.0)
OBJECTIVE_DOMAIN = (0.0, 0.25)
FONT = "Source Sans, sans-serif"
# Characters of a line that fit into the right margin beside pinned runs.
LONGEST_LINE = 18
NAME_MARGIN, PINNED_MARGIN = 84, 132
# Smallest distance, as a share of the axis.
TICK_LABEL_WIDTH = 0.3
TICK_LABEL_BELOW = 22
AXES: dict[Axis, str] = {
    "iteration": "iteration",
    "seconds": "training time (seconds)",
}
DASHES = {"training": "solid", "validation": "dash", "objective": "solid"}


class Drawn(NamedTuple):
    """A run to draw.

    Attributes
    ----------
    colour : str
        As ``#rrggbb``.
    label : str
        Name at the end of a pinned run; empty for the run itself.
    band : MeanInterval or None
        Shaded around the curve that chose its model.
    marker : str
        A Plotly symbol on the curve of a pinned run; empty for none.
    """

    curves: RunCurves
    colour: str
    label: str = ""
    band: MeanInterval | None = None
    marker: str = ""


def run_figure(
    run: Drawn,
    pinned: Sequence[Drawn] = (),
    palette: Palette = LIGHT,
    at: float | None = None,
) -> Picture:
    """Draw a run: its measure above, its objective below, over one axis.

    Training is solid, validation dashed, and pinned runs are faint. A ring marks the
    best record, and a tick each change of a hyperparameter, with old and new value.
    Bands are shaded, and lines have names at their ends.

    Parameters
    ----------
    run : Drawn
        Its curves, from `rankcore.topics.train.curves.run_curves`, name and colour.
    pinned : sequence of Drawn
        Runs to compare it with, each by the curve that chose its model.
    palette : Palette
        The light or the dark theme.
    at : float, optional
        An iteration (or second) to mark with a vertical line.
    """
    curves = run.curves
    faint = [
        _line(other.curves.measured[-1], other, "y", faint=True)
        for other in pinned
        if other.curves.measured
    ]
    strong = [_line(curve, run, "y") for curve in curves.measured]
    has_records = len(curves.objective.x) > 0
    below = [_line(curves.objective, run, "y2")] if has_records else []
    bands = [
        draw.area_between(each.band.x, each.band.low, each.band.high, each.colour)
        for each in (*pinned, run)
        if each.band is not None
    ]
    marked = [*_ring(run, palette), *_ticks(run, palette)]
    traces = [*bands, *faint, *strong, *below, *marked]
    domain = MEASURE_DOMAIN if has_records else (0.0, 1.0)
    measured = _pixels([*bands, *faint, *strong], domain, SHORTEST_AXIS)
    layout = _layout(curves, palette)
    if has_records:
        layout["xaxis"]["autorangeoptions"] = {"clipmax": _end([*faint, *strong])}
        layout["yaxis"]["autorangeoptions"] = {"include": _shortest([*faint, *strong])}
    layout["margin"]["r"] = PINNED_MARGIN if pinned else NAME_MARGIN
    layout["annotations"] = [
        *_labels([*faint, *strong], measured, palette),
        *_labels(below, _pixels(below, OBJECTIVE_DOMAIN), palette),
        *_changes(run, measured, palette),
    ]
    if at is not None:
        layout["shapes"] = [draw.vline(at, palette.secondary, 1)]
    return Picture(traces, layout)


def _end(traces: Sequence[dict[str, Any]]) -> float:
    """Return the end of the longest line, or 1 if all end at 0."""
    return max((float(line["x"][-1]) for line in traces), default=0.0) or 1.0


def _shortest(traces: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of a measure's axis, long enough that a change of 0.01 does not
    fill the figure."""
    values = np.concatenate([line["y"] for line in traces])
    middle = (float(np.nanmin(values)) + float(np.nanmax(values))) / 2.0
    return [middle - SHORTEST_AXIS / 2.0, middle + SHORTEST_AXIS / 2.0]


def _line(
    curve: Curve, run: Drawn, axis: str, *, faint: bool = False
) -> dict[str, Any]:
    name = run.label if faint else curve.name
    line = draw.lines(
        curve.x.astype(np.float32),
        curve.y.astype(np.float32),
        run.colour,
        1.5 if faint else 2.2,
        hover=f"{escape(name)}: %{{y:.3~r}}",
        line={"dash": DASHES[curve.name]},
        name=escape(name),
        yaxis=axis,
        opacity=0.5 if faint else 1.0,
    )
    return draw.marked(line, run.marker if faint else "")


def _ring(run: Drawn, palette: Palette) -> list[dict[str, Any]]:
    if run.curves.best is None:
        return []
    iteration, value = run.curves.best
    return [
        draw.marks(
            [iteration],
            [value],
            draw.outlined(11, palette.background, run.colour, 2, symbol="circle"),
            cliponaxis=False,
        )
    ]


def _ticks(run: Drawn, palette: Palette) -> list[dict[str, Any]]:
    ticks = run.curves.ticks
    if not ticks:
        return []
    return [
        draw.marks(
            [tick.x for tick in ticks],
            [tick.y for tick in ticks],
            {
                "symbol": "line-ns",
                "size": 16,
                "line": {"width": 2, "color": palette.ink},
            },
            "%{customdata}",
            customdata=[escape(tick.text) for tick in ticks],
            name="changes",
        )
    ]


def _changes(run: Drawn, pixels: float, palette: Palette) -> list[dict[str, Any]]:
    """Return labels below the ticks, away from the nearer edge and from each other;
    nearby changes of one hyperparameter share a label."""
    end = draw.span(run.curves.objective.x)
    near, below = TICK_LABEL_WIDTH * end, TICK_LABEL_BELOW / pixels
    labels = []
    for tick in together(run.curves.ticks, near):
        third = min(int(3.0 * tick.x / end), 2)
        style = {"xanchor": ("left", "center", "right")[third],
                 "bgcolor": faded(palette.background, 0.7)}  # fmt: skip
        text, y = escape(tick.text), tick.y - below
        label = draw.note(text, tick.x, y, palette.ink, 11, **style)
        labels.append((tick.x - near * third / 2.0, label))
    overlapping: list[list[dict[str, Any]]] = []
    free = -np.inf
    for begin, label in sorted(labels, key=itemgetter(0)):
        if begin >= free:
            overlapping.append([])
        overlapping[-1].append(label)
        free = max(free, begin + near)
    return [label for each in overlapping for label in draw.place_labels(each, pixels)]


def _pixels(
    traces: Sequence[dict[str, Any]], domain: tuple[float, float], shortest: float = 0.0
) -> float:
    """Return the height of one unit of the axis of these traces."""
    height = max(draw.span(*(line["y"] for line in traces)), shortest)
    return (HEIGHT - 54) * (domain[1] - domain[0]) / 1.1 / height


def _labels(
    traces: Sequence[dict[str, Any]], pixels: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return the names at the ends of lines, moved apart if they would overlap."""
    names = [
        draw.end_name(
            f"<b>{_wrapped(line['name'])}</b>",
            line["x"][-1],
            line["y"][-1],
            palette.readable(line["line"]["color"]),
            yref=line["yaxis"],
            xshift=6,
            align="left",
        )
        for line in traces
    ]
    return draw.place_labels(names, pixels)


def _wrapped(name: str) -> str:
    """Return the name of a line, broken to fit beside its end."""
    return "<br>".join(map(escape, wrap(unescape(name), LONGEST_LINE)))


def _layout(curves: RunCurves, palette: Palette) -> dict[str, Any]:
    iterations = draw.axis(palette, AXES[curves.over])
    measure = draw.axis(palette, curves.measure)
    if not curves.measured:
        iterations["range"], measure["range"] = [0, 100], [0, 1]
    layout = plain(palette) | {
        "height": HEIGHT,
        "margin": {"l": 58, "t": 12, "b": 42},
        "hovermode": "x",
        "xaxis": iterations | {"showgrid": False, "rangemode": "tozero"},
        "yaxis": measure | {"tickformat": ".2f"},
    }
    # Before a run has started, the measure takes the full height.
    if len(curves.objective.x):
        layout["xaxis"]["anchor"] = "y2"
        layout["yaxis"]["domain"] = MEASURE_DOMAIN
        layout["yaxis2"] = draw.axis(palette, "objective") | {
            "domain": OBJECTIVE_DOMAIN, "anchor": "x", "nticks": 4,
        }  # fmt: skip
    return layout


def plain(palette: Palette) -> dict[str, Any]:
    """Return the layout that the pictures of a run share."""
    return {
        "template": "none",
        "paper_bgcolor": palette.background,
        "plot_bgcolor": palette.background,
        "showlegend": False,
        "font": {
            "family": FONT,
            "size": 12,
            "color": palette.secondary,
        },
        "hoverlabel": {
            "bgcolor": palette.panel,
            "font": {"color": palette.ink, "family": FONT},
        },
    }
