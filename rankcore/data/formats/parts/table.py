"""Tables, CSV, Parquet or DataFrame: one row a document, one column a feature."""

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
    """A table that is open, of known columns; each method raises `DataError`."""

    def head(self, n_rows: int) -> tuple[list[str], Sequence[Sequence[object]]]:
        """Read the names of the columns and the cells of the first rows, up to one that
        cannot be read."""

    def names(self) -> list[str]:
        """Return the names of the columns, of text once a row has been read."""

    def cells(
        self, roles: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[tuple[int, list[Any]] | DataError]:
        """Read the cells of some roles, row by row, each with its line."""

    def dataset(self, gain: Gain) -> RankingDataset:
        """Read all rows."""

    def chunks(self, gain: Gain, first_line: int, size: int) -> Iterator[Chunk]:
        """Read rows from a line on, counted from 0, in chunks of whole queries of some
        ``size`` feature values, the rows of each query adjacent."""

    def good_rows(self, size: int) -> Iterator[GoodRows]:
        """Read the rows that can be read, some ``size`` feature values at a time."""

    def faults(self, gain: Gain) -> Iterator[Fault]:
        """Yield the first problem of each row, up to one after which no row can be
        told."""


class Tabular(Format):
    """A table whose columns have names: a subclass has `reader`."""

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
        """Return a context in which what libraries raise of a damaged file becomes a
        `DataError`."""
        return nullcontext()

    def accepted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return dict(options)

    def read(self, source: Source, **options: Any) -> RankingDataset:
        return read_table(source, **options)

    def head(
        self, source: Opened, columns: Columns, n_rows: int
    ) -> tuple[list[str], Sequence[Sequence[object]]]:
        """Read names and first rows as `TableReader.head` does."""
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
    """Return the format of a table by its beginning, and the source as it was."""
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
        plain or compressed by gzip) or Parquet. Where no comma separates, numbers may
        have decimal commas.
    label, query, document : str, optional
        Columns with the relevance grade, the query id and the document id. By default
        the first column with a usual name, such as ``label``, ``qid`` and ``docid``,
        whatever its case. A document column may be missing; ``""`` says that it is.
    text, query_text : str, optional
        Columns with a text of the document, such as its title, and with the words of
        the query, the same in all rows of a query. By default ``document_text`` and
        ``query_text``, if there are such columns; ``""`` says that there is none.
    group : sequence of str
        Columns with a word for each query, such as head and tail, the same in all rows
        of a query; see `RankingDataset.query_groups`.
    score : sequence of str
        Columns with scores of models in use, to compare a new model with; they are no
        features. See `RankingDataset.doc_scores`.
    ignore : sequence of str
        Columns to leave out.
    features : sequence of str, optional
        Feature columns; by default all other columns. Each holds numbers.
    header : sequence of str or "none", optional
        The names of the columns of CSV without a header line; "none" calls them c1, c2,
        …, of which by default the first two are label and query.
    missing : {"median", "zero", "rows", "keep"}, optional
        What a feature counts as where its cell is empty or holds a word such as NA: the
        median of its other values in the file, or 0; ``rows`` leaves these rows out,
        and ``keep`` keeps them as NaN, for LightGBM and XGBoost. By default they are
        refused.
    unjudged : {"irrelevant", "drop"}, optional
        What rows without a label count as: the label 0, of which `judged` then tells,
        or nothing, for they are left out. By default they are refused.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        What is done about several rows of a document, or without document ids of the
        same features: one of each stays if their labels are the same. Where they
        differ, ``merge`` refuses the file if it has document ids, ``highest``,
        ``median`` and ``lowest`` keep the first row with this label, and ``drop`` none.
        By default they are refused, or kept if there are no document ids.
    labels : str, optional
        The grades of labels that are none: ``"0.3,0.6"`` gives grade 1 from 0.3 and 2
        from 0.6 on, ``"bad=0,good=2"`` grades to words; ``"fractional"`` keeps labels
        such as .5 as they are.
    name, gain, limits
        As for `read_letor`.
    skip_lines : collection of int
        Lines of CSV to pass over, from 1; the data's name says how many.

    Raises
    ------
    DataError
        With file, line (for Parquet and DataFrame: the row, from 1) and column name
        of the first problem.

    Warns
    -----
    DataWarning
        How many values of features were missing, how many rows are left out, and that
        labels were negative or numbers had decimal commas.

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
            problem, remedy = "A DataFrame has no lines", "Drop these rows of it"
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
    """A table in parts; `prepare` finds the medians for missing values."""

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
        """Return the columns before the file is read."""
        texts = {} if self.texts else {"text": "", "query_text": ""}
        return Columns(self._file, {**texts, **self._options})

    def prepare(self, reopened: Reopened) -> None:
        """Read the file for the medians of features with missing values.

        It is read once to find these, and once more for as many of them as there is
        room for.
        """
        if self._columns().missing != "median":
            return
        with gathered_warnings():  # which reading it for good gives
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
        """Read the file, and gather the values of some features."""
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
    """Return the same with flags also where all documents are judged."""
    if chunk.dataset.judged is not None:
        return chunk
    every = owned(np.ones(chunk.dataset.n_documents, dtype=np.bool_))
    return chunk._replace(dataset=replace(chunk.dataset, judged=every))
