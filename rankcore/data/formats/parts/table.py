"""Tables (CSV, Parquet or DataFrame): one row per document, one column per feature."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankcore.base.arrays import owned
from rankcore.base.errors import DataError, gathered_warnings
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats import all_formats
from rankcore.data.formats.parts import frame, part_sizes
from rankcore.data.formats.parts.chunks import Chunk
from rankcore.data.formats.parts.columns import (
    ROLES,
    SEVERAL,
    Columns,
    Header,
    Missing,
    median,
)
from rankcore.data.formats.parts.faults import Fault, without
from rankcore.data.formats.parts.format import (
    Format,
    NextPart,
    NextRows,
    Parts,
    Reopened,
    has_been_read,
)
from rankcore.data.formats.parts.good_rows import GoodRows
from rankcore.data.formats.parts.repairs import Duplicates, Unjudged
from rankcore.data.formats.parts.rows import no_rows
from rankcore.data.formats.parts.source import (
    LARGE_FILE,
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)

if TYPE_CHECKING:
    import pandas as pd


class TableReader(Protocol):
    """An open table with known columns; each method raises `DataError`."""

    def head(self, n_rows: int) -> tuple[list[str], Sequence[Sequence[object]]]:
        """Return the names of the columns and the cells of the first rows, up to an
        invalid one."""

    def names(self) -> list[str]:
        """Return the names of the columns; for text, only after reading a row."""

    def cells(
        self, roles: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[tuple[int, list[Any]] | DataError]:
        """Yield the cells of some roles, row by row, each with its line."""

    def dataset(self, gain: Gain) -> RankingDataset:
        """Read all rows."""

    def chunks(self, gain: Gain, first_line: int, size: int) -> Iterator[Chunk]:
        """Read rows from a line on, counted from 0, in chunks of whole queries with
        about ``size`` feature values; the rows of each query must be adjacent."""

    def good_rows(self, size: int) -> Iterator[GoodRows]:
        """Read the valid rows, about ``size`` feature values at a time."""

    def faults(self, gain: Gain) -> Iterator[Fault]:
        """Yield the first problem of each row, up to one after which rows are
        unrecognisable."""


class Tabular(Format):
    """A table with named columns; subclasses define `reader`."""

    has_columns = True
    options = frozenset({*ROLES, *SEVERAL, "features", "header", "labels"}) | {
        *("missing", "unjudged", "duplicates")
    }
    afterwards = frozenset()
    of_parts = options | {"unlabelled"}
    function = "read_table"

    def reader(self, source: Opened, columns: Columns) -> TableReader:
        """Return a reader of a table."""
        raise NotImplementedError

    def reporting(self, columns: Columns) -> AbstractContextManager[None]:
        """Return a context that turns library errors about damaged files into a
        `DataError`."""
        return nullcontext()

    def accepted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return dict(options)

    def read(self, source: Source, **options: Any) -> RankingDataset:
        return read_table(source, **options)

    def head(
        self, source: Opened, columns: Columns, n_rows: int
    ) -> tuple[list[str], Sequence[Sequence[object]]]:
        """Return names and first rows like `TableReader.head`."""
        with self.reporting(columns):
            return self.reader(source, columns).head(n_rows)

    def faults(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Iterator[Fault]:
        kind, whole = table_of(source)
        columns = Columns(source.name, options)
        with kind.reporting(columns):
            yield from kind.reader(whole, columns).faults(gain)

    def in_parts(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Parts:
        return _TableParts(source, gain, options)


def table_of(source: Opened) -> tuple[Tabular, Opened]:
    """Return the format of a table by its beginning, and the unread source."""
    begin, whole = source.peek()
    tables = (kind for kind in all_formats() if isinstance(kind, Tabular))
    return next(kind for kind in tables if kind.recognises(begin, {})), whole


def read_table(
    source: Source | pd.DataFrame,
    label: str | None = None,
    query: str | None = None,
    document: str | None = None,
    *,
    text: str | None = None,
    query_text: str | None = None,
    group: Sequence[str] = (),
    score: Sequence[str] = (),
    ignore: Sequence[str] = (),
    features: Sequence[str] | None = None,
    header: Header | None = None,
    missing: Missing | None = None,
    unjudged: Unjudged | None = None,
    duplicates: Duplicates | None = None,
    labels: str | None = None,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Collection[int] = (),
) -> RankingDataset:
    r"""Read a table with a label and a query column; the others are features.

    Parameters
    ----------
    source : path, bytes, binary file or DataFrame
        CSV in UTF-8 with a header line (separated by comma, semicolon, tab or bar;
        plain or compressed by gzip) or Parquet. With other separators than commas,
        numbers may have decimal commas.
    label, query, document : str, optional
        Columns with the relevance grade, the query id and the document id. By default
        the first column with a usual name, such as ``label``, ``qid`` or ``docid``, in
        any case. A document column is optional; ``""`` says that it is missing.
    text, query_text : str, optional
        Columns with a text of the document, such as its title, and with the text of the
        query, equal in all rows of a query. By default ``document_text`` and
        ``query_text``, if present; ``""`` says that it is missing.
    group : sequence of str
        Columns with a group for each query, such as head or tail, equal in all rows of
        a query; see `RankingDataset.query_groups`.
    score : sequence of str
        Columns with scores of production models, to compare a new model with; not used
        as features. See `RankingDataset.doc_scores`.
    ignore : sequence of str
        Columns to leave out.
    features : sequence of str, optional
        Feature columns; by default all other columns. Each holds numbers.
    header : sequence of str or "none", optional
        Names of the columns of CSV without a header line; "none" names them c1, c2, …,
        and by default the first two are label and query.
    missing : {"median", "zero", "rows", "keep"}, optional
        Replacement of feature cells that are empty or hold a word such as NA: the
        median of the feature's other values in the file, or 0; ``rows`` leaves out
        these rows, and ``keep`` keeps NaN, for LightGBM and XGBoost. By default they
        are refused.
    unjudged : {"irrelevant", "drop"}, optional
        Treatment of rows without a label: label 0, with `judged` False, or left out. By
        default they are refused.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        Treatment of several rows of one document, or without document ids, of equal
        features: one stays if their labels agree. If they differ, ``merge`` refuses the
        file if it has document ids, ``highest``, ``median`` and ``lowest`` keep the
        first row with this label, and ``drop`` keeps none. By default they are refused,
        or kept without document ids.
    labels : str, optional
        Mapping of labels to grades: with ``"0.3,0.6"``, grade 1 starts at 0.3 and grade
        2 at 0.6; ``"bad=0,good=2"`` maps words; ``"fractional"`` keeps labels such as
        .5.
    name, gain, limits
        As for `read_letor`.
    skip_lines : collection of int
        Lines of CSV to skip, from 1; the data's name includes their number.

    Raises
    ------
    DataError
        With the file, line (for Parquet and DataFrame: the row, from 1) and column name
        of the first problem.

    Warns
    -----
    DataWarning
        About missing feature values, rows left out, negative labels, and decimal
        commas.

    Examples
    --------
    >>> shop = b"sku,search,stars,note,price\nA-1,mug,1,new,9.5\nA-2,mug,0,,12\n"
    >>> data = read_table(
    ...     shop, label="stars", query="search", document="sku", ignore=["note"]
    ... )
    >>> data.doc_ids, data.feature_names
    (('A-1', 'A-2'), ('price',))
    """
    options, file = locals(), source_name(source, name)
    columns = Columns(file, options)
    if hasattr(source, "columns"):
        if skip_lines:
            problem, remedy = "A DataFrame has no lines", "Drop these rows from it"
            raise DataError(problem, remedy, file)
        data = frame.read(source, columns, gain, limits or LARGE_FILE)
        columns.warn_of_filled()
        return data
    with opened(source, file, limits, skip_lines) as opened_source:
        kind, whole = table_of(opened_source)
        with kind.reporting(columns):
            data = kind.reader(whole, columns).dataset(gain)
        columns.warn_of_filled()
        return without(data, opened_source.skip)


class _TableParts(Parts):
    """A table in parts; `prepare` computes the medians for missing values."""

    def __init__(self, source: Opened, gain: Gain, options: Mapping[str, Any]) -> None:
        self._kind, whole = table_of(source)
        self._file, self._options = source.name, options
        self._gain = gain
        self.judges = options.get("unjudged") == "irrelevant"
        self._medians: dict[str, float] = {}
        columns = self._columns()
        columns.find(self._kind.head(whole, columns, 0)[0])
        self.features = tuple(columns.features)

    def _columns(self) -> Columns:
        """Return the columns before reading the file."""
        texts = {} if self.texts else {"text": "", "query_text": ""}
        return Columns(self._file, {**texts, **self._options})

    def prepare(self, reopened: Reopened) -> None:
        """Read the file for the medians of features with missing values.

        A first pass finds these features, and further passes compute as many medians as
        fit into memory.
        """
        if self._columns().missing != "median":
            return
        with gathered_warnings():  # reported again by the final reading
            columns = self._passed(reopened, ())
            names, n_rows = (
                list(columns.n_missing),
                columns.n_values // len(self.features),
            )
            size = max(part_sizes.GATHERED // max(n_rows, 1), 1)
            for begin in range(0, len(names), size):
                columns = self._passed(reopened, names[begin : begin + size])
                self._medians |= {
                    name: median(np.concatenate(pieces))
                    for name, pieces in columns.gathered.items()
                }

    def _passed(self, reopened: Reopened, names: Sequence[str]) -> Columns:
        """Read the file, and collect the values of some features."""
        columns = self._columns()
        columns.gathered = {name: [] for name in names}
        with reopened() as source:
            passed: Iterator[Chunk | GoodRows] = (
                self._good(source, columns)
                if self.passes
                else self._chunks(source, columns, 0)
            )
            for _ in passed:
                pass
        return columns

    def _chunks(
        self, source: Opened, columns: Columns, first_line: int
    ) -> Iterator[Chunk]:
        with self._kind.reporting(columns):
            reader = self._kind.reader(source, columns)
            size = part_sizes.CELLS // self.share
            yield from reader.chunks(self._gain, first_line, size)

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        columns = self._columns()
        columns.fillings = self._medians
        chunks = self._chunks(source, columns, first_line)
        yield from has_been_read(map(_with_judged, chunks) if self.judges else chunks)
        columns.warn_of_filled()

    def _good(self, source: Opened, columns: Columns) -> Iterator[GoodRows]:
        with self._kind.reporting(columns):
            reader = self._kind.reader(source, columns)
            yield from reader.good_rows(part_sizes.CELLS // self.share)

    def good_rows(self, source: Opened) -> Iterator[NextRows]:
        columns = self._columns()
        columns.fillings = self._medians
        yield from has_been_read(self._good(source, columns))
        columns.warn_of_filled()

    def refusal(self, documents: int, judged: int) -> DataError | None:
        return None if documents else no_rows(self._columns())


def _with_judged(chunk: Chunk) -> Chunk:
    """Return the data with flags, even if all documents are judged."""
    if chunk.dataset.judged is not None:
        return chunk
    every = owned(np.ones(chunk.dataset.n_documents, dtype=np.bool_))
    return chunk._replace(dataset=replace(chunk.dataset, judged=every))
