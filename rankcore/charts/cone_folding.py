"""Pictures of folding-in by three rules, and of where each of them ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import (
    Picture,
    end_name,
    hline,
    layout,
    lines,
    marks,
    note,
    place_labels,
)
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.cone_claims import FoldingPath

Floats = NDArray[np.float64]

HEIGHT = 300
RULE_NAMES = {"exact": "exact", "eg": "EG", "sg": "SG, as printed"}


def segment_figure(
    curve: tuple[Floats, Floats],
    paths: Mapping[str, FoldingPath],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the squared distance along the weights of two vectors, and where each rule
    of folding-in ends.

    Parameters
    ----------
    curve : tuple of two (t,) float64
        The first vector's weight, and the squared distance.
    paths : dict of str to FoldingPath
    palette : Palette
    """
    x, y = curve
    inks = _rule_colours(palette)
    hover = "w₁ = %{x:.3f}: %{y:.4f}"
    traces = [
        lines(x, y, palette.ink, hover=hover, name="squared distance"),
        *(_end(rule, path, inks[rule]) for rule, path in paths.items()),
    ]
    exact = paths["exact"]
    low, high = _near([float(path.weights[-1, 0]) for path in paths.values()])
    inside = y[(x >= low - 0.005) & (x <= high + 0.005)]
    pad = max(float(np.ptp(inside)) * 0.1, 1e-6)
    figure = layout(
        palette, "weight w₁ (w₂ = 1 − w₁)", "squared distance", height=HEIGHT
    )
    figure["xaxis"] |= {"range": [low, high]}
    figure["yaxis"] |= {"range": [float(inside.min()) - pad, float(inside.max()) + pad]}
    figure["annotations"] = [
        note(
            f"<b>{name}</b>",
            paths[rule].weights[-1, 0],
            paths[rule].values[-1],
            palette.readable(inks[rule]),
            13,
            **place,
        )
        for rule, name, place in (
            ("exact", "exact and EG", {"yshift": 34, "xshift": 0}),
            ("sg", RULE_NAMES["sg"], {"yshift": -14, "xshift": 66}),
        )
        if rule in paths
    ]
    figure["shapes"] = [hline(float(exact.values[-1]), palette.secondary)]
    return Picture(traces, figure)


def excess_figure(
    paths: Mapping[str, FoldingPath], palette: Palette = LIGHT
) -> Picture:
    """Draw by how much the squared distance exceeds the best one, step after step.

    Parameters
    ----------
    paths : dict of str to FoldingPath
        With ``"exact"``, from which the best one is taken.
    palette : Palette
    """
    exact, inks = paths["exact"], _rule_colours(palette)
    traces = [
        lines(
            path.steps,
            np.maximum(path.values - float(exact.values[-1]), 1e-12),
            inks[rule],
            hover=f"{RULE_NAMES[rule]}, %{{x}} steps: %{{y:.3g}} too much",
            name=RULE_NAMES[rule],
        )
        | {"mode": "lines+markers", "marker": {"color": inks[rule], "size": 5}}
        for rule, path in paths.items()
        if rule != "exact"
    ]
    figure = layout(
        palette, "steps (log scale)", "above the best (log scale)", height=HEIGHT
    )
    figure["margin"]["r"] = 108
    powers = {"type": "log", "exponentformat": "power"}
    longest = float(np.log10(exact.steps[-1]))
    figure["xaxis"] |= powers | {"dtick": 1, "range": [-0.2, longest + 0.2]}
    figure["yaxis"] |= powers | {"dtick": 3, "range": [-12.6, 0.6]}
    names = [
        end_name(
            f"<b>{trace['name']}</b>",
            np.log10(trace["x"][-1]),
            np.log10(trace["y"][-1]),
            palette.readable(trace["line"]["color"]),
            13,
        )
        for trace in traces
    ]
    figure["annotations"] = place_labels(names, 240 / 13.0)
    return Picture(traces, figure)


def _end(rule: str, path: FoldingPath, colour: str) -> dict[str, Any]:
    """Where a rule comes to rest."""
    exact = rule == "exact"
    marker = {
        "color": colour,
        "size": 18 if exact else 10,
        "symbol": "circle-open" if exact else "circle",
        "line": {"width": 2},
    }
    name = RULE_NAMES[rule]
    hover = f"{name}: w₁ = %{{x:.6f}}, %{{y:.6f}}"
    return marks(
        [float(path.weights[-1, 0])],
        [float(path.values[-1])],
        marker,
        hover,
        name=name,
    )


def _near(weights: Sequence[float]) -> tuple[float, float]:
    """A range of the weight that holds where the rules end, and little more."""
    middle, half = float(np.mean(weights)), max(float(np.ptp(weights)) * 3.0, 0.04)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _rule_colours(palette: Palette) -> dict[str, str]:
    return {"exact": palette.ink, "eg": palette.runs[2], "sg": palette.runs[1]}
