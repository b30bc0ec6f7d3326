"""Search: good hyperparameters, and which ones matter.

A brush on the parallel axes filters points in the browser at once and, when it stops
moving, importance, contours and the table on the server. The best model and its test
are those of the whole search.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pages.ui import shared
from pages.ui.away import code
from pages.ui.data import datasets
from pages.ui.data.inspecting import SEARCHED, inspect, made_name
from pages.views.explore import _cell, _setup
from rankcore import views
from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import column_titles, hyperparameters
from rankcore.base.numbers import counted, quoted, rounded
from rankcore.studies import Study
from rankcore.studies.results import ModelResults
from rankcore.studies.searches.space import searchable
from rankcore.topics.explore.brush import NO_BRUSH, RULE, Brush, brush_text, read_brush
from rankcore.topics.explore.maps import Axis
from rankcore.topics.explore.search import (
    FEWEST_MODELS,
    Contour,
    SearchPlan,
    SearchProgress,
    contour,
    found_search,
)
from rankcore.topics.explore.search_figure import (
    contour_figure,
    importance_figure,
    parallel_figure,
    progress_figure,
    search_table,
    settings_text,
    slices_figure,
)

# Key of the page's search studies.
PLACE = "explore/Search/Search"
FLAT = "The brushed models lie on one line: there are no contours between them."
TWO = "Repeatable for a fixed seed; parallel workers on one study (`--study`) are not."
METHODS = {
    "tpe": "TPE (Optuna)",
    "random": "Random",
    "halving": "Successive halving",
    "grid": "Grid",
}


def _titles(values: views.Values) -> dict[str, str]:
    algorithm = get_algorithm(values.algorithm)
    rows = hyperparameters(algorithm)
    return {name: Axis(rows[name], ()).label for name in searchable(algorithm)}


OVER = views.Several(
    "search_over",
    ("g", "learning_rate", "truncation_interval"),
    "Hyperparameters",
    meaning="Each hyperparameter is searched over its whole range.",
    names=_titles,
    boxed=True,
    least=1,
    most=5,
)
METHOD = views.Listed(
    "search_by",
    "tpe",
    "Method",
    meaning="TPE proposes models near good earlier ones. Successive halving trains "
    "many models briefly, and the best third longer.",
    names=METHODS,
    note=lambda values: TWO if values.search_by == "tpe" else "",
)
MODELS = views.Number(
    "search_models",
    40,
    "Models",
    low=1,
    high=300,
    whole=True,
    box=True,
    group=views.MORE,
)
LIMIT = replace(_setup.LIMIT, key="search_iterations")
FOLDS = _setup.folds_setting("search_folds", "Models are chosen by")
SECONDS = views.Number(
    "search_seconds", 0, "Time limit in seconds",
    meaning="No model starts after this time. 0: no limit.",
    low=0, high=3600, whole=True, box=True, group=views.MORE,
)  # fmt: skip
PRUNE = views.Choice(
    "search_prune", "no", "Runs below the median",
    meaning="A run is below the median if half of the complete models were better "
    "after the same number of iterations.",
    names={"no": "are completed", "yes": "are pruned"},
    shown_when=lambda values: values.search_by == "tpe" and values.search_folds == "1",
    group=views.MORE,
)  # fmt: skip


def _no_model(text: str, values: views.Values) -> str | None:
    """Return the error for a text that names no model of the search."""
    if text.isdecimal() and int(text) < values.search_models:
        return None
    last = values.search_models - 1
    return f"the search has models 0 to {last}, and no model {quoted(text)}"


CHOSEN = views.Text(
    "search_model", "", "Selected model",
    fault=_no_model, studied=False, inline=True,
)  # fmt: skip
BRUSH = views.Text(
    "search_brush", "", "Brushed models",
    read=read_brush, rule=RULE, studied=False, inline=True,
)  # fmt: skip
ROWS = (OVER, METHOD, MODELS, LIMIT, SECONDS, FOLDS, PRUNE)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of a search, including hyperparameters not searched."""
    name = _setup.chosen_algorithm(raw)
    choice = views.Values({shared.ALGORITHM.key: name})
    searched = OVER.fitted(raw.get(OVER.key, OVER.default), choice)
    rows = _setup.kept_settings(name, *searched)
    return [shared.DATA, shared.ALGORITHM, *ROWS, *rows, CHOSEN, BRUSH]


