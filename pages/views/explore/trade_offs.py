"""Trade-offs: the measure against features kept or seconds, and the model to take."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.explore import _cell, _setup
from pages.views.explore.search import PLACE
from rankcore.algorithms import Ranker
from rankcore.charts.trade_offs import (
    costs_of,
    model_table,
    settings_words,
    trade_off_figure,
)
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import trade_offs as insight
from rankcore.insight.maps import Map
from rankcore.insight.search import SearchPlan, found_search
from rankcore.studies import Study
from rankcore.views import (
    Ask,
    Block,
    Caption,
    Choice,
    Fact,
    HeldOut,
    Listed,
    Number,
    Panel,
    Row,
    Setting,
    Shown,
    Table,
    TakeModel,
    Text,
    Values,
    View,
)

FRONTS = dict.fromkeys(("features", "seconds"), "line: no model is better for less") | {
    "both": "coloured: no model is better for less of both; larger: longer training"
}
LOOK: dict[str, Any] = {"inline": True, "studied": False}
COST = Choice(
    "map_cost", "features", "Cost",
    names={
        "features": "Features kept",
        "seconds": "Seconds",
        "both": "Features and seconds",
    },
    **LOOK,
)  # fmt: skip
RULE = Listed(
    "map_rule", "loss", "Choose",
    names={
        "loss": "Smallest within a loss",
        "features": "Best with few features",
        "selected": "A selected model",
    },
    **LOOK,
)  # fmt: skip
LOSS = Number(
    "map_loss", 1.0, "Loss, % at most",
    meaning="Of the best value; among the models within, the one with the fewest "
    "features is chosen.",
    low=0.0, high=20.0, step=0.5, **LOOK,
)  # fmt: skip
MOST = Number(
    "map_most", 8, "Features at most",
    meaning="Among the models that keep no more, the best one is chosen.",
    low=1, high=1000, whole=True, box=True, **LOOK,
)  # fmt: skip


TAKEN = Text("map_taken", "", "Selected model", **LOOK)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Those of a map, and how a model is chosen."""
    return [*_setup.settings(raw), COST, RULE, LOSS, MOST, TAKEN]


def show(values: Values, study: Study | None) -> Shown:
    """Every model over its cost, and the one that the rule chooses."""
    known = _setup.found(study)
    if study is None or known is None or known.best is None:
        return Shown()
    models = _models(known, values.work(PLACE))
    chosen, limits = _chosen(values, models)
    at = insight.front([m.value for m in models], costs_of(models, values.map_cost))
    front = [models[number] for number in at]
    colour = values.style(values.algorithm)[0]
    split = shared.SPLITS[known.plan.split].lower()
    searched = sum(model.searched for model in models)
    beside = f"; {searched} models of the search included" if searched else ""
    panel = Panel(
        "trade_offs",
        f"{known.plan.measure} against {COST.labels(values)[values.map_cost].lower()}",
        f"{split} data decide; {FRONTS[values.map_cost]}; ring: chosen{beside}",
        trade_off_figure(
            models, values.map_cost, chosen, colour, values.map_loss / 100.0,
            values.palette,
        ),
        on_click=lambda trace, point, *at: _select(
            (front if trace == "front" else models)[point]
        ),
    )  # fmt: skip
    best = insight.best_of(models)
    assert best is not None
    test, found = datasets.of(values).test, None
    able = study.ended and chosen is not None and values.map_rule != "selected"
    if able and chosen is not None and test is not None and test.n_queries > 1:
        found = _tested(chosen, best, test)
    none = "No model keeps so few features: allow more, or widen the range."
    side = [
        *([Caption(none)] if chosen is None else _taking(values, chosen)),
        *([Caption(f"Test: {found.change.method}.")] if found else []),
    ]
    return Shown(
        _facts(best, chosen, found),
        [
            panel,
            Ask([COST, RULE, *limits]),
            Row([side, [_table(front)]], (5, 8)),
        ],
        python=_setup.python(values),
    )


def _models(known: Map, study: Study | None) -> list[insight.Model]:
    """All that is computed: the models of the map and those of the search."""
    if study is None or not isinstance(study.subject, SearchPlan):
        return _both(known, None, 0)
    return _both(known, study, study.done)


