"""``rankscope convert``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

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
    file: Path,
    folder: Path,
    dtype: str = "float64",
    normalise: Normalise = "none",
    unlabelled: bool = False,
    as_json: AsJson = False,
    *,
    columns: dict[str, Any],
) -> None:
    """Convert a file, even one larger than memory, into a folder for training.

    The folder has Parquet files for other programs, and arrays that `rankscope train
    FOLDER` maps instead of loading. With --unlabelled, the folder is for scoring.

    Parameters
    ----------
    file : FILE
        LETOR text, CSV, Parquet or a feature log, with adjacent rows of each query.
    folder : FOLDER
        Output folder, created if missing. An interrupted conversion is resumed.
    dtype : WORD
        Type of stored features: float64, or float32 in half the space.
    unlabelled
        Ignore labels, which may be missing: the folder is for `rankscope score`, not
        for training.
    """
    from rankcore.data.partitions import load_partitions
    from rankcore.data.readers.converting import convert as converted

    if dtype not in ("float64", "float32"):
        raise Misused(f"--dtype must be float64 or float32, not {dtype!r}.")
    for role in ("judgements", "label", "labels", "unjudged"):
        if unlabelled and columns[role]:
            raise Misused(f"--{role} has no effect with --unlabelled.")
    scaling = normalisation(normalise)
    with _output.progress(as_json, _words) as tell:
        counts = converted(
            file,
            folder,
            dtype=cast("Storage", dtype),
            normalisation=scaling,
            unlabelled=unlabelled,
            report=tell,
            **columns,
        )
    then = f"Score them: rankscope score MODEL {folder} --out scores.run"
    if not unlabelled:
        data = load_partitions(folder)
        warn_of_doubts(data)
        learner = "LightGBM" if data.has_missing else "RSRank"
        then = f"Train on them: rankscope train {folder} {learner}"
    if as_json:
        _output.print_json({"folder": str(folder), **counts._asdict()})
    else:
        typer.echo(f"{_words(counts)}. {then}")


def _words(converted: "Converted") -> str:
    return (
        f"{counted(converted.queries, 'queries')} with "
        f"{counted(converted.documents, 'documents')} in "
        f"{converted.parts:,} parts"
    )
