"""Pictures of learning from clicks: quality against sessions, and examination."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankcore.base.numbers import percent
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.clicks.curves import ClickCurves, CurvePlan, Moving, SessionCurve
from rankcore.topics.clicks.examination import ExaminationEstimate
from rankcore.topics.clicks.learning import MEASURE

HEIGHT = 440
FULL, NAIVE, WEIGHTED = "full information", "naive", "weighted"
TICKS = (1, 2, 5, 10, 20, 50, 100)
PERCENTS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def colour(method: str, palette: Palette) -> str:
    """Return the colour of a learning method."""
    colours = {NAIVE: palette.runs[1], WEIGHTED: palette.runs[0]}
    return colours.get(method, palette.runs[2])


def _axes(plan: CurvePlan, palette: Palette) -> dict[str, Any]:
    """Return the layout of the curves."""
    measured = f"{plan.part} {MEASURE}"
    ends = np.log10(np.array([plan.numbers[0], plan.numbers[-1]]))
    figure = draw.layout(palette, "sessions (log scale)", measured, height=HEIGHT)
    figure["margin"]["r"] = 116
    figure["xaxis"] |= {
        "type": "log",
        "range": [float(ends[0]) - 0.04, float(ends[1]) + 0.04],
        "dtick": 1,
        "tickformat": ",d",
    }
    figure["yaxis"]["tickformat"] = ".2f"
    return figure


def waiting_figure(plan: CurvePlan, palette: Palette = LIGHT) -> Picture:
    """Draw the axes of the curves before there are any curves."""
    alt = "No model is trained yet."
    return Picture([], _axes(plan, palette), alt, list[dict[str, Any]])


def curves_figure(
    learnt: ClickCurves,
    plan: CurvePlan,
    palette: Palette = LIGHT,
    moves: Moving | None = None,
) -> Picture:
    """Draw quality against the number of sessions, with full information for reference.

    Parameters
    ----------
    moves : Moving, optional
        Finished models are dots, and the model under way is a ring.
    """
    curves = {NAIVE: learnt.naive, WEIGHTED: learnt.weighted}
    sessions = plan.numbers[0], plan.numbers[-1]
    figure = _axes(plan, palette)
    traces: list[dict[str, Any]] = []
    names = {FULL: (learnt.full, colour(FULL, palette))}
    for name, curve in curves.items():
        if len(curve.mean):
            traces += _curve(name, curve, palette)
            names[name] = float(curve.mean[-1]), colour(name, palette)
    level = np.array(sessions, np.float64), np.full(2, learnt.full)
    hover = f"{FULL}: %{{y:.3f}}"
    traces.append(draw.lines(*level, names[FULL][1], hover=hover, name=FULL))
    heights: list[Any] = [learnt.full]
    heights += [edge for curve in curves.values() for edge in (curve.low, curve.high)]
    pixels = 0.8 * HEIGHT / draw.span(*heights)
    if moves is not None:
        traces += _moving(moves, palette)
        edges = np.concatenate([np.ravel(one) for one in heights])
        reach = 0.06 * draw.span(*heights)
        figure["yaxis"]["range"] = [
            float(edges.min()) - reach, float(edges.max()) + reach
        ]  # fmt: skip
    figure["annotations"] = draw.end_names(names, palette, pixels, xshift=6)
    if learnt.last.sessions < sessions[1]:
        at = float(np.log10(learnt.last.sessions))
        full = draw.end_names({FULL: names.pop(FULL)}, palette, pixels, xshift=6)
        labels = draw.end_names(names, palette, pixels, at, xref="x", xshift=6)
        figure["annotations"] = [*full, *labels]
    shares = " and ".join(
        f"{name} learning {curve.mean[-1]:.3f}"
        for name, curve in curves.items()
        if len(curve.mean)
    )
    alt = (
        f"{plan.part.capitalize()} {MEASURE} with {learnt.last.sessions:,} sessions: "
        f"{shares}; with full information it is {learnt.full:.3f}."
    )
    return Picture(traces, figure, alt, lambda: _rows(curves, learnt.full))


def _moving(moves: Moving, palette: Palette) -> list[dict[str, Any]]:
    """Return dots for models whose number of sessions is incomplete, and a ring for the
    one under way."""
    points = moves.points
    colours = [colour(one.method, palette) for one in points]
    dots = draw.marks(
        [one.sessions for one in points],
        [one.quality for one in points],
        {"color": colours, "size": 5, "opacity": 0.6},
        "%{y:.3f} with %{x:,} sessions",
    )
    shade = colour(moves.now.method, palette)
    ring = {"color": shade, "size": 13, "symbol": "circle-open", "line": {"width": 2.5}}
    place = [moves.now.sessions], [moves.quality]
    return [dots, draw.marks(*place, ring, f"under way, {moves.doing}: %{{y:.3f}}")]


def _curve(name: str, curve: SessionCurve, palette: Palette) -> list[dict[str, Any]]:
    shade = colour(name, palette)
    hover = f"{name}: %{{y:.3f}} with %{{x:,}} sessions"
    return [
        draw.area_between(curve.sessions, curve.low, curve.high, shade),
        draw.lines(
            curve.sessions,
            curve.mean,
            shade,
            2.5,
            hover,
            name=name,
            mode="lines+markers",
            marker={"size": 6, "color": shade},
        ),
    ]


def _rows(curves: dict[str, SessionCurve], full: float) -> list[dict[str, Any]]:
    return [
        {"learning": FULL, "sessions": None, "mean": full, "lowest": full,
         "highest": full},
        *(
            {"learning": name, "sessions": int(n), "mean": mean, "lowest": low,
             "highest": high}
            for name, curve in curves.items()
            for n, mean, low, high in zip(*curve, strict=True)
        ),
    ]  # fmt: skip


def examination_figure(
    estimate: ExaminationEstimate | None,
    curves: Mapping[str, np.ndarray],
    palette: Palette = LIGHT,
    moves: Moving | None = None,
) -> Picture:
    """Draw the examination of positions relative to the first.

    Parameters
    ----------
    estimate : ExaminationEstimate, optional
        Drawn with its 95% intervals.
    curves : mapping of str to (k,) float64
        Other curves by position: ``"true"``, and curves to compare, by name.
    moves : Moving, optional
        The clicks of its sessions are drawn as a dotted line.
    """
    series = [*curves.values()]
    series += [] if estimate is None else [estimate.values, estimate.high]
    positions = np.arange(1, max(map(len, series)) + 1)
    values = np.concatenate(series)
    figure = draw.layout(palette, "position (log scale)", "examination", height=HEIGHT)
    low = max(float(values[values > 0.0].min(initial=1.0)) * 0.7, 1e-4)
    high = max(float(values.max()), 1.0) * 1.25
    figure["xaxis"] |= {
        "type": "log",
        "tickvals": [tick for tick in TICKS if tick <= positions[-1]],
        "range": [-0.05, float(np.log10(positions[-1])) + 0.05],
    }
    figure["yaxis"] |= {
        "type": "log",
        "tickvals": [share for share in PERCENTS if low <= share <= high],
        "tickformat": ",.1~%",
        "range": [float(np.log10(low)), float(np.log10(high))],
    }
    traces: list[dict[str, Any]] = []
    phrases: list[str] = []
    table: dict[str, Any] = {"position": positions}
    for name, row in curves.items():
        hover = f"position %{{x}}, {name}: %{{y:.1%}}"
        shade, dash = (
            (palette.secondary, "solid")
            if name == "true"
            else (palette.runs[1], "dash")
        )
        line = draw.lines(positions[: len(row)], row, shade, hover=hover, name=name)
        traces.append(line | {"line": {**line["line"], "dash": dash}})
        phrases.append(_at_ten(name, row))
        table[name] = _filled(row, len(positions))
    if moves is not None:
        row = np.where(moves.now.clicks > 0.0, moves.now.clicks, np.nan)
        hover = "position %{x}, clicks: %{y:.1%}"
        dotted: Any = {"name": "clicks", "line": {"dash": "dot"}}
        traces.append(
            draw.lines(positions, row, palette.runs[1], hover=hover, **dotted)
        )
    if estimate is not None:
        traces.append(_estimate(estimate, palette))
        phrases.append(_at_ten("estimated", estimate.values))
        parts = zip(("estimate", "lower end", "upper end"), estimate.rows, strict=True)
        table |= {name: _filled(row, len(positions)) for name, row in parts}
    alt = f"Examination relative to position 1: {'; '.join(phrases)}."
    return Picture(traces, figure, alt, table)


def _filled(row: np.ndarray, n: int) -> np.ndarray:
    return np.append(row, np.full(n - len(row), np.nan))


def _at_ten(name: str, row: np.ndarray) -> str:
    position = min(len(row), 10)
    return f"{name} {percent(row[position - 1], 1)} at position {position}"


def _estimate(estimate: ExaminationEstimate, palette: Palette) -> dict[str, Any]:
    shade = palette.runs[0]
    values, low, high = estimate.rows
    return draw.marks(
        np.arange(1, len(values) + 1),
        values,
        {"color": shade, "size": 7},
        "position %{x}, estimated: %{y:.1%}",
        name="estimate",
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - values,
            "arrayminus": values - low,
            "color": shade,
            "thickness": 1.5,
            "width": 3,
        },
    )
