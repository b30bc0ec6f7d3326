"""Conversion of large files into data sets in parts, with little memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rankcore.base.arrays import Integers, Storage
from rankcore.base.cores import allowed_threads
from rankcore.base.errors import DataError, NoLabelError
from rankcore.base.spellings import american_arguments
from rankcore.data.dataset import Gain, Normalisation, RankingDataset
from rankcore.data.formats import all_formats, of_name, recoded, stem
from rankcore.data.formats.parts.chunks import Chunk, comes_twice
from rankcore.data.formats.parts.columns import ROLES
from rankcore.data.formats.parts.format import NextPart, Parts, Reopened, WiderError
from rankcore.data.formats.parts.labels import are_fractional
from rankcore.data.formats.parts.rows import warn_of_negative
from rankcore.data.formats.parts.source import LARGE_FILE, Opened, opened
from rankcore.data.judgements import read_judgements
from rankcore.data.partitions import Partitions

Part = TypeVar("Part")
# Parts processed in parallel, and one more being read or written.
MOST_THREADS = 2
# The whole file is unlimited; each part has the limits of a large file.
_ENDLESS = replace(LARGE_FILE, size=2**62)


class Converted(NamedTuple):
    """Progress of a conversion."""

    queries: int
    documents: int
    parts: int


@contextmanager
def _unlabelled_is_named() -> Iterator[None]:
    """Add to errors about missing labels that data can be converted without them."""
    try:
        yield
    except NoLabelError as error:
        remedy = (
            f"{error.remedy}; or convert documents without labels, for scoring only, "
            "with unlabelled=True (on the command line --unlabelled)"
        )
        place = error.file, error.line, error.column
        raise type(error)(error.problem, remedy, *place) from error


@american_arguments
@_unlabelled_is_named()
def convert(
    file: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    dtype: Storage = "float64",
    normalisation: Normalisation | None = None,
    gain: Gain = "exponential",
    unlabelled: bool = False,
    report: Callable[[Converted], None] = lambda _: None,
    **columns: Any,
) -> Converted:
    """Convert a file into a folder for `rankcore.load_partitions`.

    The file is read in parts of whole queries, so it may be larger than memory. For
    Parquet, a page of each column is in memory, about 3 MiB in files of most programs.
    An interrupted conversion is resumed.

    Parameters
    ----------
    file : path
        A table if its name ends in .csv, .tsv or .parquet, a feature log if it ends in
        .json, .ndjson or .jsonl, else LETOR text; plain or compressed by gzip, except
        Parquet. The rows of each query must be adjacent.
    folder : path
        New, empty, or from an interrupted conversion.
    dtype : {"float64", "float32"}
        Type of stored features, see `RankingDataset.from_arrays`.
    normalisation : {"minmax", "zscore"}, optional
        Scale each feature within its query, see `RankingDataset.normalise`.
    gain : {"exponential", "linear"}
        The gain of nDCG that labels are meant for; ``exponential`` refuses labels
        above 31.
    unlabelled : bool
        Whether labels are optional and discarded: such a folder is only for scoring,
        see `rankcore.studies.scores.score_file`.
    report : callable
        Called after each part.
    **columns
        As for :func:`rankcore.data.readers.read`; files are given by path and stay in
        memory. With ``missing="median"`` the file is read twice more. Rows of LETOR
        text and of logs are neither left out nor merged.

    Raises
    ------
    DataError
        With the line and column of the first problem; parts before it stay. Also if the
        rows of a query are not adjacent, or the folder contains other files.
    """
    source = Path(file).absolute()
    beside = {role: columns.pop(role, None) for role in ("judgements", "groups")}
    judgements = beside["judgements"]
    encoding = columns.get("encoding")
    unknown = columns.keys() - {"encoding"}.union(
        *(kind.options for kind in all_formats())
    )
    if unknown:
        raise TypeError(f"Files are not read with {', '.join(sorted(unknown))}.")
    kind = of_name(source.name)
    kind.check({**columns, **beside}, str(file), in_parts=True)
    _check_unlabelled(unlabelled, {**columns, **beside}, str(file))
    options = {**columns, **beside, "unlabelled": unlabelled}
    if judgements is not None:
        with recoded(judgements, str(judgements), encoding) as text:
            how = {role: columns.get(role) for role in ("header", "labels")}
            options["judgements"] = read_judgements(text, gain=gain, **how)
        encoding = None
    else:
        options.pop("judgements")
    options = {key: value for key, value in options.items() if key in kind.of_parts}
    reopened = partial(reopen, source, str(file), encoding)
    with reopened() as opened_source:
        reader = kind.in_parts(source, opened_source, gain, options)
    about: dict[str, Any] = {
        "name": stem(source.name),
        "features": list(reader.features),
        "normalisation": _within_queries(normalisation, str(file)),
        "dtype": dtype,
        **_values(options.get("missing"), columns.get("labels")),
        **({"unlabelled": True} if unlabelled else {"judged": reader.judges}),
        "source": _origin(source, gain, columns, beside),
    }
    with Partitions(Path(folder), about) as partitions:
        if not partitions.complete:
            reader.features = partitions.features
            reader.prepare(reopened)
            try:
                _read(reader, reopened, partitions, file, report)
            except WiderError:
                with reopened() as opened_source:
                    reader.features = reader.all_features(opened_source)
                partitions.begin_anew(reader.features)
                _read(reader, reopened, partitions, file, report)
            refusal = reader.refusal(partitions.documents, partitions.judged)
            if refusal is not None:
                raise refusal
            partitions.finish()
        return _count(partitions)


def _origin(
    source: Path, gain: Gain, columns: Mapping[str, Any], beside: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values that identify a conversion."""
    judgements, groups = beside["judgements"], beside["groups"]
    return {
        **_stamps(source),
        "gain": gain,
        "columns": _kept_columns(columns),
        "judgements": judgements and _stamps(Path(judgements)),
        **({"groups": _stamps(Path(groups))} if groups else {}),
    }


