"""LETOR and SVMlight text: ``label qid:Q 1:v 2:v … # comment``, one document a line."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

import numpy as np

from rankcore._arrays import Bytes, Floats, Integers, owned
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset, default_names
from rankcore.errors import DataError
from rankcore.readers._refusals import place, refusal, shown
from rankcore.readers._source import (
    DEFAULT_LIMITS,
    Limits,
    Source,
    read_bytes,
    source_name,
    stem,
)

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SAMPLED_LINES = 100
LEFT_OVER = 2**16
LARGEST_LABEL = 2**53


def read_letor(
    source: Source,
    *,
    name: str | None = None,
    n_features: int | None = None,
    feature_names: Iterable[str] | None = None,
    gain: Gain = "exponential",
    limits: Limits = DEFAULT_LIMITS,
) -> RankingDataset:
    """Read LETOR text, plain or compressed by gzip.

    Rows of a query need not be adjacent, query ids need not be numbers, and absent
    features are zero. The word after ``#docid =`` in a comment is the document's id,
    any other comment is one as a whole, and documents without are named d1, d2, … by
    their place in the query.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        What to call the data, in messages too; by default the file's name.
    n_features : int, optional
        Number of features, so that training and test data agree; by default the
        largest feature number that occurs.
    feature_names : iterable of str, optional
        By default f1, f2, ….
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits
        Largest sizes accepted.

    Returns
    -------
    RankingDataset

    Raises
    ------
    DataError
        With file, line and column of the first problem.
    """
    from rankcore._kernels.numerals import PADDING

    file = source_name(source, name)
    text = read_bytes(source, file, limits, padding=PADDING)
    names = tuple(feature_names or ())
    max_label = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_LABEL
    width = n_features or len(names)
    parsed = _Parser(text, file, limits, width, max_label).parse()
    try:
        return RankingDataset.from_codes(
            parsed.X,
            parsed.labels,
            parsed.codes,
            parsed.query_ids,
            doc_ids=parsed.doc_ids,
            feature_names=names or default_names(parsed.X.shape[1]),
            name=stem(file),
        )
    except DataError as error:
        if error.line is None:
            raise DataError(error.problem, error.remedy, file) from error
        where = place(text, int(parsed.id_begins[error.line - 1]))
        raise DataError(error.problem, error.remedy, file, *where) from error


class _Parsed(NamedTuple):
    """Rows in the file's order, and where in the file their document ids begin."""

    X: Floats
    labels: Integers
    codes: Integers
    query_ids: tuple[str, ...]
    doc_ids: list[str] | None
    id_begins: Integers


