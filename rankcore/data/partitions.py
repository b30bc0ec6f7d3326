"""Data sets in parts on disk, for data larger than memory.

A folder holds

- ``part-00000.parquet``, …: tables of whole queries, which other programs read; -
``part-00000.json``, …: the queries of a part and their groups, and its end in the
source; - ``X.npy``, ``y.npy``, and ``judged.npy`` if documents may lack a judgement:
features and labels of all parts, for memory maps; without labels only ``X.npy``; -
``dataset.json``: description of the data, and whether they are complete.

A part is valid once its ``.json`` exists, which is written last. So a folder is
consistent at any moment, and its conversion can be resumed.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from rankcore.base.arrays import (
    Integers,
    aligned,
    as_features,
    as_labels,
    as_scores,
    derived_ids,
    owned,
)
from rankcore.base.errors import DataError
from rankcore.base.extras import needed_to
from rankcore.base.outputs import Output
from rankcore.data.dataset import RankingDataset, check_labels

if TYPE_CHECKING:
    import pyarrow as pa

    from rankcore.data._partition_files import Contents, Part

CONTENTS = "dataset.json"
HEADER = 128
# Feature values of a sample: 32 MiB.
SAMPLE_CELLS = 2**22
_FILES = {"X": "X.npy", "y": "y.npy", "judged": "judged.npy"}
# Tables not yet assigned to a part.
_WAITING = ".table-"
_AGAIN = "Use the same file and options again, or name another folder"


def load_partitions(folder: str | os.PathLike[str]) -> RankingDataset:
    """Load a folder that `rankscope convert` has made; features stay on disk.

    They are a read-only memory map, read once to check that all are finite; the system
    loads what training reads, and evicts it if memory is short. Document ids are read
    on first use, texts and scores of production models at once; texts that are all
    empty are left out. Other processes load the same folder themselves.

    Parameters
    ----------
    folder : path

    Raises
    ------
    DataError
        If it is not such a folder, its conversion is incomplete, it has no labels, or
        files are missing or damaged.
    """
    return _mapped(str(Path(folder).absolute()), checked=True)


def _mapped(folder: str, checked: bool = False) -> RankingDataset:
    """Return the data of a folder; other processes do not check its features again."""
    contents, parts = _labelled(Path(folder))
    return _loaded(Path(folder), contents, parts, (_mapped, (folder,)), checked=checked)


def sample_partitions(
    folder: str | os.PathLike[str], cells: int = SAMPLE_CELLS
) -> RankingDataset:
    """Load some queries of a folder of `rankscope convert` into memory.

    Parameters
    ----------
    folder : path
    cells : int
        Maximum number of feature values, but at least one query is loaded. Queries are
        drawn at random with a fixed seed, and keep their order.

    Raises
    ------
    DataError
        As `load_partitions`.
    """
    folder = Path(folder).absolute()
    contents, parts = _labelled(folder)
    lengths = _lengths(parts)
    order = np.random.default_rng(0).permutation(len(lengths))
    sizes = np.cumsum(lengths[order]) * len(contents.features)
    count = max(int(np.searchsorted(sizes, cells, side="right")), 1)
    reload = sample_partitions, (str(folder), cells)
    return _loaded(folder, contents, parts, reload, np.sort(order[:count]))


def describe_partitions(folder: str | os.PathLike[str]) -> Contents:
    """Describe a converted folder without reading its parts.

    Returns
    -------
    Contents
        The ``name``, ``features``, ``queries``, ``documents`` and so on.

    Raises
    ------
    DataError
        If it is not such a folder, cannot be read, or its conversion is incomplete.
    """
    contents = _contents(Path(folder))
    if not contents.complete:
        raise DataError(
            "The conversion into this folder is incomplete",
            "Run `rankscope convert` with the same file again to resume it",
            str(folder),
        )
    return contents


def data_of_parts(
    folder: str | os.PathLike[str], cells: int
) -> tuple[Contents, Iterator[Callable[[], RankingDataset]]]:
    """Read a converted folder a few queries at a time, without labels and texts.

    Parameters
    ----------
    folder : path
        A folder with or without labels.
    cells : int
        Approximate number of feature values at a time; more if a query has more.

    Returns
    -------
    Contents
    iterator of callables
        Each reads the data of some queries of a part, with all labels 0; several may be
        read at once.

    Raises
    ------
    DataError
        As `load_partitions`, except for labels; each callable, if its part is damaged.
    """
    folder = Path(folder).absolute()
    contents = describe_partitions(folder)
    _map(folder, "X", contents)
    return contents, _slices(folder, contents, cells // len(contents.features))


def _slices(
    folder: Path, contents: Contents, documents: int
) -> Iterator[Callable[[], RankingDataset]]:
    before = queries_before = 0
    # One part at a time: the names of all queries take memory.
    for number, part in enumerate(_each_part(folder)):
        ends = np.cumsum(part.lengths)
        begin = 0
        while begin < len(ends):
            row = int(ends[begin - 1]) if begin else 0
            fitting = int(np.searchsorted(ends, row + documents, side="right"))
            queries = slice(begin, max(fitting, begin + 1))
            place = number, part, queries, row
            yield partial(_data_of_part, folder, contents, place, before)
            begin = queries.stop
        before += part.documents
        queries_before += len(part.queries)
    _check_counts(folder, contents, queries_before, before)


def _data_of_part(
    folder: Path,
    contents: Contents,
    place: tuple[int, Part, slice, int],
    before: int,
) -> RankingDataset:
    """Return the data of some queries of a part by its number, starting at a document's
    position in the part; ``before`` is the number of documents in earlier parts."""
    number, part, queries, row = place
    lengths, path = part.lengths[queries], folder / _FILES["X"]
    dtype, shape = _dtype(contents, "X"), _shape(contents, "X", sum(lengths))
    X = aligned(shape, dtype)
    with open(path, "rb") as file:
        file.seek(HEADER + (before + row) * shape[1] * dtype.itemsize)
        read = file.readinto(X.data.cast("B"))
    if read != X.nbytes:
        raise _damaged("The file is cut short", path)
    try:
        as_features(X, contents.features, contents.dtype, contents.missing)
    except DataError as error:
        line = None if error.line is None else before + row + error.line
        raise _damaged(error.problem, path, line, error.column) from error
    words = None
    if part.named:
        words = _column(folder, number, part, "document").slice(row, len(X)).to_pylist()
    data = RankingDataset.from_codes(
        owned(X),
        owned(np.zeros(len(X), dtype=np.int64)),
        np.repeat(np.arange(len(lengths)), lengths),
        tuple(part.queries[queries]),
        doc_ids=words,
        feature_names=tuple(contents.features),
        name=contents.name,
        copy=False,
        missing=contents.missing,
    )
    return replace(data, normalisation=contents.normalisation)


def without_labels(folder: str | os.PathLike[str]) -> DataError:
    """Return the error of a folder without required labels."""
    return DataError(
        "This folder has no labels, since it was converted with --unlabelled",
        "Score it (rankscope score), or convert the file with its labels into another "
        "folder",
        str(folder),
    )


def _labelled(folder: Path) -> tuple[Contents, list[Part]]:
    """Return the contents of a folder with labels, and its parts."""
    contents, parts = _complete(folder)
    if contents.unlabelled:
        raise without_labels(folder)
    return contents, parts


def _complete(folder: Path) -> tuple[Contents, list[Part]]:
    """Return the contents of a folder, and its parts."""
    contents, parts = describe_partitions(folder), _parts(folder)
    queries = {query for part in parts for query in part.queries}
    if len(queries) != sum(len(part.queries) for part in parts):
        raise _damaged("A query occurs in two parts", folder)
    documents = sum(part.documents for part in parts)
    _check_counts(folder, contents, len(queries), documents)
    if any(part.query_groups.keys() != parts[0].query_groups.keys() for part in parts):
        raise _damaged("The parts have different groups of queries", folder)
    return contents, parts


def _check_counts(
    folder: Path, contents: Contents, queries: int, documents: int
) -> None:
    if (queries, documents) != (contents.queries, contents.documents):
        raise _damaged(
            f"The parts do not have the {contents.queries:,} queries with "
            f"{contents.documents:,} documents of {CONTENTS}",
            folder,
        )


def _loaded(
    folder: Path,
    contents: Contents,
    parts: Sequence[Part],
    reload: tuple[Callable[..., RankingDataset], tuple[Any, ...]],
    queries: Integers | None = None,
    checked: bool = True,
) -> RankingDataset:
    """Return the data of a folder, or some of its queries by number; ``checked`` says
    whether the features were checked before."""
    lengths = _lengths(parts)
    query_ids = tuple(query for part in parts for query in part.queries)
    groups = {
        name: tuple(word for part in parts for word in part.query_groups[name])
        for name in parts[0].query_groups
    }
    arrays = {key: _map(folder, key, contents) for key in _stored(contents)}
    rows = None
    if queries is not None:
        rows = _rows_of(queries, lengths)
        lengths = lengths[queries]
        arrays = {key: owned(array[rows]) for key, array in arrays.items()}
        query_ids = tuple(query_ids[query] for query in queries)
        groups = {
            name: tuple(words[query] for query in queries)
            for name, words in groups.items()
        }
    try:
        y = owned(as_labels(arrays["y"], sum(lengths)))
        if contents.source.get("gain") == "exponential":
            check_labels(y)
        if checked:
            as_features(
                arrays["X"], contents.features, contents.dtype, contents.missing
            )
    except DataError as error:
        raise _damaged(error.problem, folder, error.line, error.column) from error
    scores = {name: _scores(folder, parts, name, rows) for name in contents.doc_scores}
    dataset = RankingDataset.from_codes(
        arrays["X"],
        y,
        np.repeat(np.arange(len(lengths)), lengths),
        query_ids,
        doc_ids=None,
        **_texts(folder, contents, parts, rows, lengths),
        query_groups=groups or None,
        doc_scores=scores or None,
        feature_names=tuple(contents.features),
        name=contents.name,
        copy=False,
        missing=contents.missing,
    )
    return dataset.stored_at(
        reload,
        partial(_strings, folder, parts, "document", rows)
        if any(part.named for part in parts)
        else None,
        contents.normalisation,
        owned(np.array(arrays["judged"])) if "judged" in arrays else None,
    )


def _rows_of(queries: Integers, lengths: Integers) -> Integers:
    """Return the rows of some queries, given the lengths of all."""
    begins, some = (np.cumsum(lengths) - lengths)[queries], lengths[queries]
    return np.arange(sum(some)) + np.repeat(begins - np.cumsum(some) + some, some)


def _texts(
    folder: Path,
    contents: Contents,
    parts: Sequence[Part],
    rows: Integers | None,
    lengths: Integers,
) -> dict[str, tuple[str, ...]]:
    """Return the columns with any text; texts of queries are those of their first
    documents."""
    every: dict[str, tuple[str, ...]] = {
        key: _strings(folder, parts, column, rows)
        for key, column in contents.texts.items()
    }
    columns = {key: column for key, column in every.items() if any(column)}
    if "query_texts" in columns:
        firsts = np.cumsum(lengths) - lengths
        columns["query_texts"] = tuple(columns["query_texts"][i] for i in firsts)
    return columns


def _lengths(parts: Sequence[Part]) -> Integers:
    return np.array([n for part in parts for n in part.lengths])


def is_partitioned(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is one for `load_partitions`."""
    return (Path(folder) / CONTENTS).is_file()


