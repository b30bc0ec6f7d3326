"""Models side by side: features, agreement of rankings, accuracy against cost."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.compare.comparison import Comparison, Contender
from rankcore.topics.compare.differences_figure import styles_of
from rankcore.topics.train.coefficients import IMPORTANCE, Weighing

HEIGHT = 430
MOST_FEATURES = 16
ROW_HEIGHT = 21
LEAST_HEIGHT = 400
# Letters of a feature's name, and pixels per letter.
LONGEST_FEATURE, FEATURE_CHARACTER = 24, 6
# Largest number of models whose agreement is written in large digits.
FEW = 6
COSTS = {"features": "features kept", "seconds": "training time per run (s)"}


def weights_figure(
    contenders: Sequence[Contender],
    weights: Mapping[str, Floats],
    train: RankingDataset,
    by: str = IMPORTANCE,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the features of several models, relative to the largest of each.

    Parameters
    ----------
    weights : dict of str to (d,) float64
        Weights of each contender, by name.
    train : RankingDataset
        The training data.
    by : {"importance", "coefficient"}
        The quantity drawn for linear models.
    """
    styles, features = styles_of(contenders, palette), train.feature_names
    weighings = {one.name: Weighing(one.first.ranker, train, by) for one in contenders}
    sizes = [_shares(weighings[name].importances(w)) for name, w in weights.items()]
    most = np.abs(sizes).max(axis=0)
    order = np.argsort(-most, kind="stable")[:MOST_FEATURES]
    scaled = {name: _shares(weighings[name].drawn(w)) for name, w in weights.items()}
    y = np.arange(len(order))[::-1]
    step = 0.6 / max(len(scaled) - 1, 1) if len(scaled) > 1 else 0.0
    traces: list[dict[str, Any]] = []
    for number, (name, w) in enumerate(scaled.items()):
        at = y + 0.3 * (len(scaled) > 1) - number * step
        colour, symbol = styles[name]
        raw = weights[name][order]
        symbols = np.where(raw, symbol, f"{symbol}-open").tolist()
        labels = weighings[name].labels([features[j] for j in order], raw)
        traces.append(
            draw.marks(
                w[order],
                at,
                {"size": 8, "color": colour, "symbol": symbols},
                hover=f"{escape(name)}<br>share %{{x:.3g}}<br>%{{customdata}}",
                customdata=labels,
                name=escape(name),
            )
        )
    figure = draw.layout(
        palette, f"share of the largest {by}", "",
        max(LEAST_HEIGHT, 66 + ROW_HEIGHT * len(order)),
    )  # fmt: skip
    figure["xaxis"] |= {"showgrid": True, "zeroline": True, "range": [-1.08, 1.08],
                        "zerolinecolor": palette.secondary}  # fmt: skip
    _name_rows(figure, y, _short(features[j] for j in order))
    figure |= draw.NAMES_ABOVE
    counts = ", ".join(
        f"{name} {int(np.count_nonzero(w))}" for name, w in weights.items()
    )
    return Picture(traces, figure).described(
        f"{by.capitalize()} of {counted(len(features), 'features')} in "
        f"{counted(len(weights), 'models')}, which keep: "
        f"{counts}.",
        lambda: {"feature": list(features)} | _columns(weights, weighings),
    )


def _name_rows(figure: dict[str, Any], y: Any, names: Sequence[str]) -> None:
    """Label rows with their names, and make room for them."""
    left = 26 + FEATURE_CHARACTER * max(map(len, names))
    figure["margin"] = {"l": left, "r": 16, "t": 60, "b": 52}
    figure["yaxis"] |= {
        "tickvals": y,
        "ticktext": names,
        "range": [-0.7, len(names) - 0.3],
        "automargin": False,
    }


def _columns(
    weights: Mapping[str, Floats], weighings: Mapping[str, Weighing]
) -> dict[str, Any]:
    """Return the numbers of each model by column name."""
    return {
        f"{name}, {column}": values
        for name, weighing in weighings.items()
        for column, values in weighing.columns(
            weights[name], weighing.importances(weights[name])
        ).items()
    }


def _shares(values: Floats) -> Floats:
    return values / (np.abs(values).max() or 1.0)


