"""Pictures of the errors of smooth measures: cutoffs, sharpness, training."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import three_digits
from rankcore.plot import style as draw
from rankcore.plot.numbers import subscript
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.approximation.approximate_list import SharpnessSweep, Truncation
from rankcore.topics.approximation.bounds import PositionErrors
from rankcore.topics.approximation.list_figure import document_names, label_marker

# Errors below this cannot be distinguished from rounding.
FLOOR = 1e-12
TIES_HEIGHT = 390


def truncation_figure(
    truncation: Truncation,
    positions: PositionErrors,
    labels: Sequence[int],
    cutoff: int,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the step at a cutoff, its logistic, and the documents on it."""
    n = len(labels)
    edge = min(cutoff, n) + (0.5 if cutoff < n else 0.0)
    step = draw.lines(
        [0.5, edge, edge, n + 0.5] if cutoff < n else [0.5, n + 0.5],
        [1, 1, 0, 0] if cutoff < n else [1, 1],
        palette.ink,
        1.5,
        name="step",
    )
    logistic = draw.lines(
        truncation.x.astype(np.float32),
        truncation.logistic.astype(np.float32),
        palette.runs[0],
        hover="position %{x:.2f}: %{y:.3f}",
        name="logistic",
    )
    half = np.abs(truncation.smooth - truncation.counted) > 0.05
    dots = draw.marks(
        positions.soft,
        truncation.smooth,
        label_marker(labels, palette, 11),
        hover="%{hovertext} at %{x:.3f} counts %{y:.3f}",
        mode="markers+text",
        name="documents",
        text=[f"x{subscript(i)}" if far else "" for i, far in enumerate(half, 1)],
        textposition="middle right",
        textfont={"color": palette.ink},
        hovertext=[f"x{subscript(i)}" for i in range(1, n + 1)],
        cliponaxis=False,
    )
    figure = draw.layout(palette, "position", "counts", height=230)
    figure["xaxis"] |= {"range": [0.4, n + 0.6], "dtick": max(1, n // 6), "tick0": 1}
    figure["yaxis"] |= {"range": [-0.06, 1.08], "tickvals": [0, 0.5, 1]}
    off = float(np.abs(truncation.smooth - truncation.counted).max())
    alt = f"Logistic and step at {cutoff} differ by at most {off:.3f} for any document."
    table = {
        "document": document_names(n),
        "position": positions.exact,
        "counts": truncation.counted,
        "approximated position": positions.soft,
        "counts approximately": truncation.smooth,
    }
    return Picture([step, logistic, dots], figure, alt, table)


def sweep_figure(
    sweep: SharpnessSweep, alpha: float, measured: bool = True, palette: Palette = LIGHT
) -> Picture:
    """Draw errors against the sharpness as dots, and the bounds on them as thin lines.

    Parameters
    ----------
    alpha : float
        The selected sharpness.
    measured : bool
        Whether to draw the measure besides the positions.
    """
    pairs = [("position", sweep.position_error, sweep.position_bound, 1)]
    if measured:
        pairs.append((sweep.name, sweep.error, sweep.bound, 0))
    traces: list[dict[str, Any]] = []
    notes = []
    for name, error, bound, colour in pairs:
        shade = palette.runs[colour]
        traces.append(_line(sweep.alphas, bound, f"bound of {name}", shade))
        traces.append(_dots(sweep.alphas, error, f"error of {name}", shade))
        notes += _end_names(sweep.alphas, error, bound, name, palette.readable(shade))
    shown = np.concatenate([trace["y"] for trace in traces])
    shown = shown[np.isfinite(shown)]
    low = float(np.log10(max(shown.min(initial=1.0), FLOOR)))
    high = float(np.log10(shown.max(initial=1.0)))
    figure = draw.layout(palette, "sharpness α", "error", height=280)
    figure["margin"]["r"] = 96
    figure["xaxis"] |= {"type": "log", "range": _ends(sweep.alphas), "dtick": 1}
    figure["yaxis"] |= {
        "type": "log",
        "range": [max(low, -12.0) - 0.2, high + 0.25],
        "exponentformat": "power",
        "dtick": 2 if high - low > 5 else 1,
    }
    span = high - max(low, -12.0) + 0.45
    figure["annotations"] = draw.place_labels(notes, (280 - 54) / span)
    figure["shapes"] = [draw.vline(alpha, palette.primary)]
    name, error, *_ = pairs[-1]
    alt = (
        f"The error of {name} goes from {three_digits(error[0])} at "
        f"α = {sweep.alphas[0]:g} to {three_digits(error[-1])} at "
        f"α = {sweep.alphas[-1]:g}."
    )
    table = {"α": sweep.alphas}
    for name, error, bound, _ in reversed(pairs):
        table |= {f"error of {name}": error, f"bound of {name}": bound}
    if measured:
        table["largest force"] = sweep.largest
    return Picture(traces, figure, alt, table)


def centre_figure(
    gammas: Floats, whole: Floats, real: Floats, palette: Palette = LIGHT
) -> Picture:
    """Draw the worst error of a cutoff's logistic against its centre."""
    traces: list[dict[str, Any]] = []
    notes = []
    for name, y, colour in (
        ("whole positions", whole, palette.runs[0]),
        ("any position", real, palette.runs[1]),
    ):
        traces.append(
            draw.lines(
                gammas.astype(np.float32),
                y.astype(np.float32),
                colour,
                hover="γ = %{x:.2f}: %{y:.3f}",
                name=name,
            )
        )
        ink = palette.readable(colour)
        notes.append(
            draw.end_name(f"<b>{name}</b>", gammas[-1], y[-1], ink, 11, xshift=6)
        )
    best = np.array([np.argmin(whole), np.argmin(real)])
    lowest = np.array([whole.min(), real.min()])
    traces.append(
        draw.marks(
            gammas[best],
            lowest,
            draw.outlined(10, palette.background, palette.ink, 2),
            hover="smallest: γ = %{x:.2f}, %{y:.3f}",
            name="smallest",
            cliponaxis=False,
        )
    )
    figure = draw.layout(
        palette, "γ: the centre is at k + γ", "worst error", height=280
    )
    figure["margin"]["r"] = 110
    figure["yaxis"]["range"] = [-0.03, 1.03]
    figure["annotations"] = notes
    alt = (
        f"The worst error is smallest at γ = {gammas[best[0]]:g} for whole positions, "
        f"{lowest[0]:.3f}, and at γ = {gammas[best[1]]:g} for any position, "
        f"{lowest[1]:.3f}."
    )
    return Picture(traces, figure, alt, {"γ": gammas, "whole": whole, "any": real})


def ties_figure(
    rules: Mapping[str, Floats], labels: Sequence[int], palette: Palette = LIGHT
) -> Picture:
    """Draw the positions of the same documents under several rules for ties.

    Documents at one position share a mark, with their names beside it.
    """
    n = len(labels)
    names = [f"x{subscript(i)}" for i in range(1, n + 1)]
    shapes = ("circle", "circle-open", "diamond-open")
    traces = []
    for place, (rule, positions) in enumerate(rules.items()):
        traces.append(
            draw.marks(
                positions,
                np.full(n, float(place)),
                {
                    "size": 18,
                    "symbol": shapes[place % len(shapes)],
                    "color": palette.runs[place % len(palette.runs)],
                    "line": {"width": 2},
                },
                hover=f"%{{hovertext}} at %{{x:g}}, {rule}",
                name=rule,
                mode="markers+text",
                text=_at_one_position(positions, names),
                hovertext=names,
                textposition="top center",
                textfont={"size": 14},
                cliponaxis=False,
            )
        )
    figure = draw.layout(palette, "position", "", height=TIES_HEIGHT)
    figure["xaxis"] |= {"range": [0.5, n + 0.5], "dtick": 1, "showgrid": True}
    figure["yaxis"] |= {
        "title": {"text": ""},
        "range": [len(rules) - 0.5, -0.5],
        "tickvals": list(range(len(rules))),
        "ticktext": list(rules),
        "fixedrange": True,
    }
    places = (
        f"{rule}: {', '.join(f'{position:g}' for position in positions)}"
        for rule, positions in rules.items()
    )
    alt = f"Positions of {n} documents by rule. {'; '.join(places)}."
    return Picture(traces, figure, alt, {"document": document_names(n), **rules})


def _at_one_position(positions: Floats, names: Sequence[str]) -> list[str]:
    """Return the names of all documents at a position, at the first of them; empty at
    others."""
    together: dict[float, list[str]] = {}
    for position, name in zip(positions.tolist(), names, strict=True):
        together.setdefault(position, []).append(name)
    return [", ".join(together.pop(position, [])) for position in positions.tolist()]


def _line(x: Floats, y: Floats, name: str, colour: str) -> dict[str, Any]:
    return draw.lines(
        x,
        np.where(np.isfinite(y) & (y > FLOOR), y, np.nan),
        colour,
        1.2,
        hover=f"{name}: %{{y:.3g}}",
        name=name,
    )


def _dots(x: Floats, y: Floats, name: str, colour: str) -> dict[str, Any]:
    return draw.marks(
        x,
        np.where(y > FLOOR, y, np.nan),
        {"size": 6, "color": colour},
        hover=f"α = %{{x:.3g}}, {name}: %{{y:.3g}}",
        name=name,
    )


def _end_names(
    x: Floats, error: Floats, bound: Floats, name: str, ink: str
) -> list[dict[str, Any]]:
    """Names at the right ends of the dots and of the line above them."""
    notes = []
    for what, y in ((name, error), (f"{name}, bound", bound)):
        places = np.flatnonzero(np.isfinite(y) & (y > FLOOR))
        if len(places):
            at = int(places[-1])
            place = np.log10(x[at]), np.log10(y[at])
            notes.append(draw.end_name(f"<b>{what}</b>", *place, ink, 11, xshift=6))
    return notes


def _ends(alphas: Floats) -> list[float]:
    return [float(np.log10(alphas[0])), float(np.log10(alphas[-1]))]
