"""Sensitivity: how much the result varies with seed, fold, training data and noise."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from pages.ui.away import code
from pages.ui.data import datasets
from pages.views.explore import _cell, _setup
from rankcore import views
from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals
from rankcore.studies import Study
from rankcore.studies.results import Result
from rankcore.topics.explore.sensitivity import (
    Sensitivity,
    SensitivityPlan,
    found_sensitivity,
)
from rankcore.topics.explore.sensitivity_figure import (
    kept_repeats_figure,
    kept_spread_figure,
    repeats_figure,
    sensitivity_table,
    spread_figure,
)

# Key of the page's sensitivity studies.
PLACE = "explore/Sensitivity/Sensitivity"
VARY = views.Listed(
    "vary",
    "queries",
    "Vary",
    meaning="One factor varies; all else stays fixed. Models are measured on "
    "validation data with its original labels.",
    names={
        "queries": "Number of training queries",
        "seeds": "Seed",
        "folds": "Fold",
        "noise": "Label noise",
    },
)
REPEATS = views.Number(
    "vary_repeats", 5, "Repeats",
    meaning="Number of seeds, folds, or random samples of the training data.",
    low=2, high=20, whole=True, box=True,
)  # fmt: skip
LIMIT = replace(_setup.LIMIT, key="vary_iterations")


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of the study and of the algorithm."""
    rows = _setup.kept_settings(_setup.chosen_algorithm(raw))
    return [shared.DATA, shared.ALGORITHM, VARY, REPEATS, LIMIT, *rows]


def plan(values: views.Values) -> SensitivityPlan:
    """Return the runs that the settings define."""
    return SensitivityPlan(
        _setup.learner(values),
        datasets.of(values),
        values.vary,
        values.vary_repeats,
        values.seed,
        values.measure,
        shared.rules(values),
        values.vary_iterations,
    )


def refusal(values: views.Values) -> str | None:
    """Return the reason why the study cannot run."""
    splits = datasets.of(values)
    if splits.valid is None:
        return "These data have no validation queries to measure models on."
    queries = splits.train.n_queries + splits.valid.n_queries
    if values.vary == "folds" and values.vary_repeats > queries:
        return f"{values.vary_repeats} folds need as many queries; there are {queries}."
    return _setup.learner(values).unsupported_reason(splits.train)


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the measure over levels or repeats, and the features kept."""
    if study is None or not study.done:
        return views.Shown()
    result = _result(study, study.done)
    if not result.results:
        return views.Shown([], [views.Caption(result.failed[0].reason)])
    levels = result.plan.factor.levels(result.plan.splits)
    colour, palette = values.colour, values.palette
    draw, draw_kept = (
        (spread_figure, kept_spread_figure)
        if levels
        else (repeats_figure, kept_repeats_figure)
    )
    note = (
        f"Line: mean of {result.plan.repeats} repeats. Band: smallest to largest."
        if levels
        else "Filled: validation. Hollow: training. Dotted: mean."
    )
    main = views.Panel(
        "sensitivity",
        f"{result.plan.measure} against {result.plan.factor.axis}",
        note,
        draw(result, colour, palette),
    )
    panel = views.Panel(
        "sensitivity_kept",
        "Features kept",
        f"Of {counted(result.plan.splits.train.n_features, 'features')}.",
        draw_kept(result, colour, palette),
    )
    at, opened = result.plain_model
    go = _cell.go(values, {}, values.vary_iterations, values.seed, at)
    side: list[views.Block] = [panel, views.Caption(f"{result.sentence} {opened}"), go]
    return views.Shown(
        _facts(result, study),
        [views.Row([[main], side], (13, 8))],
        tables={"sensitivity": sensitivity_table(result)},
        python=_python(values),
    )


@lru_cache(maxsize=8)
def _result(study: Study, done: int) -> Sensitivity:
    return found_sensitivity(study.subject, study.found[:done])


def _facts(sensitivity: Sensitivity, study: Study) -> list[views.Fact]:
    valid, measure = sensitivity.spread("valid"), sensitivity.plan.measure
    low, high = decimals(float(valid.low[-1])), decimals(float(valid.high[-1]))
    ends = "" if low == high else f"{low} to {high}"
    facts = [views.Fact(f"Validation {measure}", decimals(float(valid.mean[-1])), ends)]
    if len(valid.levels) > 1:
        change = decimals(float(valid.mean[-1] - valid.mean[0]))
        axis = sensitivity.plan.factor.axis
        ends = f"{valid.levels[0]:g} to {valid.levels[-1]:g} {axis}"
        facts.append(views.Fact("Gain", change, f"from {ends}"))
    if not math.isnan(sensitivity.deviation):
        repeats = f"SD over {counted(sensitivity.plan.repeats, 'repeats')}"
        facts.append(views.Fact(repeats, decimals(sensitivity.deviation)))
    if (interval := sensitivity.over_queries) is not None:
        half = decimals((interval.high - interval.low) / 2.0)
        facts.append(
            views.Fact("95% interval", f"±{half}", "one model, validation queries")
        )
    failed = len(sensitivity.failed)
    note = f"{failed} could not be trained" if failed else ""
    facts.append(views.Fact("Models", f"{study.done} of {sensitivity.plan.runs}", note))
    return facts


def _python(values: views.Values) -> str:
    wanted = plan(values)
    return f"""from rankcore import {type(wanted.ranker).__name__}, load_dataset
from rankcore.topics.explore.sensitivity import SensitivityPlan, found_sensitivity
from rankcore.measures import Rules

plan = SensitivityPlan(
    {code.ranker(wanted.ranker)},
    {code.data(values)},
    vary={wanted.vary!r},
    repeats={wanted.repeats},
    seed={wanted.seed},
    measure={wanted.measure!r},
    rules={code.rules(wanted.rules)},
    max_iterations={wanted.max_iterations},
)
study = plan.study()
for _ in study:
    pass
print(found_sensitivity(plan, study.found).spread("valid"))
"""


def _explain(values: views.Values) -> Mapping[str, str]:
    return {
        **texts.tabs(__file__),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
    }


PLANTED = {shared.DATA.key: "planted", shared.ALGORITHM.key: "RSRank"}
APPROX = PLANTED | {shared.ALGORITHM.key: "ApproxNDCG"}

VIEW = views.View(
    "Sensitivity",
    "How much the result varies with seed, fold, training data and label noise.",
    settings,
    show,
    work=_setup.training(
        PLACE,
        plan,
        lambda values: f"Train {counted(plan(values).runs, 'models')}",
        "One factor varies; all else stays fixed.",
        finding=Result,
    ),
    refuses=refusal,
    presets={
        "Learning curve": PLANTED | {VARY.key: "queries", REPEATS.key: 5},
        "Ten seeds of ApproxNDCG": APPROX | {VARY.key: "seeds", REPEATS.key: 10},
        "Five folds": PLANTED | {VARY.key: "folds", REPEATS.key: 5},
        "Wrong labels": PLANTED | {VARY.key: "noise", REPEATS.key: 5},
    },
    explain=_explain,
)
