"""``rankscope convert``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._data import normalisation, takes_columns, warn_of_doubts
from rankcore.cli._failures import Misused
from rankcore.cli._options import AsJson, Normalise

if TYPE_CHECKING:
    from rankcore.base.arrays import Storage
    from rankcore.data.readers.converting import Converted


@takes_columns
def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="LETOR text, CSV, Parquet or a feature log; the rows of each query "
            "are adjacent.",
        ),
    ],
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Made if it is not there. A conversion that was broken off goes on.",
        ),
    ],
    dtype: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="How features are stored: float64, or float32 in half the room.",
        ),
    ] = "float64",
    normalise: Normalise = "none",
    as_json: AsJson = False,
    *,
    columns: dict[str, Any],
) -> None:
    """Convert a file, even one larger than memory, into a folder for training.

    The folder has Parquet files for other programs, and arrays that `rankscope train
    FOLDER` maps instead of loading them.
    """
    from rankcore.data.partitions import load_partitions
    from rankcore.data.readers.converting import convert as converted

    if dtype not in ("float64", "float32"):
        raise Misused(f"--dtype must be float64 or float32, not {dtype!r}.")
    scaling = normalisation(normalise)
    with _output.progress(as_json, _words) as tell:
        found = converted(
            file,
            folder,
            dtype=cast("Storage", dtype),
            normalisation=scaling,
            report=tell,
            **columns,
        )
    data = load_partitions(folder)
    warn_of_doubts(data)
    if as_json:
        _output.print_json({"folder": str(folder), **found._asdict()})
        return
    learner = "LightGBM" if data.has_missing else "RSRank"
    typer.echo(f"{_words(found)}. Train on them: rankscope train {folder} {learner}")


def _words(converted: "Converted") -> str:
    return (
        f"{counted(converted.queries, 'queries')} with "
        f"{counted(converted.documents, 'documents')} in "
        f"{converted.parts:,} parts"
    )
