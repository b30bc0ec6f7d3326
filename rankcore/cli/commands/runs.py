"""``rankscope runs``: list, show, export and resume stored runs."""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import RANKS_NOTHING, counted, listed
from rankcore.cli import _output
from rankcore.cli._data import DATA, Reading, load, takes_reading
from rankcore.cli._failures import INTERRUPTED, Failed, Misused, misuse
from rankcore.cli._files import outputs, write_table
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._options import AsJson, At, NumberRange, Test, Valid, documented
from rankcore.cli._recording import Going, opened
from rankcore.cli.commands.export_view import away
from rankcore.cli.commands.train import (
    follow,
    prepare,
    report_of,
    selected,
    tell,
    write,
)

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.data.catalogue import Splits
    from rankcore.studies.store import Store, StoredRun

_ENDED = ("finished", "failed")
_FIELDS = (
    "id",
    "status",
    "reason",
    "title",
    "algorithm",
    "hyperparameters",
    "seed",
    "data",
    "normalisation",
    "measures",
    "iterations",
    "seconds",
    "best",
    "last",
    "created",
    "notes",
    "tags",
)

RunData = Annotated[
    str | None,
    typer.Argument(
        metavar="[DATA]",
        help=f"{DATA.help} (default: the data set that the run names)",
    ),
]
Key = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Id from `rankscope runs list` or its beginning, or last."
    ),
]


