"""Rules of soft thresholding compared: a path for each, in one picture."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pages.ui import shared
from pages.views.sparsity import _path
from pages.views.sparsity._path import RSRANK, chosen, symbol
from rankcore.charts.path_rules import rules_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import sparsity as insight
from rankcore.insight.shrinkage import STEP, settled_rules, shrunk_once
from rankcore.paths import Path, paths_study
from rankcore.studies import Study
from rankcore.views import (
    Block,
    Caption,
    Fact,
    Panel,
    Setting,
    Shown,
    Table,
    Values,
    View,
    Words,
    Work,
)

ONCE = np.array([0.3, -0.1, 0.05])


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Those of a path, but for what the rules set themselves."""
    rules = chosen(raw).comparisons.values()
    return _path.settings(raw, *{name for rule in rules for name in rule})


def refusal(values: Values) -> str | None:
    """Why there is nothing to compare."""
    if not chosen(values).comparisons:
        return f"{chosen(values).title} has one rule only. Choose RSRank instead."
    return _path.refusal(values)


def study(values: Values) -> Study:
    """A path for each rule."""
    rules = chosen(values).comparisons.items()
    return paths_study({name: _path.untrained(values, **rule) for name, rule in rules})


def show(values: Values, study: Study | None) -> Shown:
    """The paths, and where each rule settles on four documents."""
    found, settled = _path.paths(study), _settled(chosen(values))
    if study is None or not found:
        return Shown(blocks=settled)
    share = values.tolerance / 100.0
    smallest = {
        name: insight.smallest(each, values.measure, share)
        for name, each in found.items()
    }
    tests = [
        _path.tested(values, study, name, each.at) for name, each in smallest.items()
    ]
    first = next(iter(smallest.values()))
    caption = f"Smallest model of each rule {first.rule} of that rule."
    if tests[0] is not None:
        caption += (
            f" Test: {first.measure} against that of the rule’s full model, the one "
            f"with the most features. In brackets: {tests[0].method}."
        )
    return Shown(
        [
            Fact(
                f"{name}, within {values.tolerance:g} % of its best",
                f"{each.left} of {each.features} features",
                f"{symbol(values)} = {each.value:.4g}"
                + ("" if test is None else f", test {test.text}"),
            )
            for (name, each), test in zip(smallest.items(), tests, strict=True)
        ],
        [Caption(caption), _picture(values, found, smallest), *settled],
    )


def _picture(
    values: Values, paths: Mapping[str, Path], smallest: Mapping[str, insight.Smallest]
) -> Panel:
    """The measure and the features kept over the hyperparameter, by rule."""
    g, measure = symbol(values), values.measure
    split = insight.choice_part(next(iter(paths.values())))
    what = f"{shared.SPLITS[split]} {measure}"
    curves = {name: insight.curves(path, measure) for name, path in paths.items()}
    picture = rules_figure(
        curves,
        split,
        measure,
        g,
        log=values.axis == "log",
        marked={name: each.at for name, each in smallest.items()},
        palette=values.palette,
    )
    kept = (f"{name} keeps {c.nonzeros[-1]:g} features" for name, c in curves.items())
    return Panel(
        "rules_compared",
        f"{what} and features kept against {g}",
        "large mark: the smallest model of a rule",
        picture.described(
            f"At the last value {', '.join(kept)}.",
            lambda: [
                {"rule": name, **row} for name in paths for row in paths[name].to_rows()
            ],
        ),
    )


def _settled(algorithm: type) -> Sequence[Block]:
    """Where the rules settle on four documents."""
    if "shrinkage" not in hyperparameters(algorithm):
        return []
    found = settled_rules()
    printed, divided, langford, plain = found
    return [
        Table(
            "settled_rules",
            "Where each rule settles",
            f"four documents, three features, g = {plain.g:g}, η = {STEP:g}",
            [{"rule": rule.name, "β": _vector(rule.coef)} for rule in found],
        ),
        Words(
            f"The paper’s rule settles at {_vector(printed.coef)}, close to that of "
            f"K = 1 with g / {printed.interval}, {_vector(divided.coef)}: its penalty "
            f"is weaker than g says. Only Langford’s rule, at "
            f"{_vector(langford.coef)}, is close to K = 1 with g itself and removes as "
            "many features. One soft thresholding by ηg = 0.1 takes "
            f"{_vector(ONCE, 2)} to {_vector(shrunk_once(ONCE, 0.1), 1)}."
        ),
    ]


def _vector(numbers: np.ndarray, digits: int = 4) -> str:
    written = ", ".join(f"{n:.{digits}f}" for n in numbers)
    return f"({written})".replace("-", "−")


VIEW = View(
    "Compare rules",
    "How many features each rule of soft thresholding keeps at the same penalty.",
    settings,
    show,
    work=Work(
        study,
        lambda values: (
            f"Train {len(chosen(values).comparisons) * values['values']} models"
        ),
        lambda values: (
            f"{values['values']} models for each rule ("
            f"{'; '.join(chosen(values).comparisons)}); results appear as they finish."
        ),
        keeps_settings=True,
    ),
    refuses=refusal,
    presets={"The rules compared": RSRANK},
    explain=_path.explain,
)
