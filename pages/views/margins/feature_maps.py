"""Two feature maps: one query under each, and the models trained with each."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _case, _learner, _models
from pages.views.margins._case import Case, three
from pages.views.margins._explain import explain
from pages.views.margins.one_query import largest
from rankcore.algorithms import StructuredRanker
from rankcore.charts.margin_training import matrix_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margins as insight
from rankcore.insight.data import parts
from rankcore.insight.margin_matrix import compare_models, map_symbol
from rankcore.insight.margin_models import FEATURE_MAP, by_feature_map
from rankcore.insight.margin_training import MEASURES, aimed
from rankcore.views import (
    Block,
    Caption,
    Fact,
    Listed,
    Panel,
    Row,
    Setting,
    Shown,
    Values,
    View,
)

FEW_ROWS = 10
MOST_MAPS = 2
MAPS = {
    "pairs": "all pairs of a relevant and an irrelevant document",
    "first": "the first relevant document and those above it",
}
WITH_MAPS = {
    name: cls.title
    for name, cls in _learner.LEARNERS.items()
    if FEATURE_MAP in hyperparameters(cls)
}


def _with_maps(learner: str) -> str:
    return learner if learner in WITH_MAPS else next(iter(WITH_MAPS))


WHICH = Listed(
    "margin_maps_learner",
    next(iter(WITH_MAPS)),
    "Learner",
    names=WITH_MAPS,
    computed=lambda values: _with_maps(values.margin_learner),
    writes=lambda values, name: {"margin_learner": name},
)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Data, a learner with several feature maps, and the query."""
    name = _with_maps(_learner.learner_of(raw).__name__)
    without = (FEATURE_MAP, *_learner.PATIENCE)
    return [
        *_learner.DATA,
        _learner.LEARNER.beside(),
        WHICH,
        _learner.LOSS,
        *_learner.tuned(_learner.LEARNERS[name], without),
        shared.PART,
        shared.QUERY,
        shared.CONVENTION,
        shared.EMPTY,
    ]


def refuses(values: Values) -> str | None:
    """Why no order can be shown."""
    return _learner.algorithm(values).unsupported_reason(shared.split(values))


def show(values: Values) -> Shown:
    """The orders of one query under each map, and the quality of each model."""
    dataset, query = shared.split(values), values["query"] - 1
    loss = _case.chosen_loss(values)
    every = by_feature_map(_learner.algorithm(values))
    facts: list[Fact] = []
    columns: list[list[Block]] = []
    models: dict[str, _models.Model] = {}
    for name, algorithm in every.items():
        symbol = map_symbol(name)
        model = models[symbol] = _models.fit(values, algorithm)
        found = insight.worst_order(algorithm, dataset, query, model.coef, loss)
        told = f"orders_{name}", symbol, MAPS.get(name, "")
        drawn = _case.orders(found, FEW_ROWS, values.palette, *told)
        columns.append([drawn, Caption(model.note)])
        reason = f"Δ {three(found.loss)}, margin {three(found.margin)}"
        facts += [
            Fact(f"Slack ξ with {symbol}", three(found.slack), reason),
            Fact(f"Δ, predicted with {symbol}", three(found.predicted_loss)),
        ]
    first = next(iter(models.values())).coef
    case = Case(_learner.algorithm(values), dataset, query, first, loss)
    return Shown(
        facts[: 2 * MOST_MAPS],
        [largest(case), Row(columns), _quality(values, every, models)],
    )


def _quality(
    values: Values,
    every: dict[str, StructuredRanker],
    models: dict[str, _models.Model],
) -> Panel:
    splits = datasets.of(values)
    part, judged = list(parts(splits).items())[-1]
    coefs = {symbol: model.coef for symbol, model in models.items()}
    found = compare_models(coefs, judged, MEASURES, shared.rules(values))
    picture = matrix_figure(found, aimed(every, splits.train), values.palette)
    note = (
        f"{shared.SPLITS[part].lower()} data; bold: best on this measure; ± standard "
        "error over queries; framed: trained for it"
    )
    return Panel("maps_quality", "Quality of the model of each map", note, picture)


VIEW = View(
    "Two feature maps",
    "What a model gains by comparing all pairs, or the first relevant document only.",
    settings,
    show,
    refuses=refuses,
    presets={
        "φ_po against φ_mrr": {
            "margin_learner": "SVMMRR",
            "SVMMRR.C": 20.0,
            "data": "toy-2d",
        }
    },
    explain=explain,
)
