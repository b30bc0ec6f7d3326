"""``rankscope sweep``."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import listed
from rankcore.cli import _data, _options, _output
from rankcore.cli._budget import Budget, seconds_of
from rankcore.cli._failures import INTERRUPTED, misuse
from rankcore.cli._files import outputs, write_table
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._recording import keeping
from rankcore.cli.commands.train import chosen_executor, chosen_model, load_for, prepare

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.base.hyperparameters import Value
    from rankcore.compute.executors import Executor
    from rankcore.studies.results import Result
    from rankcore.studies.sweeps import Sweep

SHOWN = 10


@_data.takes_reading
@_data.takes_weights
def sweep(
    data: _data.Data,
    algorithm: _options.AlgorithmName,
    over: Annotated[list[str], typer.Option()],
    values: Annotated[int | None, _options.NumberRange(2, 1000)] = None,
    seeds: str = "0",
    budget: _options.BudgetTime = None,
    processes: Annotated[int, _options.NumberRange(1, 64)] = 1,
    executor: _options.RunsExecutor = None,
    valid: _options.Valid = None,
    normalise: _options.Normalise = "none",
    preset: _options.Preset = None,
    measure: list[str] | None = None,
    convention: _options.Convention = "standard",
    empty: _options.Empty = "zero",
    out: Path | None = None,
    no_store: bool = False,
    as_json: _options.AsJson = False,
    *,
    reading: _data.Reading,
    **hyperparameters: str | None,
) -> None:
    """Train every combination of hyperparameter values, from coarse to fine.

    The sweep ends after the time of --budget or on Ctrl-C; finished runs are kept. Test
    data is not used.

    Parameters
    ----------
    over : NAME[=VALUES]
        A hyperparameter by name or symbol, such as g, learning-rate, η or g=0,5,50; may
        be repeated. (default values: its declared sweep)
    values
        Number of values of each hyperparameter over its whole range instead.
    seeds : NUMBERS
        Seeds of the runs of each combination, such as 0,1,2.
    processes
        Number of processes that train at the same time.
    measure : NAME
        Measure, repeatable; the first one chooses the best model. (default nDCG@10)
    out : FILE
        Write one row per run here, as .csv, .parquet, .json, .md or .tex.
    no_store
        Do not save the sweep to the run store.
    """
    from rankcore.measures import parse
    from rankcore.studies import sweeps

    (file,) = outputs({"--out": out}, data, [valid, *reading.files])
    names = _data.usual_measures(measure, ["nDCG@10"], reading)
    rules = _output.rules_of(names, convention, empty)
    limit = seconds_of(budget)
    model = chosen_model(algorithm, preset, hyperparameters)
    with misuse():
        axes = dict(_axis(model, text, values) for text in over)
        numbers = _seeds(seeds)
        where = chosen_executor(executor, processes)
    prepare(model)
    splits = load_for(model, data, valid, None, normalise, reading)
    began = time.monotonic()
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        store = None if no_store else keeping(stack, "sweep")
        with misuse():
            study = sweeps.sweep(
                model, splits.train, splits.valid, axes, numbers, where,
                measures=names,
                rules=rules,
                order=sweeps.coarse_to_fine([*map(len, axes.values()), len(numbers)]),
                processes=processes,
                store=store,
            )  # fmt: skip
        best = f"{'train' if splits.valid is None else 'valid'} {parse(names[0])}"
        why = _take(study, where, Budget(interrupts, limit), best, quiet=as_json)
    if file is not None:
        write_table(file, study.to_frame())
    report = _report(study, axes, best) | {
        "seconds": time.monotonic() - began,
        "ended": why or "All runs have ended.",
        "table": None if out is None else str(out),
        **_output.weights_of(splits._asdict()),
    }
    _output.print_json(report) if as_json else _print(report, list(axes), best)
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


def _report(
    sweep: "Sweep", axes: Mapping[str, Sequence[Any]], best: str
) -> dict[str, Any]:
    return {
        "algorithm": sweep.algorithm,
        "over": {name: list(each) for name, each in axes.items()},
        "runs": len(sweep.rows),
        "of": len(sweep.cells),
        "chosen by": best,
        "rows": [row.to_row() for row in _ranked(sweep, best)],
    }


def _take(
    sweep: "Sweep", where: "Executor | None", budget: Budget, best: str, quiet: bool
) -> str:
    """Collect the rows; return the reason for an early end, or an empty text."""
    with _progress(sweep, best, quiet, budget) as say:
        budget.take(sweep, where, say)
    return budget.why if len(sweep.rows) < len(sweep.cells) else ""


@contextmanager
def _progress(sweep: "Sweep", best: str, quiet: bool, budget: Budget) -> Iterator[Any]:
    """Show progress, time left and the best model so far on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """Column with the time until all runs or the budget end."""

        def render(self, task: Task) -> Text:
            seconds = budget.left(task.time_remaining)
            return Text("" if seconds is None else f"{seconds:.0f} s left")

    console, total = Console(stderr=True), len(sweep.cells)
    columns = (
        TextColumn("{task.completed} of {task.total} runs"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[figures]}"),
        Left(),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden) as progress:
        task = progress.add_task("", total=total, figures="")

        def say(row: "Result") -> None:
            done, top = len(sweep.rows), next(iter(_ranked(sweep, best)), None)
            figures = "" if top is None else f"best {best} {_shown(top, best)}"
            progress.update(task, completed=done, figures=figures)
            if hidden and not quiet:
                options = row.cell.settings
                settings = ", ".join(f"{name} = {short(v)}" for name, v in options)
                text = row.reason if row.failed else _shown(row, best)
                typer.echo(f"{done} of {total}: {settings}: {text}", err=True)

        yield say


