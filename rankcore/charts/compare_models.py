"""Models side by side: coefficients, agreement of rankings, accuracy against cost."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import (
    Picture,
    cells,
    end_name,
    layout,
    lines,
    marks,
    place_labels,
    short_names,
)
from rankcore.charts.compare import styles_of
from rankcore.charts.numbers import decimals
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.comparison import Comparison, Contender

HEIGHT = 430
MOST_FEATURES = 16
ROW_HEIGHT = 21
LEAST_HEIGHT = 400
LONGEST_FEATURE = 24
# Models whose agreement is written in large digits.
FEW = 6
COSTS = {"features": "features kept", "seconds": "seconds of training of a run"}

Floats = NDArray[np.float64]


def weights_figure(
    contenders: Sequence[Contender],
    weights: Mapping[str, Floats],
    features: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the weights of several models, each in shares of its largest.

    Parameters
    ----------
    contenders : sequence of Contender
    weights : dict of str to (d,) float64
        Of each contender, by its name.
    features : sequence of d str
    palette : Palette
    """
    styles = styles_of(contenders, palette)
    scaled = {name: own / (np.abs(own).max() or 1.0) for name, own in weights.items()}
    most = np.max([np.abs(own) for own in scaled.values()], axis=0)
    order = np.argsort(-most, kind="stable")[:MOST_FEATURES]
    y = np.arange(len(order))[::-1]
    step = 0.6 / max(len(scaled) - 1, 1) if len(scaled) > 1 else 0.0
    traces: list[dict[str, Any]] = []
    for number, (name, own) in enumerate(scaled.items()):
        at = y + 0.3 * (len(scaled) > 1) - number * step
        colour, symbol = styles[name]
        zero = own[order] == 0.0
        traces.append(
            marks(
                own[order],
                at,
                {
                    "size": 8,
                    "color": colour,
                    "symbol": np.where(zero, f"{symbol}-open", symbol).tolist(),
                },
                hover=f"{escape(name)}<br>%{{customdata}}: %{{x:.3g}}",
                customdata=[escape(features[j]) for j in order],
                name=escape(name),
            )
        )
    figure = layout(
        palette, "share of the model’s largest weight", "",
        max(LEAST_HEIGHT, 66 + ROW_HEIGHT * len(order)),
    )  # fmt: skip
    figure["margin"] = {"l": 170, "r": 16, "t": 60, "b": 52}
    figure["xaxis"] |= {"showgrid": True, "zeroline": True, "range": [-1.08, 1.08],
                        "zerolinecolor": palette.secondary}  # fmt: skip
    figure["yaxis"] |= {
        "tickvals": y,
        "ticktext": _short(features[j] for j in order),
        "range": [-0.7, len(order) - 0.3],
        "automargin": False,
    }
    figure["showlegend"] = True
    figure["legend"] = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0}
    kept = ", ".join(
        f"{name} {int(np.count_nonzero(own))}" for name, own in weights.items()
    )
    return Picture(traces, figure).described(
        f"Weights of {len(features)} features in {len(weights)} models, which keep: "
        f"{kept}.",
        lambda: {"feature": list(features), **dict(weights)},
    )


def agreement_figure(
    values: Floats, names: Sequence[str], title: str, palette: Palette = LIGHT
) -> Picture:
    """Draw how far rankings agree, two by two.

    Parameters
    ----------
    values : (k, k) float64
        At most 1.
    names : sequence of k str
    title : str
        Of the figure of agreement.
    palette : Palette
    """
    k = len(names)
    below = np.where(np.tri(k, k, -1, dtype=bool), values, np.nan)[1:, :-1]
    texts = [["" if np.isnan(v) else decimals(v, 2) for v in row] for row in below]
    low = min(0.0, float(np.nanmin(below))) if np.isfinite(below).any() else 0.0
    short = _short(names)
    trace = cells(
        below, (low, 1.0), [palette.relevance[0], palette.relevance[-1]], palette,
        texts, x=list(range(k - 1)), y=list(range(k - 1)), xgap=2, ygap=2,
        textfont={"size": 13 if k <= FEW else 10},
    )  # fmt: skip
    figure = layout(palette, "", "", min(HEIGHT, 130 + 44 * k))
    figure["margin"] = {"l": 140, "r": 12, "t": 10, "b": 100}
    ticks: dict[str, Any] = {"tickvals": list(range(k - 1)), "showgrid": False}
    # The end of a name at its column: all stand to the left of it, none is left out.
    figure["xaxis"] |= ticks | {"ticktext": short[:-1], "tickangle": -35}
    figure["yaxis"] |= ticks | {"ticktext": short[1:], "autorange": "reversed"}
    pairs = [(i, j) for i in range(k) for j in range(i)]
    return Picture([trace], figure).described(
        f"{title} of {len(pairs)} pairs of models, from {decimals(np.nanmin(below), 2)}"
        f" to {decimals(np.nanmax(below), 2)}."
        if np.isfinite(below).any()
        else f"{title} is not defined for these models.",
        lambda: [
            {"model": names[i], "against": names[j], title: float(values[i, j])}
            for i, j in pairs
        ],
    )


