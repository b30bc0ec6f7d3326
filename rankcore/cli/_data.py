"""From what a person types to a data set in its parts."""

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.cli._failures import Misused

if TYPE_CHECKING:
    from rankcore.readers import Splits

DATA_HELP = (
    "A data set of `rankscope datasets`, a file (LETOR text, CSV or Parquet), the "
    "folder of one LETOR fold, or - for standard input."
)
NORMALISE_HELP = "Scale each feature within its query: minmax, zscore or none."


COLUMN_HELP = {
    "label": "The column with the relevance grades.",
    "query": "The column with the query ids.",
    "document": "The column with the document ids.",
    "text": "A column with a text of the document, such as its title.",
    "query_text": "A column with the words of the query.",
    "ignore": "A column to leave out; may be repeated.",
}


def takes_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name columns of CSV and Parquet.

    Parameters
    ----------
    command : callable
        Takes what they are given as the mapping ``columns``, for `load`.
    """
    signature = inspect.signature(command)
    parameters = [p for p in signature.parameters.values() if p.name != "columns"]
    options = [_column_option(role) for role in COLUMN_HELP]
    at = len(parameters) - (parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)

    @wraps(command)
    def with_columns(**values: Any) -> None:
        columns = {role: values.pop(role) for role in COLUMN_HELP}
        command(**values, columns={**columns, "ignore": columns["ignore"] or []})

    with_columns.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*parameters[:at], *options, *parameters[at:]]
    )
    return with_columns


def _column_option(role: str) -> inspect.Parameter:
    option = typer.Option(
        metavar="COLUMN",
        help=COLUMN_HELP[role],
        rich_help_panel="Columns of CSV and Parquet",
    )
    kind = list[str] | None if role == "ignore" else str | None
    return inspect.Parameter(
        role,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[kind, option],
    )


def load(
    data: str,
    valid: Path | None = None,
    test: Path | None = None,
    normalise: str = "none",
    columns: dict[str, Any] | None = None,
) -> "Splits":
    """Load a data set in its parts.

    Parameters
    ----------
    data : str
        A name of the catalogue, a file, a fold's folder, or - for standard input.
    valid, test : path, optional
        Files to use for these parts instead.
    normalise : str
        "none", or how to scale each feature within its query.
    columns : dict, optional
        Columns of tables, as `takes_columns` gives them.

    Raises
    ------
    DataError
        If there is no such data or it cannot be used.
    """
    from rankcore import catalogue
    from rankcore.readers import Splits, read
    from rankcore.readers.folds import same_features

    columns = columns or {}
    if data == "-":
        loaded = Splits(read(sys.stdin.buffer, name="standard input", **columns))
    else:
        path = Path(data).expanduser() if data.startswith("~") else data
        loaded = catalogue.load(path, **columns)
    parts = {name: part for name, part in loaded._asdict().items() if part is not None}
    given = {"valid": valid, "test": test}
    others = {
        name: read(path, **columns) for name, path in given.items() if path is not None
    }
    if others:
        parts = same_features(parts | others, Path(data))
    return _normalised(Splits(**parts), normalise)


def _normalised(splits: "Splits", normalise: str) -> "Splits":
    if normalise == "none":
        return splits
    if normalise not in ("minmax", "zscore"):
        raise Misused(f"--normalise must be minmax, zscore or none, not {normalise!r}.")
    parts = splits._asdict().items()
    scaled = {name: part and part.normalise(normalise) for name, part in parts}
    return splits._replace(**scaled)