class _Parser:
    """Runs the compiled parser over a text and answers whenever it stops."""

    def __init__(
        self,
        text: Bytes,
        file: str,
        limits: Limits,
        width: int,
        max_label: int,
    ) -> None:
        from rankcore._kernels.letor import count_newlines
        from rankcore._kernels.numerals import PADDING

        self.file = file
        self.limits = limits
        self.fixed = width > 0
        self.max_label = max_label
        self.text = text
        marked = text[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK
        self.start = len(BYTE_ORDER_MARK) * marked
        unended = text[:-PADDING][-1:].tobytes() != b"\n"
        self.n_lines = int(count_newlines(text)) - PADDING + unended
        if self.n_lines > limits.rows:
            problem = f"There are more than {limits.rows} lines"
            remedy = "Use fewer queries, or raise the limit"
            raise DataError(problem, remedy, file, limits.rows + 1, 1)
        self.X = np.empty((0, 0))
        self._widen(width or self._widest(self.start, SAMPLED_LINES), self.start, 0)

    def parse(self) -> _Parsed:
        from rankcore._kernels import letor

        labels = np.empty(self.n_lines, dtype=np.int64)
        rows = np.empty((self.n_lines, 4), dtype=np.int64)
        runs = np.empty((self.n_lines, 2), dtype=np.int64)
        n_spans = max(LEFT_OVER, self.limits.features)
        spans = np.empty((n_spans, 4), dtype=np.int64)
        begin, row, run = self.start, 0, 0
        while True:
            # Without compilation, NumPy's own integers warn where they wrap round.
            with np.errstate(over="ignore"):
                code, position, begin, row, run, n_spans = letor.parse_rows(
                    *(self.text, self.marks, begin, row, run, self.max_label),
                    *(self.X, labels, rows, runs, spans),
                )
            self._convert(spans[:n_spans])
            if code == letor.DONE:
                break
            if code == letor.TOO_WIDE and not self.fixed:
                width = max(self._index_at(position), self._widest(begin, self.n_lines))
                self._widen(width, position, row)
            elif code != letor.SPANS_FULL:
                raise self._refusal(code, position, self.X.shape[1])
        if row == 0:
            raise self._error("There are no rows", "Give a file with rows", 0)
        return self._collect(labels[:row], rows[:row], runs[:run])

    def _widest(self, begin: int, n_lines: int) -> int:
        from rankcore._kernels import letor

        width = int(letor.widest_row(self.text, begin, n_lines))
        return min(width, self.limits.features)

    def _index_at(self, position: int) -> int:
        """Return the number of a feature that did not fit."""
        from rankcore._kernels import letor, numerals

        index, _ = numerals.natural(self.text, position)
        if index > self.limits.features:
            raise self._refusal(letor.TOO_WIDE, position, self.limits.features)
        return int(index)

    def _widen(self, width: int, position: int, n_rows: int) -> None:
        """Make room for ``width`` features, keeping the rows parsed so far."""
        from rankcore._kernels import letor

        width = max(width, 1)
        if self.n_lines * width > self.limits.cells:
            raise self._error(
                f"{self.n_lines} lines with up to {width} features are more than "
                f"{self.limits.cells} numbers",
                "Use fewer queries or features, or raise the limit",
                position,
            )
        X = np.empty((self.n_lines, width))
        X[:n_rows, : self.X.shape[1]] = self.X[:n_rows]
        X[:n_rows, self.X.shape[1] :] = 0.0
        self.X = X
        self.marks = letor.column_marks(width)

    def _convert(self, spans: Integers) -> None:
        """Convert the numbers that the compiled parser left over."""
        for row, column, begin, end in spans.tolist():
            value = float(self.text[begin:end].tobytes())
            if not isfinite(value):
                raise self._error(
                    f"The value {shown(self.text, begin)!r} is too large",
                    "Use numbers up to 1e308",
                    begin,
                )
            # Adding zero takes the sign off -0.0, as the compiled parser does.
            self.X[row, column] = value + 0.0

    def _collect(self, labels: Integers, rows: Integers, runs: Integers) -> _Parsed:
        from rankcore._kernels import letor

        numbers: dict[str, int] = {}
        queries = self._texts(runs)
        codes = [numbers.setdefault(query, len(numbers)) for query in queries]
        ids = rows[:, letor.ID_BEGIN : letor.ID_END + 1]
        doc_ids = self._texts(ids) if (ids[:, 0] < ids[:, 1]).any() else None
        return _Parsed(
            X=owned(self.X)[: len(rows)],
            labels=owned(labels),
            codes=np.array(codes, dtype=np.int64)[rows[:, letor.RUN]],
            query_ids=tuple(numbers),
            doc_ids=doc_ids,
            id_begins=ids[:, 0],
        )

    def _texts(self, spans: Integers) -> list[str]:
        from rankcore._kernels import letor

        joined = np.empty((spans[:, 1] - spans[:, 0] + 1).sum(), dtype=np.uint8)
        letor.join_spans(self.text, spans, joined)
        return _decoded(joined.tobytes()).split("\n")[:-1]

    def _refusal(self, code: int, position: int, width: int) -> DataError:
        return refusal(code, self.text, position, self.file, width, self.max_label)

    def _error(self, problem: str, remedy: str, position: int) -> DataError:
        where = place(self.text, position)
        return DataError(problem, remedy, self.file, *where)


def _decoded(text: bytes) -> str:
    """Decode UTF-8 or, as old files have it, Latin-1."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")