def plan(values: views.Values) -> SearchPlan:
    """Return the search that the settings define."""
    prune = PRUNE.matters(values) and values.search_prune == "yes"
    return SearchPlan(
        _setup.learner(values),
        dict.fromkeys(values.search_over),
        datasets.of(values),
        values.search_by,
        values.search_models,
        values.seed,
        prune=prune,
        folds=int(values.search_folds),
        measure=values.measure,
        rules=shared.rules(values),
        max_iterations=values.search_iterations,
        max_seconds=float(values.search_seconds) or None,
    )


def refusal(values: views.Values) -> str | None:
    """Return the reason why the search cannot run."""
    learner = _setup.learner(values)
    if not values.search_over:
        return f"{learner.title} has no hyperparameter to search."
    if (reason := _setup.too_many_folds(values, int(values.search_folds))) is not None:
        return reason
    try:
        plan(values).begin().close()
    except ValueError as error:
        return str(error)
    return learner.unsupported_reason(datasets.of(values).train)


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return all models on parallel axes, the importances, the progress and slices."""
    if study is None or not study.done:
        return views.Shown()
    progress = _progress(study, study.done)
    if not progress.usable:
        return views.Shown([], [views.Caption(progress.candidates[0].reason)])
    chosen, brushed = _chosen(values, progress), _brushed(progress, values[BRUSH.key])
    side = _side(values, progress, brushed, study)
    taking = [_go(values, progress, chosen), *_taking(values, progress, chosen)]
    return views.Shown(
        _facts(progress, brushed, chosen, study.ended),
        [
            views.Row([_lines(values, progress, brushed), side], (13, 8)),
            _slices(values, progress, brushed, study, chosen),
            views.Row([_table(progress, brushed), taking], (13, 8)),
        ],
        tables={"search": search_table(progress)},
        python=_python(values),
    )


def _table(progress: SearchProgress, selection: SearchProgress) -> list[views.Block]:
    """Return the table of the brushed models, or of all models without a brush."""
    rows = search_table(selection)
    table = views.Table(
        "search_table",
        "All models" if selection is progress else "Brushed models",
        f"{_share(progress, selection)}Best first. Choose a row to select its model.",
        rows,
        {f"Validation {selection.plan.measure}": "%.3f"},
        on_choose=lambda number: _select(int(rows[number]["number"]) - 1),
        heads=column_titles(selection.plan.ranker),
    )
    return [table if rows else views.Caption("No model is inside the brush.")]


def _share(progress: SearchProgress, selection: SearchProgress) -> str:
    """Return the number of brushed models as a prefix; empty without a brush."""
    if selection is progress:
        return ""
    models = counted(len(progress.usable), "models")
    return f"{len(selection.usable)} of {models}, as brushed. "


def _go(
    values: views.Values, progress: SearchProgress, chosen: ModelResults
) -> views.Go:
    """Return the link that trains a model of the search."""
    iterations, seed = progress.plan.max_iterations, chosen.rows[0].cell.seed
    return _cell.go(values, chosen.settings, iterations, seed, progress.at(chosen)[0])


def _taking(
    values: views.Values, progress: SearchProgress, chosen: ModelResults
) -> list[views.Block]:
    """Return the export and the Inspector link of a model; empty over folds."""
    plan = progress.plan
    if (model := progress.model(chosen)) is None:
        return []
    held_out = views.HeldOut.of(
        plan.splits._replace(test=None), plan.measure, plan.rules
    )
    return [
        inspect(
            values,
            part=plan.split,
            run=made_name(SEARCHED, str(chosen.number), plan, values),
        ),
        views.TakeModel(
            "Export model",
            "search_export",
            f"Export the model of {_place(progress, chosen)} as",
            lambda: model,
            f"{values.algorithm}-search-{chosen.number + 1}",
            lambda: held_out,
        ),
    ]


def _lines(
    values: views.Values, progress: SearchProgress, selection: SearchProgress
) -> list[views.Block]:
    """Return all models on parallel axes, and a button that clears the brush."""
    panel = views.Panel(
        "search_models",
        "All models",
        "One line per model, brighter is higher. Drag along an axis to keep the "
        "lines that pass there.",
        parallel_figure(progress, values.palette, _brush(values[BRUSH.key])),
        on_brush=lambda ranges: {BRUSH.key: brush_text(ranges)},
    )
    every = views.Act("Show all models", "search_unbrush", {BRUSH.key: ""})
    return [panel] if selection is progress else [panel, every]


def _slices(
    values: views.Values,
    progress: SearchProgress,
    selection: SearchProgress,
    study: Study,
    chosen: ModelResults,
) -> views.Block:
    """Return the measure over each hyperparameter, and over the two most important."""
    slices = views.Panel(
        "search_slices",
        "Each hyperparameter",
        "Each point is a model. Click one to select it (ring). Hollow: pruned.",
        slices_figure(progress, chosen, values.colour, values.palette),
        on_click=lambda trace, point, *at: _select(progress.usable[point].number),
    )
    surface = _contour(selection) if study.ended else None
    if surface is not None:
        panel = views.Panel(
            "search_contour",
            "Two most important hyperparameters",
            f"{_share(progress, selection)}Interpolated.",
            contour_figure(progress, surface, chosen, values.colour, values.palette),
            zoom=f"{surface.across.name} and {surface.up.name}",
        )
        return views.Row([[slices], [panel]], (13, 8))
    if selection.importance and study.ended and _contour(progress) is not None:
        return views.Row([[slices], [views.Caption(FLAT)]], (13, 8))
    return slices


def _side(
    values: views.Values,
    progress: SearchProgress,
    selection: SearchProgress,
    study: Study,
) -> list[views.Block]:
    blocks: list[views.Block] = [
        views.Panel(
            "search_progress",
            "Progress",
            "Line: best so far.",
            progress_figure(progress, progress.best, values.colour, values.palette),
            on_click=lambda trace, point, *at: _select(progress.usable[point].number),
        )
    ]
    if study.ended and progress.optimism:
        blocks.append(views.Caption(progress.optimism))
    if study.ended and selection.importance:
        blocks.append(
            views.Panel(
                "search_importance",
                "Importance",
                f"{_share(progress, selection)}Share of the variance of "
                f"{progress.plan.measure} (fANOVA). Lines: 95% intervals.",
                importance_figure(selection, values.colour, values.palette),
            )
        )
    elif study.ended and progress.importance:
        blocks.append(views.Caption(_unimportant(selection)))
    return blocks


def _unimportant(selection: SearchProgress) -> str:
    """Return the reason why brushed models have no importance, as a sentence."""
    if (count := len(selection.counted)) < FEWEST_MODELS:
        return (
            f"Importance and contours need {FEWEST_MODELS} complete models; the brush "
            f"contains {count or 'none'}."
        )
    return f"All brushed models reach the same {selection.plan.measure}."


@lru_cache(maxsize=8)
def _progress(study: Study, done: int) -> SearchProgress:
    return found_search(study.subject, study.found[:done])


def _brush(text: str) -> Brush:
    return read_brush(text) or NO_BRUSH


@lru_cache(maxsize=32)
def _brushed(progress: SearchProgress, text: str) -> SearchProgress:
    return progress.brushed(_brush(text))


@lru_cache(maxsize=32)
def _contour(selection: SearchProgress) -> Contour | None:
    return contour(selection)


def _chosen(values: views.Values, progress: SearchProgress) -> ModelResults:
    """Return the selected model, by default the best."""
    best = progress.best
    assert best is not None
    models = {str(one.number): one for one in progress.usable}
    return models.get(values[CHOSEN.key], best)


def _select(number: int) -> dict[str, str]:
    return {CHOSEN.key: str(number)}


def _facts(
    progress: SearchProgress,
    selection: SearchProgress,
    chosen: ModelResults,
    ended: bool,
) -> list[views.Fact]:
    """Return the facts of the whole search, independent of the brush."""
    best, measure = progress.best, progress.plan.measure
    assert best is not None
    split = shared.SPLITS[progress.plan.split].lower()
    features = progress.plan.splits.train.n_features
    early = sum(one.state == "pruned" for one in progress.usable)
    counts = [f"{early} pruned"] if early else []
    whole = ""
    if selection is not progress:
        counts.append(f"{len(selection.usable)} brushed")
        whole = " of all models"
    facts = [
        views.Fact(
            f"Best {measure}{whole}, {split}",
            f"{best.value:.3f}",
            _place(progress, best),
        ),
        views.Fact(
            "Features kept", rounded(best.nonzeros), f"of {features}, best model{whole}"
        ),
        views.Fact("Models", str(len(progress.candidates)), ", ".join(counts)),
    ]
    if chosen is not best:
        facts.append(
            views.Fact("Selected", f"{chosen.value:.3f}", _place(progress, chosen))
        )
    if ended and (test := progress.tested) is not None:
        note = f"best model{whole}, tested once, {test.brief}"
        facts.append(views.Fact(f"Test {measure}", f"{test.estimate:.3f}", note))
    return facts


def _place(progress: SearchProgress, one: ModelResults) -> str:
    """Return the settings of a model, its iteration, and how it was selected."""
    return f"{settings_text(progress, one)}, {progress.at(one)[1]}"


def _python(values: views.Values) -> str:
    wanted = plan(values)
    options = wanted.options | {"rules": code.rules(wanted.rules)}
    folds = wanted.folds > 1
    data = (
        f"pooled_folds(splits, {wanted.folds})"
        if folds
        else "splits.train, splits.valid"
    )
    lines = [f"    {name}={value!r}," for name, value in options.items()]
    script = "\n".join(
        f"    rules={options['rules']}," if line.startswith("    rules=") else line
        for line in lines
    )
    more = _setup.POOLED if folds else ""
    return f"""from rankcore import {type(wanted.ranker).__name__}, load_dataset
{more}from rankcore.measures import Rules
from rankcore.studies.searches import search
from rankcore.training import Stop

splits = {code.data(values)}
found = search(
    {code.ranker(wanted.ranker)},
    {data},
{script}
)
for model in found:
    print(model.number, model.settings, model.value, model.state)
print(found.best.settings)
"""


PLANTED = {shared.DATA.key: "planted", shared.ALGORITHM.key: "RSRank"}

VIEW = views.View(
    "Search",
    "Search for good hyperparameters, and see which ones matter.",
    settings,
    show,
    work=_setup.training(
        PLACE,
        plan,
        lambda values: f"Search with {counted(values.search_models, 'models')}",
        "Models are selected on validation data; the best is tested once, at the end.",
        rows=lambda candidate: candidate.rows,
        finding=ModelResults,
    ),
    refuses=refusal,
    presets={
        "TPE with pruning": PLANTED
        | {METHOD.key: "tpe", PRUNE.key: "yes", FOLDS.key: "1"},
        "Random search": PLANTED | {METHOD.key: "random"},
        "Successive halving": PLANTED | {METHOD.key: "halving", MODELS.key: 81},
        "3-fold cross-validation": PLANTED | {METHOD.key: "tpe", FOLDS.key: "3"},
    },
    explain=lambda values: _setup.explain(values, __file__),
)
