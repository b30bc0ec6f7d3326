"""Valid rows of a file, grouped by query.

Whether a row is valid depends only on the rows before it, not on the parts: it must be
readable, continue the query of the valid row before it or begin a new one, and have a
document that its query does not have yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Floats, Integers, aligned, owned
from rankcore.base.errors import DataError
from rankcore.data.dataset import Missing, RankingDataset
from rankcore.data.formats.parts.chunks import Chunk, comes_twice
from rankcore.data.formats.parts.repairs import (
    Duplicates,
    groups_of_copies,
    kept_rows,
)


class GoodRows(NamedTuple):
    """Valid rows, in the order of their file.

    Attributes
    ----------
    X : (n, d) float64
    features : tuple of d str
    codes : (n,) int64
        The query of each row, as an index of `queries`.
    documents : list of n str or None
        Document ids; "" for none.
    lines : (n,) int64
        Lines, counted from 0.
    errors : dict
        The error of each invalid line, counted from 1, up to the last row or beyond.
    column : str or None
        The column of document ids.
    """

    X: Floats
    features: tuple[str, ...]
    codes: Integers
    queries: tuple[str, ...]
    documents: list[str] | None
    lines: Integers
    errors: dict[int, DataError]
    column: str | None = None

    def at(self, places: slice | NDArray[np.bool_]) -> GoodRows:
        """Return some rows, without errors."""
        documents = self.documents
        if documents is not None:
            chosen = np.arange(len(documents))[places].tolist()
            documents = [documents[row] for row in chosen]
        return self._replace(
            X=self.X[places],
            codes=self.codes[places],
            documents=documents,
            lines=self.lines[places],
            errors={},
        )

    def dataset(self, name: str, missing: Missing | None) -> RankingDataset:
        """Return the data set of at least one row, with labels 0; rows of a query are
        adjacent."""
        begins = np.flatnonzero(np.diff(self.codes, prepend=-1))
        codes = np.cumsum(np.diff(self.codes, prepend=self.codes[0]) != 0)
        X = aligned(self.X.shape)
        X[...] = self.X
        return RankingDataset.from_codes(
            owned(X),
            owned(np.zeros(len(X), dtype=np.int64)),
            codes,
            tuple(self.queries[code] for code in self.codes[begins].tolist()),
            doc_ids=self.documents if any(self.documents or ()) else None,
            feature_names=self.features,
            name=name,
            copy=False,
            missing=missing,
        )


def of_chunk(chunk: Chunk) -> GoodRows:
    """Return the rows of a chunk, for a format that skips none."""
    data, lines = chunk.dataset, chunk.documents
    return GoodRows(
        data.X,
        data.feature_names,
        np.repeat(np.arange(data.n_queries), data.lengths),
        data.query_ids,
        list(data.doc_ids),
        lines if len(lines) else np.asarray(data.rows),
        {},
    )


def no_good_rows(errors: dict[int, DataError]) -> GoodRows:
    """Return the rows of a part without valid lines."""
    none = np.empty(0, dtype=np.int64)
    return GoodRows(np.empty((0, 0)), (), none, (), None, none, errors)


class Grouping:
    """Rows of parts, combined into whole queries.

    Parameters
    ----------
    before : set of str
        Ids of queries already taken, which grows meanwhile.
    rule : str, optional
        Treatment of several rows of one document, as for `read_table`; without it, all
        except the first are invalid.
    """

    def __init__(
        self, file: str, before: Set[str], rule: Duplicates | None = None
    ) -> None:
        self._file, self._before, self._rule = file, before, rule
        # Queries not yet among those taken.
        self._queries: set[str] = set()
        # The rows of the last query, which may continue.
        self._last: GoodRows | None = None
        self._errors: dict[int, DataError] = {}

    @property
    def bad(self) -> int:
        """Invalid lines not returned yet."""
        return len(self._errors)

    def add(self, rows: GoodRows) -> GoodRows | None:
        """Add the rows of the next part; return those of whole queries, with the errors
        of lines before a query that may continue."""
        self._errors |= rows.errors
        if len(rows.lines):
            rows = self._adjacent(rows)
        if not len(rows.lines):
            return None
        if self._last is not None:
            rows = _joined(self._last, rows)
        others = np.flatnonzero(rows.codes != rows.codes[-1])
        begin = int(others[-1]) + 1 if len(others) else 0
        self._last = rows.at(slice(begin, None))
        if not begin:
            return None
        return self._distinct(rows.at(slice(begin)), int(self._last.lines[0]) + 1)

    def taken(self, queries: Iterable[str]) -> None:
        """Mark queries as taken."""
        self._queries.difference_update(queries)

    def end(self) -> GoodRows | None:
        """Return the rows of the last query, or errors without rows."""
        last, self._last = self._last, None
        if last is None and self._errors:
            last = no_good_rows({})
        return None if last is None else self._distinct(last, None)

    def _adjacent(self, rows: GoodRows) -> GoodRows:
        """Return the rows that continue the query before them or begin a new one."""
        last = self._last.queries[self._last.codes[-1]] if self._last else None
        stays = np.ones(len(rows.codes), dtype=np.bool_)
        begins = np.flatnonzero(np.diff(rows.codes, prepend=-1)).tolist()
        for begin, end in zip(begins, [*begins[1:], len(stays)], strict=True):
            query = rows.queries[rows.codes[begin]]
            if query == last:
                continue
            if query not in self._queries and query not in self._before:
                self._queries.add(query)
                last = query
                continue
            stays[begin:end] = False
            for line in rows.lines[begin:end].tolist():
                self._errors[line + 1] = comes_twice(query, self._file, line)
        return rows if stays.all() else rows.at(stays)

    def _distinct(self, rows: GoodRows, end: int | None) -> GoodRows:
        """Return one row per document, and the errors of lines before ``end``, from
        1."""
        if self._rule is not None and len(rows.lines):
            copies = groups_of_copies(rows.codes, rows.documents, rows.X)
            rows = rows.at(kept_rows(copies, np.zeros(len(rows.lines)), self._rule))
        again = np.zeros(len(rows.lines), dtype=np.bool_)
        for row in _repeated(rows):
            again[row] = True
            error = self._twice(rows, row)
            self._errors[int(rows.lines[row]) + 1] = error
        if again.any():
            rows = rows.at(~again)
        lines = sorted(one for one in self._errors if end is None or one < end)
        return rows._replace(errors={one: self._errors.pop(one) for one in lines})

    def _twice(self, rows: GoodRows, row: int) -> DataError:
        """Return the error of a row whose document occurred before in its query."""
        document = (rows.documents or [])[row]
        query, line = rows.queries[rows.codes[row]], int(rows.lines[row]) + 1
        return DataError(
            f"Document {document!r} occurs twice in query {query!r}",
            "Keep one row for each document of a query",
            self._file,
            line,
            rows.column,
        )


def _repeated(rows: GoodRows) -> Iterator[int]:
    """Yield the rows whose document occurs in a row above, in its query."""
    documents = rows.documents
    if documents is None:
        return
    pairs = set(zip(rows.codes.tolist(), documents, strict=True))
    if len(pairs) == len(documents) and "" not in documents:
        return
    last, names = -1, set[str]()
    for row, (code, document) in enumerate(
        zip(rows.codes.tolist(), documents, strict=True)
    ):
        if code != last:
            last = code
            names.clear()
        # Without an id, a document is named by its position among the valid rows.
        name = document or f"d{len(names) + 1}"
        if name in names:
            yield row
        names.add(name)


def _joined(one: GoodRows, other: GoodRows) -> GoodRows:
    """Return the rows of a query followed by rows that may continue it."""
    wider = max(one.features, other.features, key=len)
    X = aligned((len(one.lines) + len(other.lines), len(wider)))
    X[...] = 0.0
    X[: len(one.lines), : one.X.shape[1]] = one.X
    X[len(one.lines) :, : other.X.shape[1]] = other.X
    query, documents = one.queries[one.codes[-1]], None
    if one.documents is not None or other.documents is not None:
        documents = [
            *(one.documents or [""] * len(one.lines)),
            *(other.documents or [""] * len(other.lines)),
        ]
    codes = other.codes + 1
    if query in other.queries:
        codes[codes == other.queries.index(query) + 1] = 0
    return other._replace(
        X=X,
        features=wider,
        codes=np.concatenate((np.zeros(len(one.lines), dtype=np.int64), codes)),
        queries=(query, *other.queries),
        documents=documents,
        lines=np.concatenate((one.lines, other.lines)),
    )


def numbered(words: Sequence[str]) -> tuple[Integers, tuple[str, ...]]:
    """Return the number (n,) of each of n words, and the distinct words."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(word, len(numbers)) for word in words]
    return np.array(codes, dtype=np.int64), tuple(numbers)
