"""``rankscope path``."""

from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.cli import _output
from rankcore.cli._data import DATA_HELP, NORMALISE_HELP, load
from rankcore.cli._failures import INTERRUPTED, Misused, misuse
from rankcore.cli._interrupts import Interrupts
from rankcore.cli._training import check_writable, chosen_model, prepare

if TYPE_CHECKING:
    from rankcore.paths import Path


def path(
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)],
    algorithm: Annotated[
        str,
        typer.Argument(metavar="ALGORITHM", help="A name of `rankscope algorithms`."),
    ],
    over: Annotated[
        str,
        typer.Option(metavar="NAME", help="The hyperparameter, such as g or radius."),
    ],
    values: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Such as 0,5,50, in the order of training. (default its whole range)",
        ),
    ] = None,
    cold: Annotated[
        bool, typer.Option("--cold", help="Start each value afresh.")
    ] = False,
    normalise: Annotated[
        str, typer.Option(metavar="WORD", help=NORMALISE_HELP)
    ] = "none",
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Settings by name; `rankscope describe` lists them."
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="May be repeated. (default nDCG@1 … @10)"),
    ] = None,
    tolerated_loss: Annotated[
        float,
        typer.Option(
            metavar="NUMBER", min=0, help="Relative loss to tolerate for sparsity."
        ),
    ] = 0.03,
    convention: Annotated[
        str,
        typer.Option(metavar="WORD", help="How to measure: standard, letor3, letor4."),
    ] = "standard",
    empty: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="What queries without relevant documents count: zero, skip, one.",
        ),
    ] = "zero",
    out: Annotated[
        File | None,
        typer.Option(metavar="FILE", help="Write the figures of each value here, CSV."),
    ] = None,
    coefficients: Annotated[
        File | None,
        typer.Option(metavar="FILE", help="Write the coefficients here, CSV."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON object and nothing else."),
    ] = False,
    **hyperparameters: str | None,
) -> None:
    """Train a whole grid of one hyperparameter, each value from the model before.

    Ends with the fewest features whose mean loss against the model with the most is
    tolerated. Ctrl-C ends the path with the values that are ready.
    """
    from rankcore.paths import CUTOFFS
    from rankcore.paths import path as path_of

    for file in (out, coefficients):
        check_writable(file)
    names = measure or list(CUTOFFS)
    _output.check_measures(names, convention, empty)
    model = chosen_model(algorithm, preset, hyperparameters)
    with Interrupts() as interrupts:
        prepare(model)
        splits = load(data, normalise=normalise)
        with misuse():
            points = path_of(
                model,
                splits,
                over.replace("-", "_"),
                None if values is None else _numbers(values),
                measures=names,
                convention=convention,
                empty=empty,
                warm=not cold,
                during=lambda *_: _stop_if(interrupts),
            )
            _take(points, quiet=as_json)
    if out is not None:
        points.to_frame().to_csv(out, index=False)
    if coefficients is not None:
        points.coefficients_to_frame().to_csv(coefficients)
    report = _report(points, names, tolerated_loss)
    _output.print_json(report) if as_json else _print(report, names)
    if interrupts.noted:
        raise typer.Exit(INTERRUPTED)


class _InterruptedError(Exception):
    """Ctrl-C has been pressed."""


def _stop_if(interrupts: Interrupts) -> None:
    if interrupts.noted:
        raise _InterruptedError


def _take(points: "Path", quiet: bool) -> None:
    """Take all points, saying how far it is on standard error."""
    try:
        for point in points:
            if not quiet:
                typer.echo(
                    f"{points.name} = {point.value:g}: {point.nonzeros} features, "
                    f"{point.iteration} passes, {point.seconds:.1f} s",
                    err=True,
                )
    except _InterruptedError:
        return


def _numbers(text: str) -> list[Any]:
    found = []
    for word in text.split(","):
        try:
            number = float(word)
        except ValueError:
            raise Misused(
                f"--values takes numbers with commas between, such as 0,5,50; "
                f"{word.strip()!r} is none."
            ) from None
        found.append(int(number) if number.is_integer() else number)
    return found


def _report(points: "Path", names: list[str], tolerance: float) -> dict[str, Any]:
    from rankcore.insight.sparsity import features_left

    report: dict[str, Any] = {
        "over": points.name,
        "points": points.to_frame().to_dict("records"),
        "tolerated": None,
    }
    if points.points:
        parts = list(points.points[0].measures)
        densest = max(
            range(len(points.points)), key=lambda i: points.points[i].nonzeros
        )
        found = features_left(points, tolerance, parts[-1], names, densest)
        report["tolerated"] = {
            **found._asdict(),
            "fraction": found.fraction,
            "part": parts[-1],
            "tolerance": tolerance,
        }
    return report


def _print(report: dict[str, Any], names: list[str]) -> None:
    if not report["points"]:
        typer.echo("Interrupted before the first value was ready.")
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
                *(point[column] for column in columns),
            )
            for point in report["points"]
        ],
    )
    found = report["tolerated"]
    typer.echo(
        f"\nWith {report['over']} = {found['value']:g}, {found['left']} of "
        f"{found['features']} features ({found['fraction']:.0%}) are left; the "
        f"{found['part']} measures change by {found['change']:+.1%} on average."
    )
