"""One run: facts, training curve, coefficients, and one query's ranking."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import clone

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.derived import with_derived
from pages.views.train import _curve, _facts, _plan, _query, _rounds, _why
from pages.views.train._look import LISTED, PINNED, REPLAY, ShownRun
from rankcore import views
from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.topics.train.coefficients import Weighing, coefficients
from rankcore.topics.train.coefficients_figure import coefficients_figure
from rankcore.topics.train.entries import main_hyperparameter
from rankcore.views import unjudged

CHANGED = views.Changing(views.CHANGES, "", "Changes while it runs", inline=True)


def show(values: views.Values, watched: views.Watched) -> views.Shown:
    """Return facts, curves, coefficients, and one query's ranking."""
    look = ShownRun(values, watched)
    if look.refused is not None:
        return views.Shown(refused=look.refused)
    last = len(look.history) - 1
    replay: list[views.Block] = []
    if not look.active and look.selection is not None and last > 0:
        high, shown = look.history[-1].iteration, look.selection.record.iteration
        replay = [views.Ask([replace(REPLAY, high=high, shown=shown)])]
        if look.missing:
            replay.append(views.Caption(look.missing))
    switches = [views.Ask([_curve.CURVE, _plan.AXIS])]
    curve = [*_curve.blocks(look), views.Row([switches, replay])]
    exported: dict[str, Any] = {}
    models: list[views.Block] = []
    if len(look.history):
        exported["Training curve"] = look.history.to_frame
        models = [
            views.TakeModel(
                "Export model",
                "export_model",
                "Export it as",
                lambda at="": _model(look, at),
                _plan.stem(watched.settings or values),
                lambda: _held_out(look),
                look.models,
            )
        ]

    def left() -> list[views.Block]:
        return [*_coefficients(look), *_query.reason(look), *_unjudged(look), *models]

    # The Python code cannot start from another run's coefficients.
    is_warm = watched.run is not None and watched.run.start is not None
    below = views.Row([views.Later(left), views.Later(partial(_query.ranking, look))])
    return views.Shown(
        _facts.facts(look),
        [*curve, *_curve.listed(look), *_rounds.blocks(look), below],
        tables=exported,
        command=_plan.command(values, watched.run),
        python="" if is_warm else _plan.python(values),
    )


def _model(look: ShownRun, at: str) -> Ranker:
    """Return a model of a run so far; by default the first available one."""
    run, chosen = look.watched.run, at or next(iter(look.models))
    return clone(look.algorithm).load_run(run, chosen)


def _held_out(look: ShownRun) -> views.HeldOut:
    """Return the queries of the run's data to compare its model on; test queries only
    if that data is still selected."""
    run, data = look.watched.run, datasets.readable(look.values)
    same = data is not None and data.train.fingerprint == run.train.fingerprint
    splits = data if data is not None and same else look.splits
    return views.HeldOut.of(splits, str(look.measure), run.rules)


def _unjudged(look: ShownRun) -> list[views.Block]:
    """Return notices on the reliability of the best model's measure after the run."""
    run, best = look.watched.run, look.best
    if look.active or run is None or best is None:
        return []
    split, data = ("train", run.train) if run.valid is None else ("valid", run.valid)
    rankings = {"best": look.algorithm.scores(data.X, best.coef)}
    return unjudged.blocks(data, split, rankings, [str(look.measure)], run.rules)


def _coefficients(look: ShownRun) -> list[views.Block]:
    weighing = Weighing(look.algorithm, look.splits.train, look.values.weighed_by)
    chart = coefficients(look.history, look.steady, weighing)
    picture = coefficients_figure(chart, look.colour, look.values.palette)
    if look.active:
        picture = picture._replace(table=None)
    panel = views.Panel(
        "coefficients", weighing.title, chart.note, picture, zoom=look.watched.id
    )
    return [panel, *([views.Ask([shared.WEIGHED])] if weighing.linear else [])]


def _settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings, including those of the selected algorithm."""
    listed = raw.get("algorithm") in list_algorithms()
    chosen = get_algorithm(raw["algorithm"] if listed else shared.ALGORITHM.default)
    names = lambda v: datasets.feature_names(v.data, v.without)  # noqa: E731
    first = (main_hyperparameter(chosen), "learning_rate")
    rows = [
        replace(
            row,
            group=row.group
            or ("" if row.declared.name in first else "Hyperparameters"),
        )
        for row in with_derived(views.declared(chosen, features=names), _plan.algorithm)
    ]
    return [
        shared.DATA,
        shared.WITHOUT,
        shared.ALGORITHM,
        *rows,
        *(replace(row, group=shared.RULES) for row in shared.EVALUATION),
        shared.SEED,
        shared.NORMALISE,
        *shared.WHICH_QUERY,
        LISTED,
        shared.SPEED.beside(),
        shared.AT.beside(),
        REPLAY,
        PINNED,
        CHANGED,
        _plan.BAND,
        _plan.AXIS,
        _curve.CURVE,
        shared.WEIGHED,
        _why.DOCUMENT,
    ]


def _explain(values: views.Values) -> dict[str, str]:
    chosen = get_algorithm(values.algorithm)
    return {
        "What it optimises": texts.algorithm(chosen, values.of(chosen)),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        **texts.tabs(__file__),
        "Background": texts.background(chosen),
        "All algorithms": texts.all_algorithms(),
    }


def _presets(raw: Mapping[str, Any]) -> dict[str, views.Changes]:
    """Return the selected algorithm's instructive settings, with defaults elsewhere."""
    listed = raw.get("algorithm") in list_algorithms()
    chosen = get_algorithm(raw["algorithm"] if listed else shared.ALGORITHM.default)
    rows = views.declared(chosen)
    defaults = {row.key: row.default for row in rows}
    return {
        title: {"algorithm": chosen.__name__, views.CHANGES: ""}
        | defaults
        | {f"{chosen.__name__}.{name}": value for name, value in settings.items()}
        for title, settings in chosen.presets.items()
    }


VIEW = views.View(
    "Run",
    "The measure, the coefficients and one ranking, live.",
    _settings,
    show,
    work=views.Training(_plan.run, _plan.start, _plan.refusal, _plan.caution),
    presets=_presets,
    explain=_explain,
)