def agreement_figure(
    values: Floats, names: Sequence[str], title: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the agreement of rankings, pair by pair.

    Parameters
    ----------
    values : (k, k) float64
        At most 1.
    names : sequence of k str
    title : str
        Title of the agreement measure.
    """
    k = len(names)
    below = np.where(np.tri(k, k, -1, dtype=bool), values, np.nan)[1:, :-1]
    texts = [["" if np.isnan(v) else decimals(v, 2) for v in row] for row in below]
    low = min(0.0, float(np.nanmin(below))) if np.isfinite(below).any() else 0.0
    short = _short(names)
    trace = draw.cells(
        below, (low, 1.0), [palette.relevance[0], palette.relevance[-1]], palette,
        texts, x=list(range(k - 1)), y=list(range(k - 1)), xgap=2, ygap=2,
        textfont={"size": 13 if k <= FEW else 10},
    )  # fmt: skip
    figure = draw.layout(palette, "", "", min(HEIGHT, 130 + 44 * k))
    figure["margin"] = {"l": 140, "r": 12, "t": 10, "b": 100}
    ticks: dict[str, Any] = {"tickvals": list(range(k - 1)), "showgrid": False}
    # Names end at their columns and extend to the left, so that none is left out.
    figure["xaxis"] |= ticks | {"ticktext": short[:-1], "tickangle": -35}
    figure["yaxis"] |= ticks | {"ticktext": short[1:], "autorange": "reversed"}
    pairs = [(i, j) for i in range(k) for j in range(i)]
    return Picture([trace], figure).described(
        f"{title} of {counted(len(pairs), 'pairs')} of models, from "
        f"{decimals(np.nanmin(below), 2)} to {decimals(np.nanmax(below), 2)}."
        if np.isfinite(below).any()
        else f"{title} is not defined for these models.",
        lambda: [
            {"model": names[i], "against": names[j], title: float(values[i, j])}
            for i, j in pairs
        ],
    )


def cost_figure(comparison: Comparison, over: str, palette: Palette = LIGHT) -> Picture:
    """Draw the measure against features kept, or against training time.

    Models of one algorithm are joined, in the order of their cost, and its name stands
    above them. Rankings without a model have no cost and are left out.

    Parameters
    ----------
    over : {"features", "seconds"}
    """
    contenders, means = comparison.contenders, comparison.means
    costs = {
        "features": [one.nonzeros for one in contenders],
        "seconds": [one.seconds for one in contenders],
    }
    cost = np.array(costs[over])
    figure = draw.layout(palette, COSTS[over], comparison.measure, HEIGHT)
    figure["margin"] |= {"l": 60, "t": 44}
    figure |= draw.NAMES_ABOVE
    figure["xaxis"] |= {"showgrid": True}
    if over == "seconds":
        figure["xaxis"] |= {"type": "log", "dtick": 1}
    values = ", ".join(
        f"{name} {mean:.3f} at {value:.3g}"
        for name, mean, value in zip(comparison.names, means, cost, strict=True)
        if np.isfinite(value)
    )
    return Picture(_cost_traces(comparison, cost, over, palette), figure).described(
        f"{comparison.measure} against {COSTS[over]}: {values}.",
        lambda: {
            "model": comparison.names,
            comparison.measure: means,
            "from": comparison.intervals[:, 0],
            "to": comparison.intervals[:, 1],
            "features kept": costs["features"],
            "seconds": costs["seconds"],
        },
    )


def _cost_traces(
    comparison: Comparison, cost: Floats, over: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return the intervals of all models, then a dotted line for each algorithm."""
    contenders, means = comparison.contenders, comparison.means
    by_name = styles_of(contenders, palette)
    styles = [by_name[name] for name in comparison.names]
    x = cost if over == "seconds" else _beside_each_other(cost)
    intervals = [
        draw.lines(
            [x[k]] * 2, interval, styles[k].colour, 1.2, opacity=0.6,
            legendgroup=contenders[k].algorithm, showlegend=False,
        )
        for k, interval in enumerate(comparison.intervals)
        if np.isfinite([*interval, cost[k]]).all()
    ]  # fmt: skip
    each: dict[str, list[int]] = {}
    for k in np.argsort(cost, kind="stable")[: np.count_nonzero(np.isfinite(cost))]:
        each.setdefault(contenders[k].algorithm, []).append(int(k))
    return intervals + [
        draw.lines(
            x[models], means[models], styles[models[0]].colour, 1,
            hover=f"%{{customdata[0]}}<br>{comparison.measure} %{{y:.3g}}, "
            f"{COSTS[over]} "
            "%{customdata[1]:.3g}",
            name=contenders[models[0]].ranked_by,
            mode="lines+markers",
            customdata=[[escape(comparison.names[k]), float(cost[k])] for k in models],
            line={"dash": "dot"},
            marker=draw.outlined(
                10, [styles[k].colour for k in models], palette.background,
                symbol=[styles[k].marker for k in models],
            ),
            legendgroup=algorithm,
        )
        for algorithm, models in sorted(each.items(), key=lambda one: min(one[1]))
    ]  # fmt: skip


def _short(names: Iterable[str]) -> list[str]:
    return list(map(escape, draw.short_names(names, LONGEST_FEATURE)))


def _beside_each_other(cost: Floats) -> Floats:
    """Return numbers of features, equal ones spread by less than half a feature, so
    that their intervals are visible. Neighbours in the original order are placed far
    apart, as a staircase would look like a trend."""
    x = cost.copy()
    for value in np.unique(cost):
        equal = np.flatnonzero(cost == value)
        order = np.concatenate([equal[::2], equal[1::2]])
        x[order] += (np.arange(len(equal)) + 0.5) / len(equal) * 0.9 - 0.45
    return x
