"""``rankscope search``."""

import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted, listed
from rankcore.cli import _data, _options, _output
from rankcore.cli._budget import Budget, seconds_of
from rankcore.cli._failures import INTERRUPTED, misuse
from rankcore.cli._files import outputs, write_table
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._recording import keeping
from rankcore.cli.commands.sweep import short
from rankcore.cli.commands.train import chosen_executor, chosen_model, load_for, prepare

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.studies.results import ModelResults
    from rankcore.studies.searches import Search
    from rankcore.topics.explore.search import SearchPlan

SHOWN = 10


@_data.takes_reading
@_data.takes_weights
def search(
    data: _data.Data,
    algorithm: _options.AlgorithmName,
    over: list[str] | None = None,
    by: str = "tpe",
    models: Annotated[int, _options.NumberRange(1, 100_000)] = 50,
    folds: Annotated[int, _options.NumberRange(1, 100)] = 1,
    search_seed: Annotated[int, _options.NumberRange(0)] = 0,
    generation: Annotated[int, _options.NumberRange(1, 1000)] = 8,
    prune: bool = False,
    study: Path | None = None,
    budget: _options.BudgetTime = None,
    processes: Annotated[int, _options.NumberRange(1, 64)] = 1,
    executor: _options.RunsExecutor = None,
    valid: _options.Valid = None,
    test: _options.Test = None,
    normalise: _options.Normalise = "none",
    preset: _options.Preset = None,
    measure: str | None = None,
    convention: _options.Convention = "standard",
    empty: _options.Empty = "zero",
    out: Path | None = None,
    no_store: bool = False,
    as_json: _options.AsJson = False,
    *,
    reading: _data.Reading,
    **hyperparameters: str | None,
) -> None:
    """Search for good hyperparameters; choose by validation data, and test once.

    The search ends after the time of --budget or on Ctrl-C; the best model so far is
    evaluated on test data, if there are any.

    Parameters
    ----------
    over : NAME[=VALUES]
        A hyperparameter by name or symbol, with its whole range (g), a part of it
        (g=0..50) or some values (g=0,5,50); may be repeated. (default: those that the
        algorithm's protocol tunes)
    by : METHOD
        Search method: tpe (Optuna), random, halving (successive halving) or grid.
    models
        Maximum number of models.
    folds
        Number of cross-validation folds of training and validation data together.
    search_seed
        Seed of the search's proposals.
    generation
        Number of models that tpe proposes together, given all earlier ones.
    prune
        Prune runs below the median early, with tpe.
    study : FILE
        File of Optuna's study, created or resumed, with tpe. Several processes may
        share it; the result then depends on their speed.
    processes
        Number of processes that train at the same time.
    measure : NAME
        Measure that chooses the best model. (default nDCG@10)
    out : FILE
        Write one row per model here, as .csv, .parquet, .json, .md or .tex.
    no_store
        Do not save the search to the run store.
    """
    from rankcore.measures import parse
    from rankcore.topics.explore.search import SearchPlan, tested_once

    (file,) = outputs({"--out": out}, data, [valid, test, study, *reading.files])
    (measure,) = _data.usual_measures(measure and [measure], ["nDCG@10"], reading)
    rules = _output.rules_of([measure], convention, empty)
    limit = seconds_of(budget)
    model = chosen_model(algorithm, preset, hyperparameters)
    with misuse():
        axes = dict(_dimension(model, text) for text in over or model.tuning_params)
        where = chosen_executor(executor, processes)
    prepare(model)
    splits = load_for(model, data, valid, test, normalise, reading)
    plan = SearchPlan(
        model, axes, splits, by, models, search_seed, generation, prune, folds,
        str(parse(measure)), rules, _iterations(model),
    )  # fmt: skip
    began = time.monotonic()
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        store = None if no_store else keeping(stack, "search")
        with misuse():
            search_study = plan.begin(
                where, processes=processes, study=study, store=store
            )
            time_left = Budget(interrupts, limit)
            time_left.take(
                search_study, where, None if as_json else partial(_say, search_study)
            )
        chosen = search_study.best
        tested = None if chosen is None else tested_once(plan, chosen)
    if file is not None:
        write_table(file, search_study.to_frame())
    report = _report(plan, search_study) | {
        "seconds": time.monotonic() - began,
        "ended": time_left.why or "The search has ended.",
        "test": tested and {**tested._asdict(), "caution": tested.caution},
        "table": None if out is None else str(out),
        **_output.weights_of(splits._asdict()),
    }
    _output.print_json(report) if as_json else _print(report, plan, list(axes))
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


