"""Two feature maps: one query under each, and the models trained with each."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _case, _learner, _models
from rankcore import views
from rankcore.base.hyperparameters import hyperparameters
from rankcore.plot.numbers import decimals
from rankcore.topics.margins import order as insight
from rankcore.topics.margins.matrix import compare_maps, map_symbol
from rankcore.topics.margins.models import FEATURE_MAP, by_feature_map
from rankcore.topics.margins.order_figure import MAIN_HEIGHT, orders_figure
from rankcore.topics.margins.training_figure import matrix_figure

WITH_MAPS = {
    name: cls.title
    for name, cls in _learner.LEARNERS.items()
    if FEATURE_MAP in hyperparameters(cls)
}


def _with_maps(learner: str) -> str:
    return learner if learner in WITH_MAPS else next(iter(WITH_MAPS))


WHICH = views.Listed(
    "margin_maps_learner",
    next(iter(WITH_MAPS)),
    "Algorithm",
    names=WITH_MAPS,
    computed=lambda values: _with_maps(values.margin_learner),
    writes=lambda values, name: {"margin_learner": name},
)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of data, algorithms with several feature maps, and query."""
    learner = _learner.LEARNERS[_with_maps(_learner.learner_of(raw).__name__)]
    without = (FEATURE_MAP, *_learner.PATIENCE)
    return [
        *_learner.DATA,
        _learner.LEARNER.beside(),
        WHICH,
        _learner.LOSS,
        *_learner.tuned(learner, without),
        _learner.SPLIT,
        shared.QUERY,
        shared.CONVENTION,
        shared.EMPTY,
    ]


def refuses(values: views.Values) -> str | None:
    """Return the reason why no order can be shown."""
    return _learner.algorithm(values).unsupported_reason(shared.split(values))


def show(values: views.Values) -> views.Shown:
    """Return the orders of one query under each map, and the quality of each model."""
    every = {
        map_symbol(name): algorithm
        for name, algorithm in by_feature_map(_learner.algorithm(values)).items()
    }
    models = {name: _models.fit(values, svm) for name, svm in every.items()}
    first = next(iter(models.values())).coef
    case = _case.case(values, shared.split(values), values["query"] - 1, first)
    ranked = {
        name: insight.worst_order(case._replace(algorithm=svm, coef=models[name].coef))
        for name, svm in every.items()
    }
    orders = orders_figure(ranked, palette=values.palette, height=MAIN_HEIGHT)
    note = "φₚₒ: all pairs; φₘᵣᵣ: the first relevant document and those above it"
    coefs = {name: model.coef for name, model in models.items()}
    splits, rules = datasets.of(values), shared.rules(values)
    quality, aimed, words = compare_maps(every, coefs, splits, rules)
    picture = matrix_figure(quality, aimed, values.palette)
    text = f"{words} data, ± standard error; bold: best or tied, framed: trained for it"
    return views.Shown(
        [fact for name, order in ranked.items() for fact in _facts(name, order)],
        [
            views.Panel("orders", "One query under each feature map", note, orders),
            views.Row([[views.Caption(model.note)] for model in models.values()]),
            views.Row([[_case.largest(case)], [_case.inspected(values)]]),
            views.Panel(
                "maps_quality", "Quality of the model of each map", text, picture
            ),
        ],
    )


def _facts(name: str, worst: insight.WorstOrder) -> list[views.Fact]:
    reason = f"Δ {decimals(worst.loss)}, margin {decimals(worst.margin)}"
    return [
        views.Fact(f"Slack ξ with {name}", decimals(worst.slack), reason),
        views.Fact(f"Δ, predicted with {name}", decimals(worst.predicted_loss)),
    ]


VIEW = views.View(
    "Two feature maps",
    "What a model gains by comparing all pairs, not only the first relevant document.",
    settings,
    show,
    refuses=refuses,
    presets={
        "φₚₒ and φₘᵣᵣ": {"margin_learner": "SVMMRR", "SVMMRR.C": 20.0, "data": "toy-2d"}
    },
    explain=_learner.explain,
)
