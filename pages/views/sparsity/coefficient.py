"""One coefficient: the pull of the data against the penalty, iteration by iteration."""

from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from pages.ui.data import datasets
from rankcore import views
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.plot.style import shortened
from rankcore.topics.sparsity.coefficient import (
    ITERATIONS,
    CoefficientRun,
    coefficient_run,
)
from rankcore.topics.sparsity.coefficient_figure import life_figure, pulls_figure

_G = hyperparameters(RSRank)["g"]
PENALTY = views.Number(
    "coef_g", 50.0, _G.title, _G.symbol, _G.meaning, low=0.0, high=250.0, step=5.0
)
AT = views.Number(
    "coef_step",
    20,
    "Iteration",
    meaning="0 is the start.",
    low=0,
    high=ITERATIONS,
    whole=True,
)


def run(values: views.Values) -> CoefficientRun:
    """Return the run that the settings define."""
    source = values.data, values.normalise, values.without
    return _run(source, values.coef_g, values.seed)


@lru_cache(maxsize=4)
def _run(source: tuple[Any, ...], g: float, seed: int) -> CoefficientRun:
    return coefficient_run(datasets.load(*source).train, g, seed)


def _features(values: views.Values) -> dict[str, str]:
    """Return the available features, the default first."""
    if datasets.readable(values) is None or refusal(values):
        return {}
    trained = run(values)
    names = {str(j): name for j, name in enumerate(trained.names)}
    return {"": names.pop(str(trained.default_feature))} | names


def refusal(values: views.Values) -> str | None:
    """Return the reason why RSRank cannot train on the data, as a sentence."""
    return RSRank().unsupported_reason(datasets.of(values).train)


FEATURE = shared.FeatureNumber(
    "coef_feature",
    "",
    "Feature",
    meaning="The first in the list is the largest feature that training removes.",
    names=_features,
)


def show(values: views.Values) -> views.Shown:
    """Return the pulls on one coefficient during training, and on all coefficients."""
    trained = run(values)
    at, colour = min(values.coef_step, trained.last), values.style("RSRank")[0]
    j = int(values.coef_feature or trained.default_feature)

    def iteration(trace: str, place: int, *where: float) -> views.Changes:
        return {AT.key: min(max(place, 0), trained.last)} if trace != "others" else {}

    def feature(trace: str, place: int, *where: float) -> views.Changes:
        return {FEATURE.key: str(trained.order[place])} if trace == "features" else {}

    life = views.Panel(
        "life",
        f"Pulls on {shortened(trained.names[j], 32)}",
        "left arrow: the data, right: the penalty; grey: other coefficients",
        life_figure(trained, at, j, colour, values.palette),
        on_click=iteration,
    )
    pulls = views.Panel(
        "pulls",
        "Pulls on all coefficients",
        "filled: in use, hollow: removed, triangle: beyond the axis; click to select",
        pulls_figure(trained, at, j, colour, values.palette),
        on_click=feature,
    )
    row = views.Row(
        [[life, views.Caption(trained.caption(at, j))], [pulls]], widths=(13, 8)
    )
    return views.Shown([views.Fact(*fact) for fact in trained.facts(at, j)], [row])


def explain(values: views.Values) -> dict[str, str]:
    """Return the tabs of the *Explain* panel."""
    objective = {"What it optimises": texts.algorithm(RSRank, {"g": values.coef_g})}
    return objective | texts.tabs(__file__) | {"Background": texts.background(RSRank)}


VIEW = views.View(
    "One coefficient",
    "Why a coefficient ends at exactly zero: the data pull, the penalty pulls back.",
    [shared.DATA, shared.NORMALISE, shared.WITHOUT, shared.SEED, PENALTY, FEATURE, AT],
    show,
    refuses=refusal,
    presets={
        "A feature is removed": {"data": "planted", "coef_g": 50.0},
        "Nothing is removed": {"data": "planted", "coef_g": 0.0},
    },
    explain=explain,
    plays=AT.key,
    plays_to=lambda values: run(values).last,
)
