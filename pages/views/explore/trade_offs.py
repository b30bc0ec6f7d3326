"""Trade-offs: the measure against features kept or seconds, and the choice."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.views.explore import _cell, _setup, search, sensitivity
from pages.views.explore.map import PRESETS
from rankcore import views
from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import column_titles, hyperparameters
from rankcore.base.numbers import counted, rounded
from rankcore.data.catalogue import Splits
from rankcore.measures import Rules
from rankcore.studies import Study
from rankcore.topics.explore import trade_offs as insight
from rankcore.topics.explore.computed import Batch, Computed, gathered, of_study
from rankcore.topics.explore.maps import MapPlan
from rankcore.topics.explore.trade_offs_figure import (
    by_algorithm,
    costs_of,
    model_table,
    settings_words,
    trade_off_figure,
)

FRONTS = dict.fromkeys(("features", "seconds"), "Line: Pareto front. Ring: chosen.") | {
    "both": "Large marks: Pareto front, larger for longer training. Ring: chosen."
}
AGAINST = {
    "features": "features kept",
    "seconds": "seconds of training",
    "both": "features kept and seconds",
}
GONE = "The selected model, {}, is not among these models. Click another model."
NONE = "All models are excluded (see below)."
_trained = lru_cache(maxsize=4)(insight.trained)
_on_test = lru_cache(maxsize=16)(insight.tested_in_time)
LOOK: dict[str, Any] = {"inline": True, "studied": False}
COST = views.Choice(
    "map_cost", "features", "Cost",
    names={"features": "Features kept", "seconds": "Seconds", "both": "Both"},
    **LOOK,
)  # fmt: skip
RULE = views.Listed(
    "map_rule", "loss", "Choose",
    names={
        "loss": "Smallest model within a tolerance",
        "features": "Best model with at most n features",
        "selected": "A selected model",
    },
    **LOOK,
)  # fmt: skip
LOSS = views.Number(
    "map_loss", 1.0, "Maximum loss (%)",
    meaning="Loss relative to the best value. The model with the fewest features "
    "within it is chosen.",
    low=0.0, high=20.0, step=0.5, **LOOK,
)  # fmt: skip
MOST = views.Number(
    "map_most", 8, "Maximum features",
    meaning="The best model with at most this many features is chosen.",
    low=1, high=1000, whole=True, box=True, **LOOK,
)  # fmt: skip


MODEL = views.Text("map_taken", "", "Selected model", **LOOK)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of a map, and the rule that chooses a model."""
    return [*_setup.settings(raw), COST, RULE, LOSS, MOST, MODEL]


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return every model over its cost, and the model that the rule chooses."""
    if _setup.too_many_folds(values, int(values.map_folds)):
        return views.Shown()
    terms, studies = _terms(values), _studies(values, study)
    done = tuple((one, one.done) for one in studies)
    computed = _gathered(terms, done, values.work(views.past.COMPUTED) or ())
    models = computed.models
    if not models:
        reasons: list[views.Block] = (
            [views.Caption(NONE), _left_out(computed)] if computed.left_out else []
        )
        return views.Shown([], reasons)
    chosen, limits = _chosen(values, models)
    at = insight.front([m.value for m in models], costs_of(models, values.map_cost))
    front = [models[number] for number in at]
    traces = by_algorithm(models) | {"front": front}
    rankers = [terms.ranker, *(model.ranker for model in models)]
    kinds = {type(ranker).__name__ for ranker in rankers}
    split = shared.SPLITS[terms.split].lower()
    panel = views.Panel(
        "trade_offs",
        f"{terms.measure} against {AGAINST[values.map_cost]}",
        f"Chosen on {split} data. {FRONTS[values.map_cost]}",
        trade_off_figure(
            models, values.map_cost, chosen,
            {name: values.style(name)[0] for name in kinds},
            values.map_loss / 100.0, values.palette,
        ),
        on_click=lambda trace, point, *at: (
            _select(traces[trace][point]) if trace in traces else {}
        ),
    )  # fmt: skip
    best = insight.best_of(models)
    assert best is not None
    test, note = None, ""
    ended = all(one.ended for one in studies)
    if ended and chosen is not None and values.map_rule != "selected":
        test, note = _on_test(chosen, best)
    side = [
        *(
            [views.Caption(_none(values, models))]
            if chosen is None
            else _taking(values, chosen)
        ),
        *([views.Caption(note)] if note else []),
    ]
    return views.Shown(
        _facts(best, chosen, test),
        [
            panel,
            views.Ask([COST, RULE, *limits]),
            views.Row([side, [_table(front)]], (5, 8)),
            views.Caption(computed.sentence),
            *([_left_out(computed)] if computed.left_out else []),
        ],
        python="" if study is None else _setup.python(values, _setup.plan(values)),
    )


def _terms(values: views.Values) -> MapPlan:
    """Return the terms of the settings, the same object while they are unchanged."""
    ranker = _setup.learner(values)
    return _same_terms(
        type(ranker),
        tuple(ranker.get_params().items()),
        datasets.of(values),
        values.measure,
        shared.rules(values),
        int(values.map_folds),
    )


@lru_cache(maxsize=8)
def _same_terms(
    algorithm: type[Ranker],
    terms: tuple[tuple[str, Any], ...],
    splits: Splits,
    measure: str,
    rules: Rules,
    folds: int,
) -> MapPlan:
    return MapPlan(
        algorithm(**dict(terms)), (), splits, measure=measure, rules=rules, folds=folds
    )


def _studies(values: views.Values, study: Study | None) -> list[Study]:
    """Return the studies of this page that yield candidates; the store adds others."""
    places = (_setup.PLACE, search.PLACE, sensitivity.PLACE)
    looked_at = dict.fromkeys([study, *map(values.work, places)])
    return [one for one in looked_at if isinstance(one, Study)]


@lru_cache(maxsize=8)
def _gathered(
    terms: MapPlan,
    studies: tuple[tuple[Study, int], ...],
    stored: tuple[Batch, ...],
) -> Computed:
    batches = [batch for study, done in studies for batch in of_study(study, done)]
    return gathered(terms, [*batches, *stored])


def _left_out(computed: Computed) -> views.Table:
    """Return the table of excluded models with the reasons."""
    return views.Table(
        "map_left_out",
        "Excluded models",
        "Only models with the same data, scaling, evaluation rules and measure share a "
        "front.",
        computed.to_rows(),
    )


def _chosen(
    values: views.Values, models: Sequence[insight.CandidateModel]
) -> tuple[insight.CandidateModel | None, list[views.Setting]]:
    """Return the model that the rule chooses, and the rule's limit."""
    if values.map_rule == "loss":
        return insight.smallest_within(models, values.map_loss / 100.0), [LOSS]
    if values.map_rule == "features":
        return insight.best_within(models, values.map_most), [MOST]
    if not values.map_taken:
        return insight.best_of(models), []
    return next((one for one in models if one.key == values.map_taken), None), []


