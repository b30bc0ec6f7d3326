"""Pictures of folding-in by three rules, and of their end points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.cones.claims import FoldingPath
from rankcore.topics.cones.cone_figure import vector_name

HEIGHT = 380
RULE_NAMES = {"exact": "exact", "eg": "EG", "sg": "SG, as printed"}


def segment_figure(
    curve: tuple[Floats, Floats],
    paths: Mapping[str, FoldingPath],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the squared distance along the weights of two vectors, and the end points of
    folding-in rules.

    Parameters
    ----------
    curve : tuple of two (t,) float64
        The first vector's weight, and the squared distance.
    paths : dict of str to FoldingPath
    """
    x, y = curve
    inks = _rule_colours(palette)
    hover = "w₁ = %{x:.3f}: %{y:.3f}"
    traces = [
        draw.lines(x, y, palette.ink, hover=hover, name="squared distance"),
        *(_end(rule, path, inks[rule]) for rule, path in paths.items()),
    ]
    exact = paths["exact"]
    low, high = _near([float(path.weights[-1, 0]) for path in paths.values()])
    inside = y[(x >= low - 0.005) & (x <= high + 0.005)]
    pad = max(float(np.ptp(inside)) * 0.1, 1e-6)
    figure = draw.layout(
        palette, "weight w₁ (w₂ = 1 − w₁)", "squared distance", height=HEIGHT
    )
    figure["xaxis"] |= {"range": [low, high]}
    figure["yaxis"] |= {"range": [float(inside.min()) - pad, float(inside.max()) + pad]}
    figure["annotations"] = [
        draw.note(
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
    figure["shapes"] = [draw.hline(float(exact.values[-1]), palette.secondary)]
    over = (f"{name} {by:.3g} above it" for name, by in _excess(paths).items())
    alt = f"The exact rule ends at the optimum, {', '.join(over)}."
    return Picture(traces, figure, alt, {"weight w₁": x, "squared distance": y})


def rules_table(paths: Mapping[str, FoldingPath]) -> list[dict[str, str]]:
    """Return the end of each rule, one row per rule."""
    return [_row(rule, path) for rule, path in paths.items()]


def _row(rule: str, path: FoldingPath) -> dict[str, str]:
    weights = enumerate(path.weights[-1])
    return {
        "rule": RULE_NAMES[rule],
        "steps": "until solved" if rule == "exact" else f"{path.steps[-1]:,}",
        **{f"w{vector_name(k)[1:]}": f"{weight:.3g}" for k, weight in weights},
        "squared distance": f"{path.values[-1]:.3g}",
        "slopes": "({})".format(", ".join(f"{s + 0.0:.3g}" for s in path.slopes)),
    }


def _excess(paths: Mapping[str, FoldingPath]) -> dict[str, float]:
    """Return the excess over the best squared distance of each inexact rule."""
    best = paths["exact"].values[-1]
    return {
        RULE_NAMES[rule]: abs(float(path.values[-1] - best))
        for rule, path in paths.items()
        if rule != "exact"
    }


def excess_figure(
    paths: Mapping[str, FoldingPath], palette: Palette = LIGHT
) -> Picture:
    """Draw the excess of the squared distance over the best one, step by step.

    Parameters
    ----------
    paths : dict of str to FoldingPath
        Paths by rule, with ``"exact"``, which gives the best value.
    """
    exact, inks = paths["exact"], _rule_colours(palette)
    traces = [
        draw.lines(
            path.steps,
            np.maximum(path.values - float(exact.values[-1]), 1e-12),
            inks[rule],
            hover=f"{RULE_NAMES[rule]}, %{{x}} steps: excess %{{y:.3g}}",
            name=RULE_NAMES[rule],
        )
        | {"mode": "lines+markers", "marker": {"color": inks[rule], "size": 5}}
        for rule, path in paths.items()
        if rule != "exact"
    ]
    figure = draw.layout(
        palette, "steps (log scale)", "excess (log scale)", height=HEIGHT
    )
    figure["margin"]["r"] = 108
    powers = {"type": "log", "exponentformat": "power"}
    longest = float(np.log10(exact.steps[-1]))
    figure["xaxis"] |= powers | {"dtick": 1, "range": [-0.2, longest + 0.2]}
    figure["yaxis"] |= powers | {"dtick": 3, "range": [-12.6, 0.6]}
    names = [
        draw.end_name(
            f"<b>{trace['name']}</b>",
            np.log10(trace["x"][-1]),
            np.log10(trace["y"][-1]),
            palette.readable(trace["line"]["color"]),
            13,
        )
        for trace in traces
    ]
    figure["annotations"] = draw.place_labels(names, (HEIGHT - 60) / 13.0)
    over = (f"{name} ends {by:.3g}" for name, by in _excess(paths).items())
    table = {
        f"{RULE_NAMES[rule]} − exact": path.values - exact.values[-1]
        for rule, path in paths.items()
        if rule != "exact"
    }
    steps = {"steps": next(p.steps for r, p in paths.items() if r != "exact")}
    return Picture(
        traces, figure, f"{', '.join(over)} above the optimum.", steps | table
    )


def _end(rule: str, path: FoldingPath, colour: str) -> dict[str, Any]:
    """Return the end point of a rule."""
    exact = rule == "exact"
    marker = {
        "color": colour,
        "size": 18 if exact else 10,
        "symbol": "circle-open" if exact else "circle",
        "line": {"width": 2},
    }
    name = RULE_NAMES[rule]
    hover = f"{name}: w₁ = %{{x:.3g}}, %{{y:.3g}}"
    return draw.marks(
        [float(path.weights[-1, 0])],
        [float(path.values[-1])],
        marker,
        hover,
        name=name,
    )


def _near(weights: Sequence[float]) -> tuple[float, float]:
    """Return a narrow range of the weight that contains the rules' end points."""
    middle, half = float(np.mean(weights)), max(float(np.ptp(weights)) * 3.0, 0.04)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _rule_colours(palette: Palette) -> dict[str, str]:
    return {"exact": palette.ink, "eg": palette.runs[2], "sg": palette.runs[1]}
