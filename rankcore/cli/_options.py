"""Options that several commands take, described once."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rankcore.cli._failures import misuse
from rankcore.hyperparameters import Hyperparameter

Convention = Annotated[
    str,
    typer.Option(metavar="WORD", help="How to measure: standard, letor3, letor4."),
]
Empty = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="What queries without relevant documents count: zero, skip, one.",
    ),
]
Valid = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Validation data; it chooses the best iteration."
    ),
]
Test = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Test data, measured at the end."),
]
Normalise = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="Scale each feature within its query: minmax, zscore or none.",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Settings by name; `rankscope describe` lists them."
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object and nothing else."),
]


def option_measures(note: str) -> typer.models.OptionInfo:
    """The option ``--measure``, with a ``note`` on its use in the command."""
    return typer.Option(metavar="NAME", help=f"May be repeated{note}")


def option_number(
    name: str,
    kind: Literal["real", "integer"],
    minimum: float,
    maximum: float | None = None,
    help: str | None = None,  # noqa: A002
) -> typer.models.OptionInfo:
    """An option that takes a number, read as those of the hyperparameters are."""
    declared = Hyperparameter(
        name, kind, None, help or "", minimum=minimum, maximum=maximum
    )

    def read(given: Any) -> Any:
        with misuse():
            # A default is a number already.
            return declared.parse(given if isinstance(given, str) else str(given))

    metavar = {"real": "NUMBER", "integer": "WHOLE"}[kind]
    return typer.Option(name, metavar=metavar, parser=read, help=help)