@dataclass
class Partitions:
    """A folder being filled, locked for other processes until it is closed.

    Parameters
    ----------
    folder : path
        Created if missing. Parts of an interrupted conversion of the same data stay.
    about : dict
        The data: ``name``, ``features``, ``normalisation``, ``dtype``, and ``source``,
        which identifies the conversion.

    Attributes
    ----------
    queries : set of str
        Ids of all queries so far.
    documents, n_parts, judged : int
        Numbers of documents, parts, and judged documents.
    end : int
        The line of the source, counted from 0, to continue from.

    Raises
    ------
    DataError
        If the folder has other files, or another process is filling it.
    """

    folder: Path
    about: Mapping[str, Any]
    complete: bool = False
    queries: set[str] = field(default_factory=set)
    documents: int = 0
    n_parts: int = 0
    judged: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        from filelock import FileLock, Timeout

        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.folder / ".lock")
        try:
            self._lock.acquire(blocking=False)
        except Timeout as error:
            raise DataError(
                "Another process is filling this folder",
                "Wait for it, or name another folder",
                str(self.folder),
            ) from error
        try:
            self._resume()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def _resume(self) -> None:
        from rankcore.data._partition_files import Contents

        # A round trip through JSON turns tuples into lists.
        about = Contents.model_validate_json(json.dumps({"format": 1, **self.about}))
        if not is_partitioned(self.folder):
            if any(path.name != ".lock" for path in self.folder.iterdir()):
                problem = "This folder contains other files"
                remedy = "Name a new folder, or an empty one"
                raise DataError(problem, remedy, str(self.folder))
            self._contents = about
            self._describe()
            return
        self._contents = _contents(self.folder)
        # The source determines the features, and more may be known by now.
        for key in ("source", "normalisation", "dtype", "unlabelled"):
            if getattr(self._contents, key) != getattr(about, key):
                problem = "This folder contains a conversion of another file, or with "
                problem += "other options"
                raise DataError(problem, _AGAIN, str(self.folder))
        self.complete = self._contents.complete
        for part in _parts(self.folder):
            self._count(part)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(self._contents.features)

    def begin_anew(self, features: Sequence[str]) -> None:
        """Discard all parts, because they lack some features."""
        # A part without its .json is invalid.
        for path in sorted(self.folder.glob("part-*.json"), reverse=True):
            path.unlink()
        for path in self.folder.glob("part-*"):
            path.unlink()
        self.queries.clear()
        self.documents = self.n_parts = self.judged = self.end = 0
        self._contents.features = list(features)
        self._describe()

    def _count(self, part: Part) -> None:
        self.queries.update(part.queries)
        self.documents += part.documents
        self.judged += part.documents if part.judged is None else part.judged
        self.end = part.end
        self.n_parts += 1

    def table(self, dataset: RankingDataset, number: int) -> Path:
        """Write the table of some queries, to be added later; thread-safe.

        Parameters
        ----------
        number : int
            Distinct for each table not added yet.
        """
        path = self.folder / f"{_WAITING}{number}"
        labels = None
        if not self._contents.unlabelled:
            labels = dataset.y.astype(_dtype(self._contents, "y"))
        _write_table(dataset, labels, path)
        return path

    def add(self, dataset: RankingDataset, table: Path, end: int) -> None:
        """Add queries, and note the line of the source to continue from.

        Parameters
        ----------
        table : path
            The file that `table` wrote for them.
        """
        from rankcore.data._partition_files import Part

        name = _part(self.folder, self.n_parts)
        if not self.n_parts:
            self._contents.texts = {
                key: column
                for key, column in _TEXTS.items()
                if getattr(dataset, key) is not None
            }
            if dataset.doc_scores is not None:
                self._contents.doc_scores = list(dataset.doc_scores)
            self._describe()
        table.replace(name.with_suffix(".parquet"))
        for key in _stored(self._contents):
            rows = getattr(dataset, key)
            self._append(key, rows.astype(_dtype(self._contents, key), copy=False))
        groups = dataset.query_groups or {}
        part = Part(
            queries=list(dataset.query_ids),
            lengths=dataset.lengths.tolist(),
            judged=dataset.n_judged,
            named=dataset.doc_ids != derived_ids(dataset.lengths),
            end=end,
            query_groups={key: list(words) for key, words in groups.items()},
        )
        Output(name.with_suffix(".json")).write(part.text())
        self._count(part)

    def finish(self) -> None:
        """Mark the folder as complete."""
        for path in self.folder.glob(f"{_WAITING}*"):
            path.unlink()
        self._contents.queries = len(self.queries)
        self._contents.documents = self.documents
        for key in _stored(self._contents):
            self._head(self.folder / _FILES[key], self._shape(key))
        self._contents.complete = self.complete = True
        self._describe()

    def _shape(self, key: str) -> tuple[int, ...]:
        return _shape(self._contents, key, self.documents)

    def _append(self, key: str, rows: np.ndarray) -> None:
        """Append rows to the valid ones, overwriting remains of an interrupted
        write."""
        path = self.folder / _FILES[key]
        begin = (
            HEADER + math.prod(self._shape(key)) * _dtype(self._contents, key).itemsize
        )
        with open(path, "r+b" if path.exists() else "w+b") as file:
            file.truncate(begin)
            if hasattr(os, "posix_fallocate"):
                # Several times as fast as growing the file with each block.
                os.posix_fallocate(file.fileno(), begin, rows.nbytes)
            file.seek(begin)
            file.write(np.ascontiguousarray(rows).data)
            file.flush()
            os.fsync(file.fileno())

    def _head(self, path: Path, shape: tuple[int, ...]) -> None:
        """Write the header of a .npy file, always of the same size."""
        key = path.stem
        fields = {
            "descr": _dtype(self._contents, key).str,
            "fortran_order": False,
            "shape": shape,
        }
        text = repr(fields).encode()
        magic = np.lib.format.magic(1, 0)
        size = HEADER - len(magic) - 2
        with open(path, "r+b") as file:
            file.write(magic + size.to_bytes(2, "little"))
            file.write(text.ljust(size - 1) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _describe(self) -> None:
        Output(self.folder / CONTENTS).write(self._contents.text())


_TEXTS: Mapping[Literal["doc_texts", "query_texts"], str] = {
    "doc_texts": "document_text",
    "query_texts": "query_text",
}


def _stored(contents: Contents) -> tuple[str, ...]:
    """Return the arrays of a folder."""
    if contents.unlabelled:
        return ("X",)
    return tuple(_FILES) if contents.judged else ("X", "y")


def _shape(contents: Contents, key: str, documents: int) -> tuple[int, ...]:
    return (documents, len(contents.features)) if key == "X" else (documents,)


def _dtype(contents: Contents, key: str) -> np.dtype[Any]:
    y = np.float64 if contents.fractional else np.int64
    types = {"X": contents.dtype, "y": y, "judged": np.bool_}
    return np.dtype(types[key])


def _damaged(
    problem: str,
    path: Path,
    line: int | None = None,
    column: int | str | None = None,
) -> DataError:
    from rankcore.data._partition_files import AGAIN

    return DataError(problem, AGAIN, str(path), line, column)


def _contents(folder: Path) -> Contents:
    if not is_partitioned(folder):
        raise DataError(
            "This is not a folder of `rankscope convert`",
            "Convert a file: rankscope convert FILE FOLDER",
            str(folder),
        )
    from rankcore.data import _partition_files

    return _partition_files.read(_partition_files.Contents, folder / CONTENTS)


def _parts(folder: Path) -> list[Part]:
    return list(_each_part(folder))


def _each_part(folder: Path) -> Iterator[Part]:
    from rankcore.data import _partition_files

    paths = sorted(folder.glob("part-*.json"))
    for number, path in enumerate(paths):
        if path != _part(folder, number).with_suffix(".json"):
            raise _damaged(f"The part with the number {number} is missing", folder)
    for path in paths:
        yield _partition_files.read(_partition_files.Part, path)


def _part(folder: Path, number: int) -> Path:
    """Return the path of a part's files without suffixes."""
    return folder / f"part-{number:05d}"


def _map(folder: Path, key: str, contents: Contents) -> np.ndarray:
    from rankcore.data._partition_files import check_regular

    path = folder / _FILES[key]
    try:
        check_regular(path)
        array = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # a damaged header raises many kinds of errors
        raise _damaged(f"The file cannot be read ({error})", path) from error
    shape, dtype = _shape(contents, key, contents.documents), _dtype(contents, key)
    expected, layout = (shape, str(dtype)), (array.shape, str(array.dtype))
    if layout != expected or not array.flags.c_contiguous:
        raise _damaged(f"The file holds {layout}, not {expected} in rows", path)
    # A plain array, for compiled functions.
    return np.asarray(array)


def _strings(
    folder: Path, parts: Sequence[Part], column: str, rows: Integers | None = None
) -> tuple[str, ...]:
    """Return a column of strings of all parts, or some of its rows in order."""
    words = tuple(
        word
        for cells in _cells(folder, parts, column, rows)
        for word in cells.to_pylist()
    )
    if not all(isinstance(word, str) for word in words):
        raise _damaged(f"The column {column!r} does not contain text", folder)
    return words


def _scores(
    folder: Path, parts: Sequence[Part], name: str, rows: Integers | None
) -> np.ndarray:
    """Return a column of scores, like `_strings`."""
    columns = [np.asarray(cells) for cells in _cells(folder, parts, name, rows)]
    scores = np.concatenate(columns)
    try:
        return as_scores(scores, len(scores), name)
    except DataError as error:
        raise _damaged(error.problem, folder, error.line, error.column) from error


def _cells(
    folder: Path, parts: Sequence[Part], column: str, rows: Integers | None
) -> Iterator[pa.ChunkedArray]:
    """Yield a column part by part, or some of its rows in order."""
    begin = 0
    for number, part in enumerate(parts):
        cells = _column(folder, number, part, column)
        if rows is not None:
            part_rows = rows[
                np.searchsorted(rows, begin) : np.searchsorted(rows, begin + len(cells))
            ]
            begin, cells = begin + len(cells), cells.take(part_rows - begin)
        yield cells


def _column(folder: Path, number: int, part: Part, column: str) -> pa.ChunkedArray:
    """Return a column of a part."""
    with needed_to("read converted data"):
        from pyarrow import parquet

    path = _part(folder, number).with_suffix(".parquet")
    try:
        table = parquet.read_table(path, columns=[column], partitioning=None)
        cells = table.column(column)
    except Exception as error:  # a damaged file raises many kinds of errors
        raise _damaged(f"The file cannot be read ({error})", path) from error
    if len(cells) != part.documents:
        problem = f"The file has {len(cells):,} rows, not {part.documents:,}"
        raise _damaged(problem, path)
    return cells


def _write_table(
    dataset: RankingDataset, labels: np.ndarray | None, path: Path
) -> None:
    with needed_to("convert data"):
        from pyarrow import parquet

    # Numbers per document rarely repeat, so a dictionary would only slow this down.
    parquet.write_table(
        _table(dataset, labels),
        path,
        use_dictionary=["query", *_TEXTS.values(), *(dataset.query_groups or ())],
        compression="snappy",
        write_statistics=False,
    )
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _table(dataset: RankingDataset, labels: np.ndarray | None) -> pa.Table:
    """Return the columns of `RankingDataset.to_frame`, with labels (n,) of the same
    type in all parts, or without labels."""
    import pyarrow as pa

    query = np.repeat(np.arange(dataset.n_queries), dataset.lengths)

    def each(words: tuple[str, ...]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(
            pa.array(query, pa.int32()), pa.array(words, pa.string())
        )

    columns = {
        "query": each(dataset.query_ids),
        "document": pa.array(dataset.doc_ids, pa.string()),
    }
    if dataset.query_texts is not None:
        columns["query_text"] = each(dataset.query_texts)
    columns |= {
        name: each(words) for name, words in (dataset.query_groups or {}).items()
    }
    if dataset.doc_texts is not None:
        columns["document_text"] = pa.array(dataset.doc_texts, pa.string())
    scores = (dataset.doc_scores or {}).items()
    columns |= {name: pa.array(values) for name, values in scores}
    if labels is not None:
        columns["label"] = pa.array(labels)
    names = set(columns)
    features = np.ascontiguousarray(dataset.X.T)
    for name, values in zip(dataset.feature_names, features, strict=True):
        columns[f"{name} (feature)" if name in names else name] = pa.array(values)
    return pa.table(columns)
