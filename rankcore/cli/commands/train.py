"""``rankscope train``."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.cancellation import exit_of
from rankcore.base.numbers import counted, listed
from rankcore.cli import _data, _options, _output
from rankcore.cli._failures import INTERRUPTED, Misused, misuse
from rankcore.cli._files import beside, outputs, write_table
from rankcore.cli._hyperparameters import parse
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._recording import Going, Recording

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.base.outputs import Output
    from rankcore.compute.executors import Executor
    from rankcore.data.catalogue import Splits
    from rankcore.measures import Rules
    from rankcore.training import Record, Run
    from rankcore.training.selection import Selection


@_data.takes_reading
@_data.takes_weights
def train(
    data: _data.Data,
    algorithm: _options.AlgorithmName,
    valid: _options.Valid = None,
    test: _options.Test = None,
    normalise: _options.Normalise = "none",
    preset: _options.Preset = None,
    max_seconds: Annotated[float | None, _options.NumberRange(0)] = None,
    measure: list[str] | None = None,
    convention: _options.Convention = "standard",
    empty: _options.Empty = "zero",
    start: Path | None = None,
    change: list[str] | None = None,
    out: Path | None = None,
    at: _options.At = "best",
    history: Path | None = None,
    executor: _options.SumsExecutor = None,
    no_store: bool = False,
    as_json: _options.AsJson = False,
    *,
    reading: _data.Reading,
    **hyperparameters: str | None,
) -> None:
    """Train an algorithm. Its hyperparameters are options, too: list them with
    `rankscope train RSRank --help`.

    Ctrl-C ends training after the current iteration: the best model so far is written
    and evaluated as usual, and the exit code is 130. Before training begins, it ends
    the command at once.

    Parameters
    ----------
    max_seconds
        End after this training time.
    measure : NAME
        Measure, repeatable; the first one chooses the best iteration. (default nDCG@10)
    start : MODEL
        Start from this model.
    change : K:NAME=VALUE
        Change a hyperparameter after iteration K, such as 40:learning-rate=0.01; may be
        repeated.
    out : FILE
        Write the model here, and its history beside it.
    history : FILE
        Write the figures of each iteration here, as .csv, .parquet, .json, .md or .tex.
        (default: the model's path with .history.csv)
    no_store
        Do not save the run to the run store.
    """
    from rankcore.training.changes import parse as parse_changes

    history = history or beside(out, ".history.csv")
    paths = {"--out": out, "--history": history}
    files = outputs(paths, data, [valid, test, start, *reading.files])
    names = _data.usual_measures(measure, ["nDCG@10"], reading)
    rules = _output.rules_of(names, convention, empty)
    model = chosen_model(algorithm, preset, hyperparameters)
    _check_iteration(at, model)
    with misuse():
        changes = parse_changes(type(model), ";".join(change or []))
        where = chosen_executor(executor)
    prepare(model)
    splits = load_for(model, data, valid, test, normalise, reading)
    with misuse():
        run = _run(
            model,
            splits,
            max_seconds,
            measures=names,
            rules=rules,
            start=_coefficients(start),
            changes=changes,
            executor=where,
        )
    caution = model.caution(splits.train)
    if caution is not None:
        typer.echo(caution, err=True)
    read = _data.data_record(splits, data, valid, test, normalise, reading)
    recording = None if no_store else Recording(run, read)
    with Interrupts() as interrupts:
        with where or nullcontext():
            key = follow(run, interrupts, recording, quiet=as_json)
        _tell_changes_not_made(changes, run.history[-1].iteration)
        selection = selected(run, at)
        model.load_run(run, selection.record)
        write(model, *files)
        report = report_of(model, run, selection, splits, key, out, history)
        tell(report, run, as_json)
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


def chosen_model(
    name: str, preset: str | None, texts: dict[str, str | None]
) -> "Ranker":
    """Return the named algorithm with a preset's settings, overridden by others."""
    from rankcore.algorithms import get_algorithm

    with misuse():
        algorithm = get_algorithm(name)
    settings = {} if preset is None else dict(_preset(algorithm, preset))
    return algorithm(**settings | parse(algorithm, texts))


def _preset(algorithm: "type[Ranker]", wanted: str) -> dict[str, Any]:
    """Return a preset by its name or by an unambiguous beginning."""
    fitting = [
        name
        for name in algorithm.presets
        if name.lower().startswith(wanted.strip().lower())
    ]
    exact = [name for name in fitting if name.lower() == wanted.strip().lower()]
    if len(exact or fitting) != 1:
        names = ", ".join(repr(name) for name in algorithm.presets) or "none"
        raise Misused(
            f"{algorithm.__name__} has no preset {wanted!r}; its presets are: {names}."
        )
    return dict(algorithm.presets[(exact or fitting)[0]])


def _check_iteration(at: str, model: "Ranker") -> None:
    if at.isdecimal() and int(at) > model.max_iter:
        raise Misused(
            f"Training ends after {counted(model.max_iter, 'iterations')}, so there is "
            f"no model of iteration {at}: give a smaller --at, or a larger --max-iter."
        )


def _tell_changes_not_made(changes: Iterable[int], last: int) -> None:
    """Report changes of hyperparameters that come after the last iteration."""
    for later in (k for k in changes if k >= last):
        typer.echo(
            f"The change after iteration {later} was not made: training ended after "
            f"{last}.",
            err=True,
        )


def _coefficients(start: Path | None) -> Any:
    from rankcore.algorithms import LinearRanker
    from rankcore.studies.models import load_model

    if start is None:
        return None
    model = load_model(start)
    return model.coef_ if isinstance(model, LinearRanker) else model.parameters_


def chosen_executor(
    text: str | None, processes: int = 1, option: str = "--processes"
) -> "Executor | None":
    """Return the executor of ``--executor``, which excludes an ``option`` with a number
    of processes. Raises ValueError if it does not exist."""
    from rankcore.compute.executors import allowed_threads, parse

    if text is not None and processes > 1:
        raise Misused(f"Give {option} or --executor, not both.")
    if text is None:
        # An invalid number of threads is reported before the data are read.
        allowed_threads()
        return None
    return parse(text)


def load_for(
    model: "Ranker",
    data: str,
    valid: Path | None = None,
    test: Path | None = None,
    normalise: str = "none",
    reading: _data.Reading | None = None,
) -> "Splits":
    """Load data for a model, see `rankcore.cli._data.load`; end the command if the
    model cannot handle the missing values."""
    from rankcore.data.dataset import check_missing

    splits = _data.load(data, valid, test, normalise, reading)
    train, valid_data, test_data = splits
    with misuse():
        if train.has_missing and not model.takes_missing:
            raise ValueError(model.unsupported_reason(train))
        check_missing(train, validation=valid_data, test=test_data)
    return splits


def prepare(model: "Ranker") -> None:
    """Compile or load kernels before the training time is measured."""
    from rich.console import Console

    from rankcore.topics.warmup import compile_for

    console = Console(stderr=True)
    with misuse(), console.status("Preparing: the first run on a machine compiles"):
        compile_for(model)


def _run(
    model: "Ranker", splits: "Splits", max_seconds: float | None, **details: Any
) -> "Run":
    from rankcore.training import Stop, drive

    stop = Stop(max_iterations=model.max_iter, max_seconds=max_seconds)
    return drive(model, splits.train, splits.valid, stop=stop, **details)


def follow(
    run: "Run", interrupts: Interrupts, recording: Recording | Going | None, quiet: bool
) -> str | None:
    """Run training to its end or to Ctrl-C; return the run's id, or None if it is not
    stored."""
    error: str | None = None
    try:
        # The first step raises the error of a starting model that does not fit.
        with misuse(), _progress(run, run.algorithm.max_iter, quiet) as show:
            for record in run:
                show(record)
                if interrupts.noted:
                    break
    except Exception as problem:
        if exit_of(problem) is None:
            error = str(problem) or type(problem).__name__
        raise
    finally:
        key = None if recording is None else recording.end(error)
    return key


@contextmanager
def _progress(run: "Run", passes: int, quiet: bool) -> Iterator[Any]:
    """Show the progress and the measures of training on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("iteration {task.completed} of {task.total}"),
        TextColumn("{task.fields[figures]}"),
        TimeElapsedColumn(),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden) as progress:
        title = type(run.algorithm).__name__
        task = progress.add_task(title, total=passes, figures="")
        yield lambda record: progress.update(
            task, completed=record.iteration, figures=_figures(record)
        )


def _figures(record: "Record") -> str:
    parts = {"train": record.train, "valid": record.valid}
    return "  ".join(
        f"{part} {name} {listed(f'{value:.4f}', record.ranks)}"
        for part, means in parts.items()
        for name, value in list(means.items())[:1]
    )


def selected(run: "Run", at: str) -> "Selection":
    """Return the model that ``--at`` names, or the last one, with a notice, if training
    ended before."""
    from rankcore.training.selection import LAST, select

    ended = run.history[-1].iteration
    if at.isdecimal() and int(at) > ended:
        typer.echo(
            f"There is no iteration {at}: training ended after {ended}, and this is "
            "the last model.",
            err=True,
        )
        at = LAST
    return select(run, at)


def write(model: "Ranker", out: "Output | None", history: "Output | None") -> None:
    """Write the model and the table of its iterations to the given files."""
    from rankcore.studies.models import model_to_json

    if out is not None:
        out.write(model_to_json(model))
    write_table(history, model.history_.to_frame())


def report_of(
    model: "Ranker",
    run: "Run",
    selection: "Selection",
    splits: "Splits",
    key: str | None,
    out: Path | None,
    history: Path | None,
) -> dict[str, Any]:
    """Return the report that is printed, with the same keys for people and scripts."""
    from rankcore import measures
    from rankcore.base.hyperparameters import stored_settings
    from rankcore.training.selection import best_and_last

    best, last, chosen = run.best, run.history[-1], selection.record
    judged = run.train if run.valid is None else run.valid
    names = [str(measure) for measure in run.measures]
    tied = measures.ties_of(run.scores(chosen), judged.y, judged.offsets)
    return {
        "run": key,
        "algorithm": type(model).__name__,
        "hyperparameters": stored_settings(model),
        "data": run.train.name,
        "fingerprint": run.train.fingerprint,
        "changes": [change._asdict() for change in run.history.changes],
        "reason": run.reason or "Interrupted.",
        "iterations": last.iteration,
        "seconds": last.seconds,
        "best": _numbers(best),
        "last": _numbers(last),
        "chosen": _numbers(chosen) | {"by": selection.by, "text": selection.text},
        "best and last": best_and_last(run, names[0]),
        **run.rules._asdict(),
        "measures": {
            part: _output.means(
                dataset, model.scores(dataset.X, chosen.coef), names, run.rules
            )
            for part, dataset in zip(splits._fields, splits, strict=True)
            if dataset is not None
        },
        **_output.weights_of(splits._asdict()),
        "ties": tied.sentence(run.rules.convention),
        "model": None if out is None else str(out),
        "history": None if history is None else str(history),
    }


def _numbers(record: "Record") -> dict[str, Any]:
    return {
        "iteration": record.iteration,
        "objective": record.objective,
        "nonzeros": record.nonzeros,
        "ranks": record.ranks,
    }


def tell(report: dict[str, Any], run: "Run", as_json: bool) -> None:
    """Print a report from `report_of`."""
    if as_json:
        _output.print_json(report)
    else:
        _print(report, run.rules, run.algorithm.nonzeros_title)


def _print(report: dict[str, Any], rules: "Rules", nonzeros: str) -> None:
    chosen, both = report["chosen"], report["best and last"]
    typer.echo(report["reason"])
    typer.echo(
        f"Model: {chosen['text']}, of {report['iterations']}: objective "
        f"{chosen['objective']:.6g}, {nonzeros.lower()} {chosen['nonzeros']}, "
        f"{report['seconds']:.2f} s of training."
    )
    typer.echo(f"{both[0].upper()}{both[1:]}.\n")
    _output.print_measures(report["measures"], rules)
    _output.print_weights(report)
    if report["ties"]:
        typer.echo(f"\n{report['ties']}")
    for kind in ("model", "history"):
        if report[kind]:
            typer.echo(f"{kind.capitalize()} written to {report[kind]}")
    if report["run"]:
        typer.echo(f"Stored as run {report['run']}: see `rankscope runs`.")
