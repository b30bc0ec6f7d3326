"""Options that several commands take, described once."""

from typing import Annotated

import typer

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
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object and nothing else."),
]


def option_measures(note: str) -> typer.models.OptionInfo:
    """The option ``--measure``, with a ``note`` on its use in the command."""
    return typer.Option(metavar="NAME", help=f"May be repeated{note}")
