"""``rankscope path``."""

import math
from contextlib import ExitStack
from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted, listed
from rankcore.base.spreadsheets import frame_csv
from rankcore.cli import _data, _options, _output
from rankcore.cli._budget import Budget
from rankcore.cli._failures import INTERRUPTED, misuse
from rankcore.cli._files import outputs
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._recording import keeping
from rankcore.cli.commands.train import chosen_executor, chosen_model, load_for, prepare

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.data.dataset import RankingDataset
    from rankcore.measures import Rules
    from rankcore.studies.paths import Path
    from rankcore.studies.results import Result


@_data.takes_reading
@_data.takes_weights
def path(
    data: _data.Data,
    algorithm: _options.AlgorithmName,
    over: Annotated[str, typer.Option()],
    values: str | None = None,
    cold: bool = False,
    normalise: _options.Normalise = "none",
    preset: _options.Preset = None,
    measure: list[str] | None = None,
    tolerated_loss: Annotated[float, _options.NumberRange(0)] = 0.03,
    convention: _options.Convention = "standard",
    empty: _options.Empty = "zero",
    out: File | None = None,
    coefficients: File | None = None,
    executor: _options.SumsExecutor = None,
    no_store: bool = False,
    as_json: _options.AsJson = False,
    *,
    reading: _data.Reading,
    **hyperparameters: str | None,
) -> None:
    """Train one hyperparameter's grid, each value starting from the previous model.

    The command then chooses the model with the fewest features within the tolerated
    loss of the best one on validation data (or on training data without these), and
    compares it on test data with the full model, the one with the most features. Ctrl-C
    ends the path; values trained so far are reported.

    Parameters
    ----------
    over : NAME
        Hyperparameter, such as g or radius.
    values : NUMBERS
        Values in the order of training, such as 0,5,50. (default the whole range)
    cold
        Train each value from scratch.
    measure : NAME
        Measure, repeatable; the last one chooses the smallest model. (default nDCG@1 …
        @10)
    tolerated_loss
        Largest loss of the smallest model relative to the best one of the path.
    out : FILE
        Write the results of each value here, as CSV.
    coefficients : FILE
        Write the coefficients here, as CSV.
    no_store
        Do not save the path to the run store.
    """
    from rankcore.measures import parse
    from rankcore.studies.paths import CUTOFFS
    from rankcore.studies.paths import path as path_of

    paths = {"--out": out, "--coefficients": coefficients}
    figures, coefs = outputs(paths, data, reading.files)
    names = _data.usual_measures(measure, CUTOFFS, reading)
    rules = _output.rules_of(names, convention, empty)
    names = [str(parse(name)) for name in names]
    model = chosen_model(algorithm, preset, hyperparameters)
    over = over.replace("-", "_")
    grid = None if values is None else _numbers(values, model, over)
    with misuse():
        where = chosen_executor(executor)
    prepare(model)
    splits = load_for(model, data, normalise=normalise, reading=reading)
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        store = None if no_store else keeping(stack, "path")
        with misuse():
            points = path_of(
                model,
                splits,
                over,
                grid,
                measures=names,
                rules=rules,
                warm=not cold,
                executor=where,
                store=store,
            )
            say = None if as_json else partial(_say, points)
            Budget(interrupts, None).take(points, where, say)
        if figures is not None:
            figures.write(frame_csv(points.to_frame(), missing=""))
        if coefs is not None:
            coefs.write(frame_csv(points.coefficients_to_frame(), index=True))
        report = _report(points, splits.test, names[-1], tolerated_loss, rules)
        report |= _output.weights_of(splits._asdict())
        _output.print_json(report) if as_json else _print(report, names)
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


def _say(path: "Path", point: "Result") -> None:
    """Report the result of a value on standard error."""
    typer.echo(
        f"{path.name} = {point.cell.value:g}: {counted(point.nonzeros, 'features')}, "
        f"{point.model.provenance_.text}, {point.seconds:.1f} s",
        err=True,
    )


def _numbers(text: str, model: "Ranker", over: str) -> list[Any]:
    """Return the values of a path, parsed from a list with commas."""
    from rankcore.studies.paths import numeric_hyperparameter

    with misuse():
        declared = numeric_hyperparameter(model, over)
        return [declared.parse(word) for word in text.split(",")]


def _report(
    points: "Path",
    test: "RankingDataset | None",
    measure: str,
    tolerance: float,
    rules: "Rules",
) -> dict[str, Any]:
    from rankcore.topics.sparsity.paths import against_full, smallest

    report: dict[str, Any] = {
        "over": points.name,
        "points": points.to_frame().to_dict("records"),
        "smallest": None,
        "test": None,
    }
    if points.points:
        result = smallest(points, measure, tolerance)
        origin = points.points[result.at].model.provenance_
        report["smallest"] = result._asdict() | {
            "fraction": result.fraction,
            "iteration": origin.iteration,
            "model": origin.text,
        }
        if test is not None:
            change = against_full(points, result.at, test, measure, rules)
            report["test"] = change._asdict()
    return report


def _print(report: dict[str, Any], names: list[str]) -> None:
    if not report["points"]:
        typer.echo("Interrupted before the first value was trained.")
        return
    shown = [names[0], names[-1]] if len(names) > 1 else names
    columns = [
        f"{part} {name}"
        for part in ("train", "valid", "test")
        for name in shown
        if f"{part} {name}" in report["points"][0]
    ]
    heads = (report["over"], "features", "objective", *columns)
    _output.print_table(
        heads,
        [
            (
                point[report["over"]],
                point["nonzeros"],
                point["objective"],
                *(listed(point[column], point["ranks"]) for column in columns),
            )
            for point in report["points"]
        ],
    )
    typer.echo(f"\n{_chosen(report['over'], report['smallest'])}")
    if report["test"] is not None:
        typer.echo(_tested(report["smallest"]["measure"], report["test"]))
    _output.print_weights(report)


def _chosen(over: str, options: dict[str, Any]) -> str:
    """Return a sentence with the rule and the model that it chooses."""
    where = (
        "validation" if options["part"] == "valid" else "training, no validation data"
    )
    return (
        f"Smallest model within {100 * options['tolerance']:g}% of the best "
        f"{options['measure']} ({where}): {over} = {options['value']:g}, "
        f"{options['left']} of {counted(options['features'], 'features')} "
        f"({options['fraction']:.0%}), {options['measured']:.4f} against "
        f"{options['best']:.4f}; {options['model']}."
    )


def _tested(measure: str, change: dict[str, Any]) -> str:
    """Return a sentence with the test result of that model, and an interval if there
    are enough queries."""
    from rankcore.mathematics.statistics import few_differ

    means = (
        f"Test {measure} {change['after']:.4f} against {change['before']:.4f} for the "
        f"full model"
    )
    if math.isnan(change["low"]):
        return f"{means}; {change['queries']} queries are too few for an interval."
    return (
        f"{means}: {change['change']:+z.1%} [{change['low']:+z.1%}, "
        f"{change['high']:+z.1%}] ({change['confidence']:.0%} interval of paired "
        f"differences over {counted(change['queries'], 'queries')})."
        f" {few_differ(change['differing'], change['queries'])}"
    ).rstrip()
