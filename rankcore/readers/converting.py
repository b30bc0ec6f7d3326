"""Large text files, converted into data sets in parts, in little memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcore._arrays import Integers, Storage
from rankcore.dataset import Gain, Normalisation, RankingDataset, default_names
from rankcore.errors import DataError
from rankcore.partitions import Partitions
from rankcore.readers import _csv, letor
from rankcore.readers._chunks import Chunk, comes_twice
from rankcore.readers._columns import Columns
from rankcore.readers._source import (
    LARGE_FILE,
    PARQUET_MAGIC,
    Opened,
    opened,
    stem,
)
from rankcore.readers.folds import is_table

# Of LETOR text in a part: it takes some ten times as much in memory meanwhile.
PART_BYTES = 16 * 2**20
# Feature values of a table in a part.
PART_CELLS = 2**21
# Of a file, whatever its size; a part keeps to those of a large file.
_ENDLESS = replace(LARGE_FILE, size=2**62)


class Converted(NamedTuple):
    """How far a conversion is.

    Attributes
    ----------
    queries, documents, parts : int
    """

    queries: int
    documents: int
    parts: int


def convert(
    file: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    dtype: Storage = "float64",
    normalisation: Normalisation | None = None,
    gain: Gain = "exponential",
    told: Callable[[Converted], None] = lambda _: None,
    label: str | None = None,
    query: str | None = None,
    document: str | None = None,
    text: str | None = None,
    query_text: str | None = None,
    ignore: Sequence[str] = (),
) -> Converted:
    """Convert LETOR text or CSV into a folder for `rankcore.load_partitions`.

    The file is read in parts of whole queries, so it may be larger than memory. A
    conversion that was broken off goes on where it stopped.

    Parameters
    ----------
    file : path
        LETOR text, or CSV if its name ends in .csv or .tsv; plain or compressed by
        gzip. The rows of each query are adjacent.
    folder : path
        New, empty, or of a conversion that was broken off.
    dtype : {"float64", "float32"}
        How features are stored, see `RankingDataset.from_arrays`.
    normalisation : {"minmax", "zscore"}, optional
        Scale each feature within its query, see `RankingDataset.normalise`.
    gain : {"exponential", "linear"}
        The gain of nDCG that labels are meant for; ``exponential`` refuses labels
        above 31.
    told : callable
        Called after each part.
    label, query, document, text, query_text, ignore
        Columns of CSV, as for :func:`rankcore.read_table`.

    Returns
    -------
    Converted

    Raises
    ------
    DataError
        With line and column of the first problem; parts before it stay. Also if the
        rows of a query are not adjacent, or the folder holds something else.
    """
    roles = {
        "label": label,
        "query": query,
        "document": document,
        "text": text,
        "query_text": query_text,
    }
    source = Path(file).absolute()
    with _open(source) as given:
        begin, _ = given.peek()
        if begin.startswith(PARQUET_MAGIC):
            problem = "Parquet is not converted"
            remedy = "Give LETOR text or CSV; `rankscope train` reads Parquet as it is"
            raise DataError(problem, remedy, str(file))
        stat = source.stat()
    about: dict[str, Any] = {
        "name": stem(source.name),
        "normalisation": normalisation,
        "dtype": dtype,
        "source": {
            "file": str(source),
            "bytes": stat.st_size,
            "changed": stat.st_mtime_ns,
            "gain": gain,
            "columns": {**roles, "ignore": list(ignore)},
        },
    }
    table = is_table(source.name)
    if not table and (any(roles.values()) or ignore):
        raise DataError(
            "LETOR text has no columns with names",
            "Name columns of CSV only",
            str(file),
        )
    if table:
        columns = Columns(roles, None, ignore, str(file))
        with _open(source) as given:
            columns.find(_csv.names(given, columns))
        about["features"] = list(columns.features)
    else:
        about["features"] = list(default_names(_width(source)))
    with Partitions(Path(folder), about) as partitions:
        if not partitions.complete:
            with _open(source) as given:
                given = replace(given, name=str(file))  # noqa: PLW2901
                if table:
                    coming = _csv.chunks(
                        given, columns, gain, partitions.end, PART_CELLS
                    )
                else:
                    width = len(about["features"])
                    coming = letor.chunks(
                        given, width, gain, partitions.end, PART_BYTES
                    )
                _fill(partitions, coming, str(file), told)
        return _count(partitions)


def _fill(
    partitions: Partitions,
    coming: Iterator[Chunk],
    file: str,
    told: Callable[[Converted], None],
) -> None:
    dtype, normalisation = partitions.about["dtype"], partitions.about["normalisation"]
    written: Future[None] | None = None

    def wait() -> None:
        if written is not None:
            written.result()
            told(_count(partitions))

    # A part is written while the next one is read.
    with ThreadPoolExecutor(1) as writer:
        for dataset, lines, end in coming:
            ready = _stored(dataset.normalise(normalisation), dtype, lines, file)
            wait()
            for query_id, line in zip(dataset.query_ids, lines, strict=True):
                if query_id in partitions.queries:
                    raise comes_twice(query_id, file, line)
            written = writer.submit(partitions.add, ready, end)
        wait()
    if not partitions.documents:
        raise letor.no_rows(file)
    partitions.finish()


def _stored(
    dataset: RankingDataset, dtype: Storage, lines: Integers, file: str
) -> RankingDataset:
    """Data in the type they are kept in; an error names the query's first line."""
    try:
        return dataset.stored(dtype)
    except DataError as error:
        row = (error.line or 1) - 1
        query = int(np.searchsorted(dataset.offsets, row, side="right")) - 1
        raise DataError(
            f"{error.problem}, in {dataset.query_names[query]}, which begins here",
            error.remedy,
            file,
            int(lines[query]) + 1,
            error.column,
        ) from error


def _count(partitions: Partitions) -> Converted:
    found = len(partitions.queries), partitions.documents, partitions.n_parts
    return Converted(*found)


@contextmanager
def _open(source: Path) -> Iterator[Opened]:
    with opened(source, str(source), _ENDLESS) as given:
        yield given


def _width(source: Path) -> int:
    """The number of features of LETOR text, for which it is read once."""
    with _open(source) as given:
        return letor.widest_row(given)
