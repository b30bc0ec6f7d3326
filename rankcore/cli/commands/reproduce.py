"""``rankscope reproduce``."""

import logging
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._failures import misuse
from rankcore.cli._options import (
    WHOLE_MODELS,
    AsJson,
    Convention,
    NumberRange,
    option_executor,
)
from rankcore.cli.commands.train import chosen_executor

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.compute.executors import Executor
    from rankcore.studies.results import Result


def reproduce(
    folders: list[Path],
    data: list[str] | None = None,
    to: Path | None = None,
    into: Annotated[Path | None, typer.Option("--results")] = None,
    algorithm: list[str] | None = None,
    measure: list[str] | None = None,
    every: bool = False,
    convention: Convention = "letor3",
    untuned: bool = False,
    seed: Annotated[int, NumberRange(0, 2**32 - 1)] = 0,
    workers: Annotated[int, NumberRange(1, 1000)] = 1,
    executor: Annotated[
        str | None,
        option_executor(
            "models are trained", WHOLE_MODELS, "Not together with --workers."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the papers' claims, or cross-validate on LETOR folders.

    With a paper, each of its tables, figures, theorems and claims is computed and
    compared with the printed values. With folders, published values are shown beside
    ours. In each fold the hyperparameters and the iteration are chosen by validation
    nDCG@10, and the chosen model is evaluated once on the test split.

    Parameters
    ----------
    folders : PAPER | FOLDER...
        A paper (approx, rsrank, conerank, structured, fenchelrank, liu) or all, with
        --data; or LETOR folders that hold Fold1, Fold2, …
    data : FOLDER...
        With a paper: LETOR folders named after their data sets, or NAME=FOLDER, such as
        TD2003=path. May be repeated.
    to : FOLDER
        With a paper: folder for the Papers page's data and the report. (default: where
        the page reads them)
    into : FILE
        With a paper: a Markdown file into which to insert the report, too, between its
        marks, with shipped results for all other papers.
    algorithm : NAME
        Algorithm; may be repeated. (default all)
    measure : NAME
        Measure on the test split; may be repeated. (default nDCG@1, @3, @5, @10 and AP)
    every
        With a paper: also train every other algorithm, for the leaderboard.
    untuned
        Use the default hyperparameters without tuning.
    workers
        Number of processes.
    """
    from rankcore.algorithms import get_algorithm, list_algorithms
    from rankcore.cli.commands import reproduce_paper
    from rankcore.mathematics.arithmetic import deviation

    if warning := deviation():
        logging.getLogger("rankcore").warning(warning)
    where = _executor(executor, workers)
    if reproduce_paper.asked_for(folders, data):
        with where:
            reproduce_paper.reproduce(
                folders, data or [], to, into, every, where, as_json
            )
        return
    from rankcore.data.readers import load_folds
    from rankcore.studies.experiments import (
        LETOR_MEASURES,
        cross_validate,
        summary,
    )
    from rankcore.topics.papers.published import of_dataset

    with misuse():
        names = [get_algorithm(n).__name__ for n in algorithm or list_algorithms()]
    measures = measure or LETOR_MEASURES
    rules = _output.rules_of(measures, convention)
    report = {}
    with where:
        for folder in folders:
            results = []
            tasks = cross_validate(
                names,
                load_folds(folder),
                executor=where,
                grids={name: [{}] for name in names} if untuned else None,
                measures=measures,
                rules=rules,
                seed=seed,
            )
            with misuse(), closing(tasks):
                for result in tasks:
                    results.append(result)
                    _report_fold(folder.name, result)
            results.sort(key=lambda one: one.cell.fold)
            results.sort(key=lambda one: names.index(one.terms.algorithm))
            report[folder.name] = (results, summary(results), of_dataset(folder.name))
    if as_json:
        _output.print_json({key: _plain(*value) for key, value in report.items()})
        return
    for name, (results, table, printed) in report.items():
        _print_report(name, results, table, printed, convention)


def _executor(word: str | None, workers: int) -> "Executor":
    """Return the executor that trains the folds, from either option."""
    from rankcore.compute.executors import parse

    with misuse():
        return chosen_executor(word, workers, "--workers") or parse(
            "serial" if workers == 1 else f"processes:{workers}"
        )


def _report_fold(folder: str, result: "Result") -> None:
    settings = ", ".join(f"{name} = {value}" for name, value in result.settings.items())
    typer.echo(
        f"{folder} {result.cell.fold}, {result.terms.algorithm}: "
        f"iteration {result.iteration}"
        f"{' with ' + settings if settings else ''}, "
        f"{counted(result.nonzeros, 'features')}, "
        f"{result.seconds:.1f} s of training",
        err=True,
    )


def _plain(
    results: "list[Result]", table: "pd.DataFrame", frame: "pd.DataFrame"
) -> dict[str, Any]:
    return {
        "folds": [
            {
                "algorithm": result.terms.algorithm,
                "fold": result.cell.fold,
                "settings": result.settings,
                "iteration": result.iteration,
                "valid": next(iter(result.valid.values())),
                "nonzeros": result.nonzeros,
                "seconds": result.seconds,
                "test": result.test,
            }
            for result in results
        ],
        "summary": table.to_dict("records"),
        "published": frame.to_dict("records"),
    }


def _print_report(
    name: str,
    results: "list[Result]",
    table: "pd.DataFrame",
    frame: "pd.DataFrame",
    convention: str,
) -> None:
    measures = list(results[0].test)
    folds = int(table["folds"].max())
    typer.echo(
        f"\n{name}: mean ± standard deviation over {folds} test folds, {convention} "
        "convention, queries without relevant documents count 0"
    )
    rows = [
        (algorithm, "here", *(_cell(rows, measure) for measure in measures))
        for algorithm, rows in table.groupby("algorithm", sort=False)
    ]
    for (algorithm, source), group in frame.groupby(
        ["algorithm", "source"], sort=False
    ):
        values = dict(zip(group["measure"], group["value"], strict=True))
        cells = [f"{values[m]:.4f}" if m in values else "–" for m in measures]
        rows.append((algorithm, source, *cells))
    _output.print_table(("algorithm", "source", *measures), rows)


def _cell(table: "pd.DataFrame", measure: str) -> str:
    row = table[table["measure"] == measure].iloc[0]
    return f"{row['mean']:.4f} ± {row['sd']:.3f}"