@lru_cache(maxsize=8)
def _both(known: Map, study: Study | None, done: int) -> list[insight.Model]:
    searched = study and found_search(study.subject, study.found[:done])
    return insight.models_of(known, searched or None)


def _chosen(
    values: Values, models: Sequence[insight.Model]
) -> tuple[insight.Model | None, list[Setting]]:
    """The model that the rule chooses, and the rule's limit."""
    if values.map_rule == "loss":
        return insight.smallest_within(models, values.map_loss / 100.0), [LOSS]
    if values.map_rule == "features":
        return insight.best_within(models, values.map_most), [MOST]
    own = {model.key: model for model in models}
    return own.get(values.map_taken, insight.best_of(models)), []


def _select(model: insight.Model) -> dict[str, str]:
    return {RULE.key: "selected", TAKEN.key: model.key}


def _taking(values: Values, chosen: insight.Model) -> list[Block]:
    """A link that trains the chosen model, and the model as a file."""
    ranker = chosen.plan.ranker
    kept = {name: getattr(ranker, name) for name in hyperparameters(ranker)}
    kept = {name: kept[name] for name in kept if name not in _setup.NOT_KEPT}
    own = {**kept, **chosen.settings}
    return [
        _cell.go(values, own, chosen.max_iterations, chosen.seed),
        TakeModel(
            "Export model",
            "map_model",
            f"Export the model at {settings_words(chosen)} as",
            lambda: _trained(chosen),
            "-".join([values.algorithm, *re.split(r"\W+", chosen.key)]),
            lambda: _held_out(values, chosen),
        ),
    ]


def _held_out(values: Values, chosen: insight.Model) -> HeldOut:
    """The queries to compare on; test queries only for the model that a rule chose."""
    plan = chosen.plan
    splits = plan.splits
    if values.map_rule == "selected":
        splits = splits._replace(test=None)
    return HeldOut.of(splits, plan.measure, plan.rules)


def _table(front: list[insight.Model]) -> Table:
    rows = model_table(front)
    return Table(
        "map_front",
        "Models on the front",
        "choose a row to select it",
        rows,
        dict.fromkeys(rows[0], "%.4g") | {"found by": "%s"},
        on_choose=lambda number: _select(front[number]),
    )


@lru_cache(maxsize=4)
def _trained(model: insight.Model) -> Ranker:
    return insight.trained(model)


@lru_cache(maxsize=16)
def _tested(model: insight.Model, best: insight.Model, test: Any) -> insight.Tested:
    return insight.tested(model, best, test)


def _facts(
    best: insight.Model, chosen: insight.Model | None, test: insight.Tested | None
) -> list[Fact]:
    measure = best.plan.measure
    features = best.plan.splits.train.n_features
    facts = [
        Fact(
            f"Best {measure}",
            f"{best.value:.3f}",
            f"{best.kept:.4g} of {features} features, {settings_words(best)}",
        )
    ]
    if chosen is not None:
        place = settings_words(chosen)
        facts += [
            Fact(f"Chosen {measure}", f"{chosen.value:.3f}", place),
            Fact("Features kept", f"{chosen.kept:.4g}", f"of {features}, chosen model"),
        ]
    if test is None:
        return facts
    low, high = test.reached.low, test.reached.high
    between = f"{100 * test.reached.level:g} % interval {low:.3f} to {high:.3f}"
    facts.append(Fact(f"Test {measure}", f"{test.reached.estimate:.3f}", between))
    if chosen is not best:
        against = f"the best has {test.change.before:.3f}"
        facts.append(Fact("Test, against the best", test.change.text, against))
    return facts


VIEW = View(
    "Trade-offs",
    "The fewest features, or the least time, that a good model needs.",
    settings,
    show,
    work=_setup.WORK,
    refuses=_setup.refusal,
    presets={
        "At most 1 % loss": {RULE.key: "loss", LOSS.key: 1.0},
        "At most 8 features": {RULE.key: "features", MOST.key: 8},
    },
    explain=_setup.explain,
)