def _check_unlabelled(unlabelled: bool, options: Mapping[str, Any], file: str) -> None:
    """Refuse options about labels in a conversion without labels."""
    for role in ("judgements", "label", "labels", "unjudged"):
        if unlabelled and options.get(role):
            problem = f"{role} is given, but no labels are converted"
            raise DataError(problem, "Leave out this option or unlabelled", file)


def _values(missing: str | None, labels: str | None) -> dict[str, Any]:
    """Return notes on values: whether some are missing, or labels are fractions."""
    notes = {"missing": "keep"} if missing == "keep" else {}
    return {**notes, **({"fractional": True} if are_fractional(labels) else {})}


def _within_queries(normalisation: Normalisation | None, file: str) -> str | None:
    """Return a normalisation that changes the stored features."""
    if normalisation == "standard":
        problem = "Features are standardised when a model is trained"
        raise DataError(problem, "Convert them unscaled", file)
    return normalisation


def _kept_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as they are stored, so that conversions from versions without some
    of them can be resumed."""
    options: dict[str, Any] = {"ignore": []}
    for role, value in columns.items():
        if value:
            options[role] = list(value) if isinstance(value, list | tuple) else value
    return options | {role: columns.get(role) for role in ROLES}


@contextmanager
def reopen(source: Path, file: str, encoding: str | None) -> Iterator[Opened]:
    """Open a file of any size from its beginning, as UTF-8."""
    if source.is_fifo():
        problem = "This is a pipe, but the file must be read several times"
        raise DataError(problem, "Write it to a file first", file)
    with (
        recoded(source, file, encoding) as text,
        opened(text, file, _ENDLESS) as opened_source,
    ):
        yield opened_source


def _read(
    reader: Parts,
    reopened: Reopened,
    partitions: Partitions,
    file: str | os.PathLike[str],
    report: Callable[[Converted], None],
) -> None:
    with reopened() as source:
        _fill(partitions, reader.parts(source, partitions.end), str(file), report)


def _stamps(file: Path) -> dict[str, Any]:
    """Return the name, size and modification time of a file, which identify it."""
    status = file.stat()
    return {
        "file": str(file.absolute()),
        "bytes": status.st_size,
        "changed": status.st_mtime_ns,
    }


def _fill(
    partitions: Partitions,
    coming: Iterator[NextPart],
    file: str,
    report: Callable[[Converted], None],
) -> None:
    """Add parts in order; several are processed in parallel."""
    waiting: deque[Future[tuple[Chunk, Path] | None]] = deque()
    negative = 0

    def add() -> None:
        nonlocal negative
        outcome = waiting.popleft().result()
        if outcome is None:
            return
        part, table = outcome
        negative = negative or part.negative
        for query_id, line in zip(part.dataset.query_ids, part.lines, strict=True):
            if query_id in partitions.queries:
                raise comes_twice(query_id, file, line)
        partitions.add(part.dataset, table, part.end)
        report(_count(partitions))

    with ThreadPoolExecutor(min(allowed_threads(), MOST_THREADS)) as threads:
        for number, read in enumerate(with_error(coming)):
            make = partial(_part_table, partitions, number, read, file)
            waiting.append(threads.submit(make))
            if len(waiting) > MOST_THREADS:
                add()
        while waiting:
            add()
    warn_of_negative(file, negative)


def with_error(coming: Iterator[Callable[[], Part]]) -> Iterator[Callable[[], Part]]:
    """Yield a reading error in its place, because earlier errors take precedence."""
    try:
        yield from coming
    except DataError as error:
        yield partial(_raise, error)


def _raise(error: DataError) -> Any:
    raise error


def _part_table(
    partitions: Partitions, number: int, read: NextPart, file: str
) -> tuple[Chunk, Path] | None:
    """Read a part and write its table."""
    chunk = read()
    if chunk is None:
        return None
    dtype, normalisation = partitions.about["dtype"], partitions.about["normalisation"]
    dataset = _stored(chunk.dataset.normalise(normalisation), dtype, chunk.lines, file)
    return chunk._replace(dataset=dataset), partitions.table(dataset, number)


def _stored(
    dataset: RankingDataset, dtype: Storage, lines: Integers, file: str
) -> RankingDataset:
    """Return data in the type of storage; an error names the query's first line."""
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
    counts = len(partitions.queries), partitions.documents, partitions.n_parts
    return Converted(*counts)