def _ranked(sweep: "Sweep", best: str) -> list["Result"]:
    """Return the rows of runs that did not fail, best first; models that rank nothing
    come last."""
    rows = [row for row in sweep.rows.values() if not row.failed]
    return sorted(rows, key=lambda row: (not row.ranks, -row.value(best)))


def _shown(row: "Result", best: str) -> str:
    return _output.text(listed(row.value(best), row.ranks))


def _print(report: dict[str, Any], axes: list[str], best: str) -> None:
    from rankcore.algorithms import get_algorithm
    from rankcore.training.selection import HOW, chooses

    typer.echo(
        f"{report['ended']} {report['runs']} of {report['of']} in "
        f"{report['seconds']:.1f} s.\n"
    )
    columns = [*axes, "seed", best, "nonzeros", "iteration", "seconds"]
    rows = [
        [
            short(row[name])
            if name in axes
            else listed(row[name], row["ranks"] or name != best)
            for name in columns
        ]
        for row in report["rows"][:SHOWN]
    ]
    if rows:
        _output.print_table(columns, rows)
        how = HOW[chooses(get_algorithm(report["algorithm"]), best.startswith("valid"))]
        typer.echo(f"\nIteration of the model of each run: {how}.")
    if report["table"]:
        typer.echo(f"\nTable written to {report['table']}")
    _output.print_weights(report)


def short(value: Any) -> str:
    """Return the text of a hyperparameter's value within a line."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _axis(
    model: "Ranker", text: str, count: int | None
) -> tuple[str, "list[Value] | tuple[Value, ...]"]:
    """Return the name of a hyperparameter to sweep, and its values."""
    from rankcore.base.hyperparameters import hyperparameter
    from rankcore.studies.paths import grid

    name, values, listed = text.partition("=")
    declared = hyperparameter(model, name)
    if values:
        return declared.name, [declared.parse(word) for word in listed.split(",")]
    if count is not None and declared.low is not None and declared.high is not None:
        return declared.name, list(grid(declared, count))
    if not declared.sweep:
        raise ValueError(
            f"{declared.name} declares no values for a sweep: give some, such as "
            f"--over {declared.name}={declared.short(declared.default)}, or --values 5."
        )
    return declared.name, declared.sweep


def _seeds(text: str) -> list[int]:
    from rankcore.base.numbers import read_number

    return [int(read_number(word, whole=True)) for word in text.split(",")]