def application() -> typer.Typer:
    """Return the commands below ``rankscope runs``."""
    app = typer.Typer(
        help="Manage stored runs: list, show, export, report, import, delete, resume.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    every = list_runs, show, export, report, import_run, delete, clear, resume
    for command in every:
        app.command(command.__name__.split("_")[0])(documented(command))
    return app


def list_runs(
    search: str = "",
    algorithm: str = "",
    data: str = "",
    status: str = "",
    tag: str = "",
    visitor: str = "",
    sort: str = "newest",
    measure: str = "nDCG@10",
    limit: Annotated[int | None, NumberRange(1)] = None,
    deleted: bool = False,
    sweeps: bool = False,
    as_json: AsJson = False,
) -> None:
    """List the runs, or the sweeps.

    Parameters
    ----------
    search : WORDS
        Only runs with all these words in title, algorithm, data, notes or tags, or with
        a given setting, such as g=30.
    algorithm : NAME
        Only runs of this algorithm.
    data : NAME
        Only runs on this data set.
    status : WORD
        Only running, finished, stopped, interrupted or failed runs.
    tag : TAG
        Only runs with this tag.
    visitor : ID
        Only runs of this visitor of the app and runs without a visitor; on the Runs
        page, Export, Copy as, Command gives your id. (default: all)
    sort : WORD
        Order: newest, oldest, best, last, iterations, title, …
    measure : NAME
        Measure on validation data for best and last.
    limit
        Maximum number of rows.
    deleted
        List deleted runs instead.
    sweeps
        List the sweeps instead, all or those of --visitor or --deleted.
    """
    from rankcore.measures import parse
    from rankcore.studies.store import Query

    with _store() as store:
        which = search, algorithm, data, status, tag
        if sweeps:
            ordered = (sort, measure, limit) != ("newest", "nDCG@10", None)
            if any(which) or ordered:
                raise Misused("--sweeps allows only --visitor and --deleted.")
            _list_sweeps(store, deleted, visitor, as_json)
            return
        with misuse():
            query = Query(*which, str(parse(measure)), sort, deleted, visitor)
            table, total = store.search(query, limit)
        if as_json:
            every = store.runs(deleted).loc[list(table.index)].reset_index()
            every["settings"] = list(table["settings"])
            rows = [
                _summary(row) | {"settings": row["settings"]}
                for row in every.to_dict("records")
            ]
            _output.print_json({"store": store.url, "total": total, "runs": rows})
            return
        heads = (
            "ID", "STATUS", "TITLE", "SETTINGS", "DATA", "BEST", "BEST AT", "LAST",
            "ITERATIONS", "SECONDS", "CREATED",
        )  # fmt: skip
        _output.print_table(
            heads,
            [
                (
                    row.Index,
                    row.status,
                    row.title,
                    row.settings,
                    row.terms,
                    listed(_value(row.best), row.best_ranks),
                    _whole(row.best_iteration),
                    listed(_value(row.last), row.last_ranks),
                    row.iterations,
                    f"{row.seconds:.2f}",
                    f"{row.created:%Y-%m-%d %H:%M} UTC",
                )
                for row in table.itertuples()
            ],
        )
        if total == 0 and not (any(which) or visitor or deleted):
            typer.echo("There are no runs yet: `rankscope train` stores its runs.")
        elif len(table) < total:
            typer.echo(f"{len(table)} of {counted(total, 'runs')}.")


def _list_sweeps(store: "Store", deleted: bool, visitor: str, as_json: bool) -> None:
    table = store.sweeps(deleted, visitor=visitor)
    if as_json:
        created = [moment.isoformat() for moment in table["created"]]
        rows = table.assign(created=created).drop(columns="read").reset_index()
        records = rows.to_dict("records")
        _output.print_json({"store": store.url, "total": len(rows), "sweeps": records})
        return
    _output.print_table(
        ("ID", "TITLE", "ALGORITHM", "DATA", "CELLS", "ENDED", "CREATED"),
        [
            (
                row.Index,
                row.title,
                row.algorithm,
                row.data,
                row.cells,
                row.ended,
                f"{row.created:%Y-%m-%d %H:%M} UTC",
            )
            for row in table.itertuples()
        ],
    )


def show(key: Key, as_json: AsJson = False) -> None:
    """Show a run: how it ended, its settings, and its best and last results."""
    with _store() as store:
        run = _stored_run(store, key)
        more = {"settings": run.settings, "models": run.models()}
        summary = _summary(vars(run)) | more
        if as_json:
            _output.print_json(summary)
            return
        for name, value in summary.items():
            words = _in_words(value)
            if name in ("best", "last") and value.get("ranks") == 0.0:
                words = f"iteration {value['iteration']}, {RANKS_NOTHING}"
            typer.echo(f"{name:16}  {words}")
        if run.best and run.last:
            typer.echo(f"{'best and last':16}  {run.best_and_last}")


@takes_reading
def export(
    key: Key,
    data: RunData = None,
    out: Path | None = None,
    history: Path | None = None,
    run_out: Path | None = None,
    model: Path | None = None,
    at: At = "best",
    qrels_out: Path | None = None,
    split: str | None = None,
    valid: Valid = None,
    test: Test = None,
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Write a run with its history and models as JSON, its history as a table, one of
    its models, or its rankings for trec_eval. Rankings need the training data.

    Parameters
    ----------
    out : FILE
        Write here. (default: standard output)
    history : FILE
        Write the metrics of each iteration here, as .csv, .parquet, .json, .md or .tex;
        the run itself only with --out.
    run_out : FILE
        Write the rankings of the model here as a TREC run; the run itself only with
        --out.
    model : FILE
        Write the model here, as `rankscope train --out` does; the run itself only with
        --out.
    qrels_out : FILE
        Write the labels here as TREC qrels.
    split : WORD
        Split to rank: train, valid or test. (default: the one that chose the best
        model)
    """
    from rankcore.data.trec import qrels, trec_run
    from rankcore.reports.formats import FORMATS
    from rankcore.studies.models import model_to_json

    paths = {
        "--out": out,
        "--history": history,
        "--run-out": run_out,
        "--qrels-out": qrels_out,
        "--model": model,
    }
    inputs = [valid, test, *reading.files]
    file, table, run_file, qrels_file, model_file = outputs(paths, data, inputs)
    if out is not None and out.suffix.lower().lstrip(".") in FORMATS.keys() - {"json"}:
        raise Misused(
            f"--out writes the run as JSON, not as {out.suffix}: name a .json file, or "
            f"give --history {out} for the metrics of each iteration."
        )
    ranked = run_file is not None or qrels_file is not None
    parts = {"DATA": data, "--split": split, "--valid": valid, "--test": test}
    for option in (option for option, value in parts.items() if value and not ranked):
        raise Misused(f"{option} has no effect without --run-out or --qrels-out.")
    if at != "best" and run_file is None and model_file is None:
        raise Misused("--at has no effect without --model or --run-out.")
    with _store() as store:
        run = _stored_run(store, key)
        text, figures = run.to_json(), run.history()
        fitted = None if model_file is None else _model(run, at)
        scored = None
        if ranked:
            splits = _data_of(run, data, reading, valid, test)
            with misuse():
                scored = run.scored(splits, split or "", at)
    write_table(table, figures)
    if model_file is not None and fitted is not None:
        model_file.write(model_to_json(fitted))
        typer.echo(f"Model: {fitted.provenance_.text}.", err=True)
    if scored is not None:
        dataset, scores = scored
        if run_file is not None:
            run_file.write(trec_run(dataset, scores, run.algorithm))
        if qrels_file is not None:
            qrels_file.write(qrels(dataset))
    if file is not None:
        file.write(text)
    elif table is None and fitted is None and not ranked:
        typer.echo(text, nl=False)
        return
    if as_json:
        _output.print_json(_files_of(run, paths))


def _model(run: "StoredRun", at: str) -> "Ranker":
    """Return the model of a run that ``--at`` names."""
    try:
        return run.model(at)
    except KeyError as error:
        raise Misused(error.args[0]) from None


@takes_reading
def report(
    key: Key,
    data: RunData = None,
    valid: Valid = None,
    out: Path = Path("run.html"),
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Write a run as one HTML file: curves, coefficients, a ranking, and a slider over
    its iterations. It opens without a network.

    Parameters
    ----------
    out : FILE
        Write the HTML file here.
    """
    (file,) = outputs({"--out": out}, data, [valid, *reading.files])
    with _store() as store:
        stored = _stored_run(store, key)
        splits = _data_of(stored, data, reading, valid)
        with misuse():
            text = away().stored_run(stored, splits)
    if file is not None:
        file.write(text)
    if as_json:
        _output.print_json(_files_of(stored, {"--out": out}))


def import_run(
    path: Path,
    as_json: AsJson = False,
) -> None:
    """Import an exported run; it keeps its id.

    Parameters
    ----------
    path : FILE
        File from `rankscope runs export`, or - for standard input.
    """
    from rankcore.base.errors import DataError

    content = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    with _store() as store:
        try:
            key = store.add(content)
        except DataError as error:
            raise DataError(error.problem, error.remedy, file=str(path)) from error
        if as_json:
            _output.print_json(_summary(vars(store.load(key))))
        else:
            typer.echo(f"Imported run {key}.")


def delete(
    keys: list[str],
    undo: bool = False,
    as_json: AsJson = False,
) -> None:
    """Delete runs or sweeps; --undo restores them.

    Parameters
    ----------
    keys : ID...
        Ids as for `rankscope runs show`, or ids of sweeps.
    undo
        Restore deleted runs or sweeps.
    """
    with _store() as store:
        sweeps = list(store.sweeps(deleted=undo).index)
        deleted_ids = [
            _only(key, _fitting(store, key, undo, sweeps), undo) for key in keys
        ]
        change = store.restore if undo else store.delete
        change(*deleted_ids)
        if as_json:
            _output.print_json({"restored" if undo else "deleted": deleted_ids})
        else:
            done = "Brought back" if undo else "Deleted"
            typer.echo(f"{done}: {', '.join(deleted_ids)}.")


def clear(as_json: AsJson = False) -> None:
    """Remove deleted runs and sweeps permanently, and free their space."""
    with _store() as store:
        runs, sweeps = store.clear()
        if as_json:
            removed = {"removed": runs, "sweeps": sweeps}
            _output.print_json(removed | {"bytes": store.size()})
        else:
            swept = f" and {counted(sweeps, 'sweeps')}" if sweeps else ""
            typer.echo(f"Removed {counted(runs, 'runs')}{swept}.")


@takes_reading
def resume(
    key: Key,
    data: RunData = None,
    valid: Valid = None,
    test: Test = None,
    normalise: str | None = None,
    out: Path | None = None,
    at: At = "best",
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Resume a stopped or interrupted run with the result of an uninterrupted one: its
    iterations so far are repeated.

    Parameters
    ----------
    normalise : WORD
        Normalisation, as for train. (default: that of the run)
    out : FILE
        Write the model here.
    """
    (file,) = outputs({"--out": out}, data, [valid, test, *reading.files])
    with _store() as store:
        stored = _stored_run(store, key)
        if stored.status in _ENDED:
            raise Failed(f"Run {stored.id} has ended: {stored.reason}")
        with misuse():
            model = stored.ranker()
        prepare(model)
        splits = _data_of(stored, data, reading, valid, test, normalise)
        with misuse():
            run = stored.again(splits.train, splits.valid)
        recording = Going(store, stored, run)
        with Interrupts() as interrupts:
            follow(run, interrupts, recording, quiet=as_json)
            selection = selected(run, at)
            model.load_run(run, selection.record)
            write(model, file, None)
            report = report_of(model, run, selection, splits, stored.id, out, None)
            tell(report, run, as_json)
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


def _data_of(
    stored: "StoredRun",
    data: str | None,
    reading: Reading,
    valid: Path | None = None,
    test: Path | None = None,
    normalise: str | None = None,
) -> "Splits":
    """Load the data of a run, by default the catalogue's data set of that name, scaled
    as in the run."""
    from rankcore.data.catalogue import list_datasets

    name = data or stored.data_set
    if not data and name not in {info.name for info in list_datasets()}:
        raise Misused(
            f"Run {stored.id} was trained on {stored.data or 'unnamed data'}, which is "
            "not in the catalogue: give the data after the id, as for training."
        )
    scaling = normalise or stored.normalisation or "none"
    return load(name, valid, test, scaling, reading)


@contextmanager
def _store() -> "Iterator[Store]":
    """Provide the run store; its errors end the command."""
    from rankcore.studies.store import StoreError

    try:
        with opened() as store:
            yield store
    except StoreError as error:
        raise Failed(str(error)) from error


def _stored_run(store: "Store", key: str) -> "StoredRun":
    """Return the run whose id begins with ``key``; ``last`` is the newest."""
    return store.load(_only(key, _fitting(store, key)))


def _fitting(
    store: "Store", key: str, deleted: bool = False, sweeps: Sequence[str] = ()
) -> list[str]:
    """Return the ids of runs, and of some ``sweeps``, that begin with ``key``."""
    if key == "last":
        return store.beginning("", deleted)[:1]
    fitting = [
        *store.beginning(key, deleted),
        *(k for k in sweeps if k.startswith(key)),
    ]
    return [key] if key in fitting else fitting if key else []


def _only(key: str, fitting: Sequence[str], deleted: bool = False) -> str:
    if len(fitting) > 1:
        raise Misused(f"Several runs begin with {key!r}: {', '.join(fitting)}.")
    if not fitting:
        state = "deleted run" if deleted else "run"
        raise Misused(f"There is no {state} {key!r}; see `rankscope runs list`.")
    return fitting[0]


def _summary(run: Any) -> dict[str, Any]:
    """Return the fields of a run by name, for scripts."""
    fields = {name: run[name] for name in _FIELDS}
    return fields | {"created": fields["created"].isoformat()}


def _files_of(run: "StoredRun", paths: Mapping[str, Path | None]) -> dict[str, Any]:
    """Return the files that a command has written for a run, by option."""
    return {"run": run.id, "files": {k: str(v) for k, v in paths.items() if v}}


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else int(number)


def _value(number: float) -> float | None:
    return None if math.isnan(number) else float(number)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