def cost_figure(found: Comparison, over: str, palette: Palette = LIGHT) -> Picture:
    """Draw the measure against features kept, or against seconds of training.

    Models of one algorithm are joined, in the order of their cost.

    Parameters
    ----------
    found : Comparison
    over : {"features", "seconds"}
    palette : Palette
    """
    styles = styles_of(found.contenders, palette)
    cost = np.array(
        [
            one.nonzeros if over == "features" else one.seconds
            for one in found.contenders
        ]
    )
    means, intervals = found.means, found.intervals
    x = cost if over == "seconds" else _beside_each_other(cost)
    traces: list[dict[str, Any]] = []
    for algorithm in dict.fromkeys(one.algorithm for one in found.contenders):
        own = [
            k for k, one in enumerate(found.contenders) if one.algorithm == algorithm
        ]
        own.sort(key=lambda k: cost[k])
        colour = styles[found.names[own[0]]].colour
        traces.append(lines(x[own], means[own], colour, 1, line={"dash": "dot"}))
    for k, one in enumerate(found.contenders):
        colour, symbol = styles[one.name]
        if np.isfinite(intervals[k]).all():
            traces.append(lines([x[k]] * 2, intervals[k], colour, 1.2, opacity=0.6))
        traces.append(
            marks(
                [x[k]], [means[k]], {"size": 10, "color": colour, "symbol": symbol},
                hover=f"{escape(one.name)}<br>{found.measure} %{{y:.4g}}, "
                f"{COSTS[over]} {cost[k]:.3g}",
                name=escape(one.name),
            )
        )  # fmt: skip
    figure = layout(palette, COSTS[over], found.measure, HEIGHT)
    figure["margin"] |= {"r": 150, "l": 60}
    figure["xaxis"] |= {"showgrid": True}
    if over == "seconds":
        figure["xaxis"] |= {"type": "log", "dtick": 1}
    best: dict[str, int] = {}
    for k, one in enumerate(found.contenders):
        best.setdefault(one.algorithm, k)
    at = np.log10(np.maximum(x, 1e-9)) if over == "seconds" else x
    ends = [e for e in (*intervals.ravel(), *means) if np.isfinite(e)]
    spread = max(max(ends, default=1.0) - min(ends, default=0.0), 1e-9)
    inks = {name: palette.readable(style.colour) for name, style in styles.items()}
    named = _short(found.names)
    figure["annotations"] = place_labels(
        [
            end_name(
                f"<b>{named[k]}</b>",
                float(at[k]), float(means[k]), inks[found.names[k]],
            )
            for k in best.values()
        ],
        (HEIGHT - 54) / (1.1 * spread),
    )  # fmt: skip
    said = ", ".join(
        f"{name} {mean:.3f} at {value:.3g}"
        for name, mean, value in zip(found.names, means, cost, strict=True)
    )
    return Picture(traces, figure).described(
        f"{found.measure} against {COSTS[over]}: {said}.",
        lambda: {
            "model": found.names,
            found.measure: means,
            "from": intervals[:, 0],
            "to": intervals[:, 1],
            "features kept": [one.nonzeros for one in found.contenders],
            "seconds": [one.seconds for one in found.contenders],
        },
    )


def _short(names: Iterable[str]) -> list[str]:
    return list(map(escape, short_names(names, LONGEST_FEATURE)))


def _beside_each_other(cost: Floats) -> Floats:
    """Costs, equal ones a little apart, so that their intervals can be seen."""
    step = 0.012 * (np.ptp(cost) or 1.0)
    moved = cost.copy()
    for value in np.unique(cost):
        own = np.flatnonzero(cost == value)
        moved[own] += step * (np.arange(len(own)) - (len(own) - 1) / 2.0)
    return moved
