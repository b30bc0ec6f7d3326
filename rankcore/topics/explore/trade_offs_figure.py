"""Figure of the trade-off between the measure and the cost of a model."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals, significant
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import (
    NAMES_ABOVE,
    Picture,
    hband,
    layout,
    lines,
    marks,
    padded_range,
)
from rankcore.topics.explore.computed import ORIGINS
from rankcore.topics.explore.map_words import dot, measure_title
from rankcore.topics.explore.maps import Axis
from rankcore.topics.explore.trade_offs import CandidateModel, front

SCATTER_HEIGHT = 390
TITLES = {
    "features": "features kept",
    "seconds": "training, seconds",
    "both": "features kept",
}


def trade_off_figure(
    models: Sequence[CandidateModel],
    over: str,
    chosen: CandidateModel | None,
    colours: Mapping[str, str],
    loss: float,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the measure of every model over its cost, with the Pareto front.

    Parameters
    ----------
    models : sequence of CandidateModel
        At least one model.
    over : {"features", "seconds", "both"}
        With both costs, the front is not a line: models are drawn over their features,
        and marks grow with training time.
    chosen : CandidateModel or None
        The model to mark with a ring.
    colours : dict of str to str
        Algorithm name → colour. Models of a single algorithm are grey with a coloured
        front; models of several algorithms have their own colours.
    loss : float
        Tolerated loss relative to the best value, drawn as a band.
    """
    y = np.array([model.value for model in models])
    costs = costs_of(models, over)
    x, at = costs[:, 0], front(y, costs)
    terms, each = models[0].terms, by_algorithm(models)
    single = len(each) == 1
    colour = colours[type((models[0] if single else terms).ranker).__name__]
    timed = over != "features"

    def colour_of(model: CandidateModel) -> str:
        return colours[type(model.ranker).__name__]

    traces = [
        marks(
            costs_of(group, over)[:, 0],
            [model.value for model in group],
            dot(faded(palette.secondary if single else colour_of(group[0]), 0.5), 7),
            hover="%{customdata}",
            customdata=[model_text(model, timed) for model in group],
            name=title,
        )
        for title, group in each.items()
    ]
    traces += [
        lines(
            x[at],
            y[at],
            colour if single else palette.secondary,
            2,
            hover="%{customdata}",
            line={"shape": "hv"},
            mode="markers" if over == "both" else "lines+markers",
            marker=dot(colour, 9)
            | {"color": [colour_of(models[n]) for n in at]}
            | _sizes(costs[at]),
            customdata=[model_text(models[number], timed) for number in at],
            name="front",
            showlegend=False,
        ),
    ]
    if chosen is not None:
        ring = dot("rgba(0,0,0,0)", 17)
        ring["line"] = {"width": 2.5, "color": palette.ink}
        place = costs_of([chosen], over)[:, 0], [chosen.value]
        traces.append(marks(*place, ring, name="chosen", showlegend=False))
    figure = layout(palette, TITLES[over], measure_title(terms), height=SCATTER_HEIGHT)
    if not single:
        figure |= NAMES_ABOVE
        figure["margin"] |= {"t": 44}
    best = float(y.max())
    low, high = max(float(y.min()), 0.7 * best), best
    figure["yaxis"] |= {"range": padded_range(0.06, [low, high]), "tickformat": ".3f"}
    figure["xaxis"] |= {"rangemode": "tozero"}
    figure["shapes"] = [hband((1.0 - loss) * best, best, faded(colour, 0.12))]
    alt = (
        f"{len(at)} of {len(models)} models are on the front; the best reaches "
        f"{decimals(best)}."
    )
    return Picture(traces, figure, alt, lambda: model_table(models))


def by_algorithm(models: Sequence[CandidateModel]) -> dict[str, list[CandidateModel]]:
    """Return algorithm title → models; the figure has one trace per algorithm."""
    groups: dict[str, list[CandidateModel]] = {}
    for model in models:
        groups.setdefault(model.ranker.title, []).append(model)
    return groups


def costs_of(models: Sequence[CandidateModel], over: str) -> NDArray[np.float64]:
    """Return (n, k) costs of the models: features kept, seconds, or both."""
    features, seconds = [m.nonzeros for m in models], [m.mean_seconds for m in models]
    columns = {
        "features": [features],
        "seconds": [seconds],
        "both": [features, seconds],
    }
    return np.array(columns[over], np.float64).T


def _sizes(costs: NDArray[np.float64]) -> dict[str, Any]:
    """Return mark sizes whose area grows with the second cost, if there is one."""
    if costs.shape[1] == 1:
        return {}
    share = costs[:, 1] / max(float(costs[:, 1].max()), 1e-12)
    return {"size": (5.0 + 11.0 * np.sqrt(share)).astype(np.float32)}


def settings_words(model: CandidateModel, titled: bool = True) -> str:
    """Return the settings of a model in one line; if ``titled``, preceded by its
    algorithm if this differs from the algorithm of the terms."""
    rows = hyperparameters(model.ranker)
    each = [Axis(rows[name], (value,)) for name, value in model.settings.items()]
    alike = type(model.ranker) is type(model.terms.ranker)
    return ", ".join(
        [
            *([model.ranker.title] if titled and not alike else []),
            *(f"{axis.symbol} = {axis.text(0)}" for axis in each),
        ]
    )


def model_text(model: CandidateModel, timed: bool) -> str:
    """Return the description of a model, in lines, perhaps with its training time."""
    terms = model.terms
    features = terms.splits.train.n_features
    return "<br>".join(
        [
            escape(settings_words(model)),
            f"{terms.measure} <b>{decimals(model.value)}</b>",
            f"{significant(model.nonzeros)} of {counted(features, 'features')} kept",
            model.chosen,
            *([f"{significant(model.mean_seconds)} s of training"] if timed else []),
            ORIGINS[model.batch.origin],
        ]
    )


def model_table(models: Sequence[CandidateModel]) -> list[dict[str, Any]]:
    """Return one row per model; with one column per hyperparameter if all models share
    them."""
    names = {tuple(model.settings) for model in models}
    return [
        {
            "algorithm": model.ranker.title,
            **(
                model.settings
                if len(names) == 1
                else {"settings": settings_words(model, titled=False)}
            ),
            measure_title(model.terms): model.value,
            "features kept": model.nonzeros,
            "seconds": model.mean_seconds,
            "iteration": model.iteration,
            "iterations": model.max_iterations,
            "found by": model.batch.origin,
        }
        for model in models
    ]