def _none(values: views.Values, models: Sequence[insight.CandidateModel]) -> str:
    """Return the reason why the rule chooses no model, and what to do."""
    if values.map_rule == "selected":
        return GONE.format(texts.literal(values.map_taken))
    return insight.none_within(models, values.map_most)


def _select(model: insight.CandidateModel) -> dict[str, str]:
    return {RULE.key: "selected", MODEL.key: model.key}


def _taking(values: views.Values, chosen: insight.CandidateModel) -> list[views.Block]:
    """Return a link that trains the chosen model, and the export of the model."""
    ranker, name = chosen.ranker, type(chosen.ranker).__name__
    params = {key: getattr(ranker, key) for key in hyperparameters(ranker)}
    params = {key: params[key] for key in params if key not in _setup.NOT_KEPT}
    seed, at = chosen.seed, chosen.iteration
    way = _cell.go(values, params, chosen.max_iterations, seed, at, name)
    if chosen.batch.stored is not None:
        settings = {"job": chosen.key, shared.AT.key: at}
        way = views.Go("Open the run in Train", "train", settings)
    return [
        way,
        views.TakeModel(
            "Export model",
            "map_model",
            f"Export the model at {settings_words(chosen)} as",
            lambda: _trained(chosen),
            "-".join([name, *re.split(r"\W+", chosen.key)]),
            lambda: _held_out(values, chosen),
        ),
    ]


def _held_out(values: views.Values, chosen: insight.CandidateModel) -> views.HeldOut:
    """Return the queries to compare on: test queries only for a rule's choice."""
    terms = chosen.terms
    splits = terms.splits
    if values.map_rule == "selected":
        splits = splits._replace(test=None)
    return views.HeldOut.of(splits, terms.measure, terms.rules)


def _table(front: list[insight.CandidateModel]) -> views.Table:
    rows = model_table(front)
    return views.Table(
        "map_front",
        "Models on the Pareto front",
        "Choose a row to select its model.",
        rows,
        {f"Validation {front[0].terms.measure}": "%.3f"},
        on_choose=lambda number: _select(front[number]),
        heads=column_titles(*(model.ranker for model in front)),
    )


def _facts(
    best: insight.CandidateModel,
    chosen: insight.CandidateModel | None,
    test: insight.TestedModel | None,
) -> list[views.Fact]:
    measure = best.terms.measure
    features = best.terms.splits.train.n_features
    total = counted(features, "features")
    facts = [
        views.Fact(
            f"Best {measure}",
            f"{best.value:.3f}",
            f"{rounded(best.nonzeros)} of {total}, {_place(best)}",
        )
    ]
    if chosen is not None:
        facts += [
            views.Fact(f"Chosen {measure}", f"{chosen.value:.3f}", _place(chosen)),
            views.Fact(
                "Features kept",
                rounded(chosen.nonzeros),
                f"of {features}, chosen model",
            ),
        ]
    if test is None:
        return facts
    reached = test.reached
    facts.append(
        views.Fact(f"Test {measure}", f"{reached.estimate:.3f}", reached.brief)
    )
    if chosen is not best:
        against = f"the best model has {test.change.before:.3f}"
        facts.append(views.Fact("Test, against the best", test.change.text, against))
    return facts


def _place(model: insight.CandidateModel) -> str:
    """Return the settings of a model, its iteration, and how it was selected."""
    return f"{settings_words(model)}, {model.chosen}"


VIEW = views.View(
    "Trade-offs",
    "How few features does a good model need?",
    settings,
    show,
    work=replace(
        _setup.WORK,
        only_current=True,
        promise="Trains the models of a map and adds them to the comparison.",
    ),
    refuses=_setup.refusal,
    presets={
        "At most 1% loss": {RULE.key: "loss", LOSS.key: 1.0},
        "At most 30 features": {RULE.key: "features", MOST.key: 30},
        # On the default data, the smallest models of the map keep more features.
        "At most 8 features": PRESETS["RSRank g × η"]
        | {RULE.key: "features", MOST.key: 8},
    },
    explain=_setup.explain,
)