def _report(plan: "SearchPlan", search: "Search") -> dict[str, Any]:
    from rankcore.topics.explore.search import found_search

    gathered = found_search(plan, search.candidates)
    return {
        "algorithm": search.algorithm,
        "by": plan.by,
        "models": len(search.candidates),
        "chosen by": search.measure,
        "measured every": plan.measured_every,
        "best": search.best and search.best.to_row(search.measure),
        "importance": dict(gathered.importance),
        "importance intervals": dict(gathered.importance_ends),
        "optimism": gathered.optimism,
        "rows": [one.to_row(search.measure) for one in _ranked(search)],
    }


def _say(search: "Search", one: "ModelResults") -> None:
    """Report the result of a model on standard error."""
    settings = ", ".join(f"{name} = {short(v)}" for name, v in one.settings.items())
    ended = {
        "failed": one.reason,
        "pruned": f"{one.value:.4f}, pruned",
        "ranks nothing": one.state,
    }
    outcome = ended.get(one.state, f"{one.value:.4f}")
    best = search.best
    top = "" if best is None else f" (best {best.value:.4f})"
    done = len(search.candidates)
    typer.echo(f"{done} of {search.total}: {settings}: {outcome}{top}", err=True)


def _ranked(search: "Search") -> list["ModelResults"]:
    """Return the models that did not fail, best first; those that rank nothing come
    last."""
    able = [one for one in search.candidates if one.state != "failed"]
    return sorted(able, key=lambda one: (not one.ranks, -one.value, one.number))


def _print(report: dict[str, Any], plan: "SearchPlan", axes: list[str]) -> None:
    typer.echo(
        f"{report['ended']} {counted(report['models'], 'models')} in "
        f"{report['seconds']:.1f} s.\n"
    )
    best = report["chosen by"]
    columns = [
        "number",
        *axes,
        best,
        "features kept",
        "best iteration",
        "iterations",
        "state",
    ]

    def shown(row: dict[str, Any], name: str) -> Any:
        if name in axes or name == "features kept":
            return short(row[name])
        if name == "best iteration" and not row["ranks"]:
            return None
        return listed(row[name], row["ranks"] or name != best)

    rows = [[shown(row, name) for name in columns] for row in report["rows"][:SHOWN]]
    if rows:
        _output.print_table(columns, rows)
    _print_choice(report, plan.measure)
    if report["table"]:
        typer.echo(f"\nTable written to {report['table']}")
    _output.print_weights(report)


def _print_choice(report: dict[str, Any], measure: str) -> None:
    """Print the choice of the best model, important hyperparameters, and test
    result."""
    if report["rows"] and report["best"] is None:
        typer.echo("\nNo model ranks anything, so none is chosen.")
    if report["measured every"] > 1 and report["best"] is not None:
        at = report["best"]["best iteration"]
        again = f" `train --at {at}` reproduces the best model." if at.isdigit() else ""
        typer.echo(
            f"\nModels are evaluated every {report['measured every']} iterations, and "
            f"chosen among these.{again}"
        )
    if report["importance"]:
        ends = report["importance intervals"]
        shares = [
            f"{name} {share:.0%} [{ends[name][0]:.0%}, {ends[name][1]:.0%}]"
            for name, share in report["importance"].items()
        ]
        typer.echo(f"\nImportance (fANOVA, 95% interval): {', '.join(shares)}")
    if report["optimism"]:
        typer.echo(f"\n{report['optimism']}")
    if (test := report["test"]) is not None:
        typer.echo(
            f"\nTest {measure} of the best model (number {report['best']['number']}), "
            f"evaluated once: {test['estimate']:.4f} [{test['low']:.4f}, "
            f"{test['high']:.4f}] ({test['level']:.0%} interval, "
            f"{counted(test['queries'], 'queries')})"
        )
        if test["caution"]:
            typer.echo(test["caution"])


def _dimension(model: "Ranker", text: str) -> tuple[str, Any]:
    """Return the name of a hyperparameter to search, and its range or values."""
    from rankcore.base.hyperparameters import hyperparameter
    from rankcore.studies.searches import Range

    name, equals, listed = text.partition("=")
    parameter = hyperparameter(model, name)
    if not equals:
        return parameter.name, None
    low, dots, high = listed.partition("..")
    if dots:
        return parameter.name, Range(parameter.parse(low), parameter.parse(high))
    return parameter.name, [parameter.parse(word) for word in listed.split(",")]


def _iterations(model: "Ranker") -> int:
    return int(getattr(model, "max_iter", 0) or 1)
