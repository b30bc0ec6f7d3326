"""Picture of the trade-off between the measure and what a model costs."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.charts._style import Picture, layout, lines, marks, padded_range
from rankcore.charts.map_words import dot, measure_title
from rankcore.charts.numbers import decimals, significant
from rankcore.charts.palette import LIGHT, Palette, faded
from rankcore.hyperparameters import hyperparameters
from rankcore.insight.maps import Axis
from rankcore.insight.trade_offs import Model, front

SCATTER_HEIGHT = 390
TITLES = {
    "features": "features kept",
    "seconds": "training, seconds",
    "both": "features kept",
}


def trade_off_figure(
    models: Sequence[Model],
    over: str,
    chosen: Model | None,
    colour: str,
    loss: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of every model over its cost, with the front of the best ones.

    Parameters
    ----------
    models : sequence of Model
        One or more.
    over : {"features", "seconds", "both"}
        Over both costs, the front is no line: its models are over their features, the
        larger the longer they take to train.
    chosen : Model or None
        Has a ring.
    colour : str
    loss : float
        The share of the best value that may be lost; those within are in a band.
    palette : Palette
    """
    y = np.array([model.value for model in models])
    costs = costs_of(models, over)
    x, at = costs[:, 0], front(y, costs)
    texts = [model_text(model, timed=over != "features") for model in models]
    traces = [
        marks(
            x,
            y,
            dot(faded(palette.secondary, 0.5), 7),
            hover="%{customdata}",
            customdata=texts,
            name="models",
        ),
        lines(
            x[at],
            y[at],
            colour,
            2,
            hover="%{customdata}",
            line={"shape": "hv"},
            mode="markers" if over == "both" else "lines+markers",
            marker=dot(colour, 9) | _sizes(costs[at]),
            customdata=[texts[number] for number in at],
            name="front",
        ),
    ]
    if chosen is not None:
        ring = dot("rgba(0,0,0,0)", 17)
        ring["line"] = {"width": 2.5, "color": palette.ink}
        place = costs_of([chosen], over)[:, 0], [chosen.value]
        traces.append(marks(*place, ring, name="chosen"))
    title = measure_title(models[0].plan)
    figure = layout(palette, TITLES[over], title, height=SCATTER_HEIGHT)
    best = float(y.max())
    low, high = max(float(y.min()), 0.7 * best), best
    figure["yaxis"] |= {"range": padded_range(0.06, [low, high]), "tickformat": ".3f"}
    figure["xaxis"] |= {"rangemode": "tozero"}
    figure["shapes"] = [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": (1.0 - loss) * best,
            "y1": best,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": faded(colour, 0.12),
        }
    ]
    said = (
        f"{len(at)} of {len(models)} models are on the front; the best reaches "
        f"{decimals(best)}."
    )
    return Picture(traces, figure, said, lambda: model_table(models))


def costs_of(models: Sequence[Model], over: str) -> NDArray[np.float64]:
    """(n, k) the costs of models: features kept, seconds, or both."""
    kept, seconds = [m.kept for m in models], [m.seconds for m in models]
    columns = {"features": [kept], "seconds": [seconds], "both": [kept, seconds]}
    return np.array(columns[over], np.float64).T


def _sizes(costs: NDArray[np.float64]) -> dict[str, Any]:
    """Marks whose area grows with the second cost, where there is one."""
    if costs.shape[1] == 1:
        return {}
    share = costs[:, 1] / max(float(costs[:, 1].max()), 1e-12)
    return {"size": (5.0 + 11.0 * np.sqrt(share)).astype(np.float32)}


def settings_words(model: Model) -> str:
    """The settings of a model in a line."""
    rows = hyperparameters(model.plan.ranker)
    each = [Axis(rows[name], (value,)) for name, value in model.settings.items()]
    return ", ".join(f"{own.symbol} = {own.text(0)}" for own in each)


def model_text(model: Model, timed: bool) -> str:
    """A model in words, in lines; with the time of its training, or without."""
    features = model.plan.splits.train.n_features
    return "<br>".join(
        [
            escape(settings_words(model)),
            f"{model.plan.measure} <b>{decimals(model.value)}</b>",
            f"{significant(model.kept)} of {features} features kept",
            *([f"{significant(model.seconds)} s of training"] if timed else []),
            *(["of the search"] if model.searched else []),
        ]
    )


def model_table(models: Sequence[Model]) -> list[dict[str, Any]]:
    """A row a model."""
    return [
        {
            **model.settings,
            measure_title(model.plan): model.value,
            "features kept": model.kept,
            "seconds": model.seconds,
            "found by": "search" if model.searched else "map",
        }
        for model in models
    ]
