"""Parquet, read a few columns and rows at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from sys import getsizeof
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.arrays import Floats, aligned
from rankcore.base.errors import DataError
from rankcore.base.extras import MissingExtraError, needed_to
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats.parts.cells import identifier, number
from rankcore.data.formats.parts.chunks import Chunk, chunk_of
from rankcore.data.formats.parts.columns import (
    SAMPLED_CELLS,
    Columns,
)
from rankcore.data.formats.parts.faults import MOST_FAULTS, Fault
from rankcore.data.formats.parts.good_rows import GoodRows
from rankcore.data.formats.parts.rows import Rows
from rankcore.data.formats.parts.source import Opened
from rankcore.data.formats.parts.table import Tabular

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET_MAGIC = b"PAR1"
TRAILER = 8
BATCH_CELLS = 2**18
BATCH_BYTES = 2**26
# Bytes read from a column at a time.
BUFFER = 2**16
SHORTENED = "DeltaByteArray"

# Query, document, text and query text of a row; None without such a column.
Words = tuple[str | None, ...]


class Parquet(Tabular):
    """Parquet; its lines are rows, counted from 1."""

    name = content = "Parquet"
    suffixes = (".parquet",)
    order = 2
    is_text = False

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        return begin.startswith(PARQUET_MAGIC)

    @contextmanager
    def reporting(self, columns: Columns) -> Iterator[None]:
        try:
            yield
        except (DataError, MissingExtraError):
            raise
        except Exception as error:  # a damaged file raises many kinds of errors
            raise columns.error(
                f"The Parquet data is damaged ({error})", "Write the file again", 1
            ) from error

    def reader(self, source: Opened, columns: Columns) -> _ParquetReader:
        return _ParquetReader(source, columns)


class _ParquetReader:
    def __init__(self, source: Opened, columns: Columns) -> None:
        with needed_to("read Parquet"):
            from pyarrow import parquet

        self.limits, self.skip = source.limits, source.skip
        self.buffer = 0
        self.columns = columns
        self.stream = source.seekable()
        self._check_contents()
        self.file = parquet.ParquetFile(self.stream, pre_buffer=False)

    def names(self) -> list[str]:
        """Return the names of the columns, without an index of pandas."""
        schema = self.file.schema_arrow
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        return [name for name in schema.names if name not in index]

    def head(self, n_rows: int) -> tuple[list[str], list[list[object]]]:
        """Return the first rows; columns without numbers or words show their type."""
        names, schema = self.names(), self.file.schema_arrow
        self.columns.check_distinct(names)
        Rows(self.columns, self.limits).check_width(len(names))
        kinds = {name: schema.field(name).type for name in names}
        simple = [name for name, kind in kinds.items() if _is_simple(kind)]
        if not simple:
            return names, []
        self._prepare(set(simple))
        first = next(self._unchecked_batches(simple), None)
        if first is None:
            return names, []
        n = min(len(first), n_rows)
        cells = {name: _python(first.column(name)[:n]) for name in simple}
        return names, [
            [cells[name][row] if name in cells else str(kinds[name]) for name in names]
            for row in range(n)
        ]

    def cells(
        self, roles: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[tuple[int, list[Any]]]:
        """Yield the cells in the columns of some roles, like `CsvReader.cells`, with
        None for optional roles without a column."""
        wanted = self.columns.of_roles(self.names(), roles, optional)
        present = [column for column in wanted if column]
        self._prepare(set(present))
        for begin, batch in self._batches(present):
            by_name = dict(zip(batch.schema.names, batch.columns, strict=True))
            nothing = [None] * len(batch)
            rows = [_python(by_name[name]) if name else nothing for name in wanted]
            for at, cells in enumerate(zip(*rows, strict=True), start=begin + 1):
                yield at, list(cells)

    def dataset(self, gain: Gain) -> RankingDataset:
        """Read the required columns."""
        columns, n = self.columns, self.file.metadata.num_rows
        if self.skip:
            problem = "Parquet has no lines to skip"
            raise DataError(problem, "Remove these rows from the table", columns.file)
        rows, _, identifiers = self._find_columns(n)
        X = aligned((n, len(columns.features)))
        figures = np.empty((n, len(columns.figures)))
        self._read_numbers(columns.features, X)
        self._read_numbers(columns.figures, figures)
        rows.add_all(
            {name: self._strings(name) for name in dict.fromkeys(identifiers)}, n
        )
        return rows.dataset(X, figures, gain)

    def chunks(self, gain: Gain, first_row: int, size: int) -> Iterator[Chunk]:
        """Read rows from one on, in chunks of whole queries with about ``size`` cells;
        the rows of each query must be adjacent."""
        columns, self.buffer = self.columns, BUFFER
        _, numbers, identifiers = self._find_columns()
        columns.n_above = first_row
        columns.line_of = lambda row: columns.n_above + row + 1
        X = np.empty((0, len(numbers)))
        words: list[Words] = []
        for begin, batch in self._batches([*numbers, *identifiers]):
            rest = batch.slice(max(first_row - begin, 0))
            X = np.concatenate((X, self._batch_numbers(rest, len(X))))
            words += self._batch_words(rest, len(words))
            if X.size < size:
                continue
            n = _rows_before_last(words)
            if n:
                yield self._chunk(X[:n], words[:n], gain)
                X, words = X[n:], words[n:]
        if words:
            yield self._chunk(X, words, gain)

    def good_rows(self, size: int) -> Iterator[GoodRows]:
        """Read the rows that can be read, some ``size`` cells at a time."""
        columns, self.buffer = self.columns, BUFFER
        rows, figures, identifiers = self._find_columns()
        errors, parts = dict[int, DataError](), list[Floats]()
        # The number of each row, counted from 0.
        numbers: list[int] = []
        columns.line_of = lambda row: numbers[row] + 1

        def part() -> GoodRows:
            X = aligned((len(rows), len(columns.features)))
            X[...] = np.concatenate(parts)[:, : X.shape[1]]
            return rows.good_rows(X, np.array(numbers, dtype=np.int64), dict(errors))

        for begin, batch in self._batches([*figures, *identifiers]):
            columns_of = figures, identifiers
            values, bad = self._readable(batch, begin, columns_of, rows, numbers)
            parts.append(values)
            errors |= bad
            full = len(rows) * len(figures) >= size
            if full or len(errors) >= MOST_FAULTS:
                yield part()
                columns.n_above += len(rows)
                rows, parts = Rows(columns, self.limits), []
                numbers.clear()
                errors.clear()
        if parts:
            yield part()

    def _readable(
        self,
        batch: pa.RecordBatch,
        begin: int,
        columns: tuple[list[str], list[str]],
        rows: Rows,
        numbers: list[int],
    ) -> tuple[Floats, dict[int, DataError]]:
        """Add the valid rows of a batch that begins at row ``begin``, and their
        numbers; return their features, and the errors of the other rows. ``columns``
        are those of features and identifiers."""
        cells = dict(zip(batch.schema.names, batch.columns, strict=True))
        values = {name: self._numbers(name, cells[name]) for name in columns[0]}
        words = {name: _python(cells[name]) for name in columns[1]}
        X, errors = np.column_stack(list(values.values())), dict[int, DataError]()
        whole = np.asarray(np.isfinite(X).all(axis=1))
        stays = np.ones(len(batch), dtype=np.bool_)
        for i in range(len(batch)):
            numbers.append(begin + i)
            figures_to_check = {} if whole[i] else values
            try:
                self._check_row(i, len(rows), figures_to_check, cells, words, rows)
            except DataError as error:
                errors[numbers.pop() + 1], stays[i] = error, False
        return X[stays], errors

    def faults(self, gain: Gain) -> Iterator[Fault]:
        """Read all rows; yield the first problem of each."""
        columns = self.columns
        n = self.file.metadata.num_rows
        rows, figures, identifiers = self._find_columns(n)
        # Numbers of the rows without a problem.
        numbers: list[int] = []
        columns.line_of = lambda row: numbers[row]
        pairs: set[tuple[int, str]] = set()
        for begin, batch in self._batches([*figures, *identifiers]):
            cells = dict(zip(batch.schema.names, batch.columns, strict=True))
            values = {name: self._numbers(name, cells[name]) for name in figures}
            words = {name: _python(cells[name]) for name in identifiers}
            for i in range(len(batch)):
                at = len(numbers)
                numbers.append(begin + i + 1)
                try:
                    self._check_row(i, at, values, cells, words, rows)
                except DataError as error:
                    numbers.pop()
                    yield Fault(error, ())
                    continue
                label = values[columns.label][i : i + 1]
                try:
                    rows.grades(label, gain, at)
                    if columns.repairs.duplicates in (None, "merge"):
                        rows.check_new(at, pairs)
                except DataError as error:
                    yield Fault(error, ())

    def _check_row(
        self,
        i: int,
        at: int,
        values: dict[str, Floats],
        cells: dict[str, pa.Array],
        words: dict[str, list[Any]],
        rows: Rows,
    ) -> None:
        """Refuse row ``i`` of a batch, or add it as row ``at``."""
        for name, column in values.items():
            if not np.isfinite(column[i]):
                sample = _python(cells[name][i : i + 1])
                if not self.columns.fills(sample[0], name):
                    raise self.columns.not_finite(name, at, sample)
        rows.add(
            *(
                None if name is None else self._identifier(name, at, words[name][i])
                for name in self.columns.identifiers
            )
        )

    def _chunk(self, X: Floats, words: list[Words], gain: Gain) -> Chunk:
        """Return the data of rows with features and label in ``X``; later rows come
        next."""
        columns = self.columns
        rows = Rows(columns, self.limits)
        rows.check_shape(len(X))
        for row in words:
            rows.add(*row)
        features, figures = np.split(X, [len(columns.features)], axis=1)
        aligned_features = aligned(features.shape)
        aligned_features[...] = features
        dataset = rows.dataset(aligned_features, figures, gain)
        begin, columns.n_above = columns.n_above, columns.n_above + len(X)
        return chunk_of(dataset, begin + rows.numbers, columns.n_above, columns.file)

    def _batch_numbers(self, batch: pa.RecordBatch, row: int) -> Floats:
        """Return the features, labels and scores of rows, starting with number
        ``row``."""
        columns = self.columns
        names = [*columns.features, *columns.figures]
        numbers = np.empty((len(batch), len(names)))
        cells = dict(zip(batch.schema.names, batch.columns, strict=True))
        for j, name in enumerate(names):
            numbers[:, j] = self._checked(name, cells[name], row)
        return numbers

    def _batch_words(self, batch: pa.RecordBatch, row: int) -> list[Words]:
        """Return the query, document and texts of rows."""
        cells = dict(zip(batch.schema.names, batch.columns, strict=True))
        words_by_column = [
            [None] * len(batch)
            if name is None
            else [
                self._identifier(name, at, cell)
                for at, cell in enumerate(_python(cells[name]), start=row)
            ]
            for name in self.columns.identifiers
        ]
        return list(zip(*words_by_column, strict=True))

    def _find_columns(self, n_rows: int = 0) -> tuple[Rows, list[str], list[str]]:
        """Find the columns and prepare to read them; return the empty rows, up to
        ``n_rows``, and the columns of numbers and identifiers."""
        columns = self.columns
        columns.find(self.names())
        rows = Rows(columns, self.limits)
        rows.check_width(len(self.file.schema_arrow.names))
        rows.check_shape(n_rows)
        numbers = [*columns.features, *columns.figures]
        identifiers = [name for name in columns.identifiers if name is not None]
        self._prepare({*numbers, *identifiers})
        return rows, numbers, identifiers

    def _check_contents(self) -> None:
        """Refuse a table of contents that would be too large in memory."""
        self.stream.seek(-TRAILER, io.SEEK_END)
        size = int.from_bytes(self.stream.read(4), "little")
        is_whole = self.stream.read() == PARQUET_MAGIC
        self.stream.seek(0)
        if is_whole and size > self.limits.contents:
            raise self.columns.error(
                f"The table of contents has {size} bytes, more than "
                f"{self.limits.contents}",
                "Write the file with larger row groups or fewer columns, or raise the "
                "limit",
                1,
            )

    def _prepare(self, names: set[str]) -> None:
        """Check columns before reading them, and store repeated strings once."""
        from pyarrow import parquet, types

        # Do not read the metadata of single columns: Arrow ends the process if it is
        # damaged.
        metadata = self.file.metadata
        groups = range(metadata.num_row_groups)
        sizes = [metadata.row_group(group).total_byte_size for group in groups]
        self.largest = max(sizes, default=0)
        if self.largest > self.limits.group:
            raise self.columns.error(
                f"A row group has {self.largest} bytes, more than {self.limits.group}",
                "Write the file with smaller row groups, or raise the limit",
                1,
            )
        words = []
        schema = self.file.schema_arrow
        kinds = dict(zip(schema.names, schema.types, strict=True))
        for name in names:
            kind = kinds[name]
            if not _is_simple(kind):
                raise self.columns.wrong_kind(name, str(kind))
            if types.is_string(kind) or types.is_large_string(kind):
                words.append(name)
        self.shortened = self.file
        self.file = parquet.ParquetFile(
            self.stream,
            metadata=metadata,
            pre_buffer=False,
            read_dictionary=words,
            buffer_size=self.buffer,
        )

    def _batches(self, names: list[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield batches of some columns, each with its first row number."""
        row, n = 0, self.file.metadata.num_rows
        for batch in self._unchecked_batches(names):
            batch.validate(full=True)
            if row + len(batch) > n:
                break
            yield row, batch
            row += len(batch)
        if row != n:
            raise ValueError(f"there are fewer than {n} rows")

    def _unchecked_batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        names = list(dict.fromkeys(names))
        n_rows = max(BATCH_CELLS // len(names), 1)
        batches = self.file.iter_batches(n_rows, columns=names, use_threads=False)
        try:
            first = next(batches, None)
        except OSError as error:
            # Statistics of strings with a common prefix may be truncated. Such a column
            # has no dictionary, and no string is longer than the row group.
            if SHORTENED not in str(error):
                raise
            n_rows = max(min(n_rows, BATCH_BYTES // (self.largest + 1)), 1)
            yield from self.shortened.iter_batches(
                n_rows, columns=names, use_threads=False
            )
            return
        if first is not None:
            yield first
        yield from batches

    def _read_numbers(self, names: list[str], out: Floats) -> None:
        column_of = {name: j for j, name in enumerate(names)}
        for row, batch in self._batches(names):
            # By position: looking up a name takes as long as reading the column.
            for name, cells in zip(batch.schema.names, batch.columns, strict=True):
                values = self._checked(name, cells, row)
                out[row : row + len(batch), column_of[name]] = values

    def _numbers(self, name: str, cells: pa.Array) -> Floats:
        """Return the numbers in cells, with labels mapped to grades."""
        if self.columns.labels is None or name != self.columns.label:
            return _floats(cells)
        return np.array([self.columns.grade(cell) for cell in _python(cells)])

    def _checked(self, name: str, cells: pa.Array, row: int) -> Floats:
        """Return the numbers in cells, the first of which belongs to row ``row``."""
        import pyarrow as pa

        values = self._numbers(name, cells)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            wrong_cells = _python(cells.take(pa.array(wrong)))
            wrong = self.columns.unfilled(wrong, wrong_cells, name)
        if len(wrong):
            i = int(wrong[0])
            sample = _python(cells[i : i + SAMPLED_CELLS])
            raise self.columns.not_finite(name, row + i, sample)
        return values

    def _strings(self, name: str) -> list[str]:
        """Return a column of identifiers or texts; equal ones may share an object."""
        from pyarrow import types

        strings: list[str] = []
        words: list[str] = []
        dictionary = None
        n_bytes = 0
        for row, batch in self._batches([name]):
            cells = batch.column(0)
            repeats = types.is_dictionary(cells.type)
            values = cells.dictionary if repeats else cells
            if dictionary is None or not dictionary.equals(values):
                dictionary = values if repeats else None
                words = [self._identifier(name, row, v) for v in values.to_pylist()]
                n_bytes += sum(map(getsizeof, words))
            if n_bytes > self.limits.text:
                problem, remedy = self.limits.too_much_text()
                raise self.columns.error(problem, remedy, row + 1, name)
            if repeats:
                at = cells.indices.to_pylist()
                strings += ["" if i is None else words[i] for i in at]
            else:
                strings += words
        return strings

    def _identifier(self, name: str, row: int, value: Any) -> str:
        word = identifier(value)
        if word is None:
            raise self.columns.no_identifier(name, row, value)
        return word


def _rows_before_last(words: list[Words]) -> int:
    """Return the number of rows before those of the last query."""
    last, n = words[-1][0], len(words)
    while n and words[n - 1][0] == last:
        n -= 1
    return n


def _is_simple(kind: pa.DataType) -> bool:
    """Return whether a column holds single numbers, words or dates."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    tests = (
        types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
        types.is_null, types.is_string, types.is_large_string, types.is_temporal,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def _floats(cells: pa.Array) -> Floats:
    """Convert a column; missing and non-numeric values become NaN."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(cells.type):
        values = np.array([*map(number, cells.dictionary.to_pylist()), np.nan])
        return values[cells.indices.fill_null(len(values) - 1).to_numpy()]
    kind = cells.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_temporal(kind):
        return np.array([number(cell) for cell in cells.to_pylist()])
    floats = cells.cast(pa.float64(), safe=False)
    return floats.to_numpy(zero_copy_only=False)


def _python(cells: pa.Array) -> list[Any]:
    """Convert a few cells; equal values share one object."""
    from pyarrow import types

    if not types.is_dictionary(cells.type):
        return cells.to_pylist()
    values = cells.dictionary.to_pylist()
    return [None if i is None else values[i] for i in cells.indices.to_pylist()]
