"""Comparison of soft-thresholding rules: one path per rule in a single figure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.sparsity import _path
from pages.views.sparsity._path import RSRANK, chosen, symbol
from rankcore import views
from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted, rounded
from rankcore.studies import Study
from rankcore.studies.paths import paths_study
from rankcore.studies.results import Result
from rankcore.topics.sparsity import paths as insight
from rankcore.topics.sparsity import shrinkage
from rankcore.topics.sparsity.views_figure import path_comparison_figure

_RULED = {
    name: title
    for name, title in shared.sparse_algorithms().items()
    if get_algorithm(name).comparisons
}
SPARSE = replace(_path.SPARSE, names=_RULED, shown_when=lambda values: len(_RULED) > 1)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of a path, except those that the rules determine."""
    raw = {**raw, SPARSE.key: SPARSE.fitted(raw.get(SPARSE.key), views.Values({}))}
    rules = chosen(raw).comparisons.values()
    rows = _path.settings(raw, *{name for rule in rules for name in rule})
    return [SPARSE if row is _path.SPARSE else row for row in rows]


def study(values: views.Values) -> Study:
    """Return one path per rule."""
    rules = chosen(values).comparisons.items()
    return paths_study({name: _path.untrained(values, **rule) for name, rule in rules})


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the paths, and the limit of each rule on four documents."""
    paths, settled = _path.paths(study), _settled(chosen(values))
    if study is None or not paths:
        return views.Shown(blocks=settled)
    share = values.tolerance / 100.0
    smallest = {
        name: insight.smallest(each, values.measure, share)
        for name, each in paths.items()
    }
    tests = {
        name: _path.tested(values, study, name, each.at)
        for name, each in smallest.items()
    }
    first, test = next(iter(smallest.values())), next(iter(tests.values()))
    caption = f"Smallest model of each rule {first.rule} of that rule."
    if test is not None:
        caption += (
            f" Test: {first.measure} against that of the rule’s full model, the one "
            f"with the most features. In brackets: {test.method}."
        )
    g, measure = symbol(values), values.measure
    split = shared.SPLITS[insight.choice_part(next(iter(paths.values())))]
    panel = views.Panel(
        "rules_compared",
        f"{split} {measure} and features kept against {g}",
        "large mark: the smallest model of a rule",
        path_comparison_figure(paths, measure, smallest, _path.look(values)),
    )
    models = {
        name: each.points[smallest[name].at].model for name, each in paths.items()
    }
    iterations = {name: model.provenance_.text for name, model in models.items()}
    export = views.TakeModel(
        "Export model",
        "export_model",
        "Export it as",
        lambda name="": models[name or next(iter(models))],
        f"{values.sparse}-{g}",
        lambda: views.HeldOut.of(datasets.of(values), measure, shared.rules(values)),
        {
            name: f"{name}: {counted(smallest[name].left, 'features')}, "
            f"{iterations[name]}"
            for name in models
        },
    )
    facts = [
        views.Fact(
            f"{name}, within {values.tolerance:g}% of its best",
            f"{each.left} of {counted(each.features, 'features')}",
            f"{g} = {rounded(each.value)}, {iterations[name]}"
            + (f", test {test.text}" if test else ""),
        )
        for (name, each), test in zip(smallest.items(), tests.values(), strict=True)
    ]
    taking = [export] if study.ended else []
    return views.Shown(facts, [panel, views.Caption(caption), *taking, *settled])


def _settled(algorithm: type) -> Sequence[views.Block]:
    """Return the limits of the rules on four documents."""
    if "shrinkage" not in hyperparameters(algorithm):
        return []
    rules = shrinkage.settled_rules()
    return [
        views.Table(
            "settled_rules",
            "Where each rule settles",
            f"four documents, three features, g = {rules[-1].g:g}, "
            f"η = {shrinkage.STEP:g}",
            [{"rule": rule.name, "β": shrinkage.vector(rule.coef)} for rule in rules],
        ),
        views.Words(shrinkage.settled_text()),
    ]


def _models(values: views.Values) -> int:
    """Return the number of models to train."""
    return len(chosen(values).comparisons) * values["values"]


VIEW = views.View(
    "Compare rules",
    "How many features each rule of soft thresholding keeps at the same penalty.",
    settings,
    show,
    work=views.Work(
        study,
        lambda values: f"Train {counted(_models(values), 'models')}",
        lambda values: _path.promise(
            f"{counted(values['values'], 'models')} of {chosen(values).title} for each "
            f"rule ({'; '.join(chosen(values).comparisons)})",
            values,
        ),
        keeps_settings=True,
        finding=Result,
    ),
    refuses=_path.refusal,
    presets={"The rules compared": RSRANK},
    shipped=("The rules compared",),
    explain=_path.explain,
)
