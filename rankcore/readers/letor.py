"""LETOR and SVMlight text: ``label qid:Q 1:v 2:v … # comment``, one document a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import NamedTuple

import numpy as np

from rankcore._arrays import Bytes, Floats, Integers, owned
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset, default_names
from rankcore.errors import DataError
from rankcore.readers._refusals import reason, shown
from rankcore.readers._source import (
    DEFAULT_LIMITS,
    Interrupted,
    Limits,
    Source,
    expected_size,
    read_blocks,
    source_name,
    stem,
    whole_lines,
)

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SAMPLED_LINES = 100
LEFT_OVER = 2**16
SPARE = 1.1
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
    file = source_name(source, name)
    names = tuple(feature_names or ())
    max_label = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_LABEL
    parser = _Parser(file, limits, n_features or len(names), max_label)
    parsed = parser.parse(read_blocks(source, file, limits), expected_size(source))
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
        line, column = (int(number) + 1 for number in parsed.places[error.line - 1])
        raise DataError(error.problem, error.remedy, file, line, column) from error


class _Parsed(NamedTuple):
    """Rows in the file's order; line and column of their document ids, from 0."""

    X: Floats
    labels: Integers
    codes: Integers
    query_ids: tuple[str, ...]
    doc_ids: list[str] | None
    places: Integers


class _Parser:
    """Runs the compiled parser over blocks of lines and collects what it finds.

    A block stays in the processor's cache, and the text is never in memory whole.
    """

    def __init__(self, file: str, limits: Limits, width: int, max_label: int) -> None:
        self.file = file
        self.limits = limits
        self.fixed = width > 0
        self.max_label = max_label
        self.X = np.empty((0, width))
        self.spans = np.empty((max(LEFT_OVER, limits.features), 4), dtype=np.int64)
        self.n_lines = self.n_rows = 0
        self.labels: list[Integers] = []
        self.codes: list[Integers] = []
        self.places: list[Integers] = []
        self.queries: dict[bytes, int] = {}
        self.documents: list[bytes] = []

    def parse(self, blocks: Iterator[bytes], expected: int) -> _Parsed:
        """Parse all blocks, of about ``expected`` bytes together."""
        from rankcore._kernels.numerals import PADDING

        try:
            for text in whole_lines(blocks, PADDING):
                self._parse_lines(text, expected / len(text))
        except Interrupted as interruption:
            line = self.n_lines + 1
            problem, remedy = interruption.args
            raise DataError(problem, remedy, self.file, line, 1) from interruption
        if self.n_rows == 0:
            problem, remedy = "There are no rows", "Give a file with rows"
            raise DataError(problem, remedy, self.file, 1, 1)
        documents = b"".join(self.documents)
        has_ids = bool(documents.strip(b"\n"))
        return _Parsed(
            X=owned(self.X)[: self.n_rows],
            labels=owned(np.concatenate(self.labels)),
            codes=np.concatenate(self.codes),
            query_ids=tuple(_decoded(b"\n".join(self.queries)).split("\n")),
            doc_ids=_decoded(documents).split("\n")[:-1] if has_ids else None,
            places=np.concatenate(self.places),
        )

    def _parse_lines(self, text: Bytes, n_blocks: float) -> None:
        """Parse one of about ``n_blocks`` blocks of lines."""
        from rankcore._kernels import letor

        n_lines = self._count_lines(text)
        begin = 0
        if self.n_lines == 0:
            marked = text[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK
            begin = len(BYTE_ORDER_MARK) * marked
        width = self.X.shape[1] or letor.widest_row(text, begin, SAMPLED_LINES)
        self._reserve(n_lines, min(width, self.limits.features), n_blocks, 0)
        labels = np.empty(n_lines, dtype=np.int64)
        rows = np.empty((n_lines, 5), dtype=np.int64)
        runs = np.empty((n_lines, 2), dtype=np.int64)
        line = row = run = 0
        while True:
            X = self.X[self.n_rows :]
            # Without compilation, NumPy's own integers warn where they wrap round.
            with np.errstate(over="ignore"):
                code, position, begin, line, row, run, n_spans = letor.parse_rows(
                    *(text, self.marks, begin, line, row, run, self.max_label),
                    *(X, labels, rows, runs, self.spans),
                )
            self._convert(text, self.spans[:n_spans], X)
            if code == letor.DONE:
                break
            if code == letor.TOO_WIDE and not self.fixed:
                width = self._needed_width(text, begin, position)
                self._reserve(n_lines, width, n_blocks, row)
            elif code != letor.SPANS_FULL:
                raise self._refusal(code, text, position, self.X.shape[1])
        self._keep(text, labels[:row], rows[:row], runs[:run])
        self.n_lines += n_lines
        self.n_rows += row

    def _count_lines(self, text: Bytes) -> int:
        from rankcore._kernels.letor import count_newlines
        from rankcore._kernels.numerals import NEWLINE, PADDING

        unended = text[-PADDING - 1] != NEWLINE
        n_lines = int(count_newlines(text)) - PADDING + int(unended)
        if self.n_lines + n_lines > self.limits.rows:
            problem = f"There are more than {self.limits.rows} lines"
            remedy = "Use fewer queries, or raise the limit"
            raise DataError(problem, remedy, self.file, self.limits.rows + 1, 1)
        return n_lines

    def _needed_width(self, text: Bytes, begin: int, position: int) -> int:
        """Return the largest feature number at ``position`` or in lines from there."""
        from rankcore._kernels import letor, numerals

        index, _ = numerals.natural(text, position)
        if index > self.limits.features:
            raise self._refusal(letor.TOO_WIDE, text, position, self.limits.features)
        width = max(index, letor.widest_row(text, begin, self.limits.rows))
        return int(min(width, self.limits.features))

    def _reserve(
        self, n_lines: int, width: int, n_blocks: float, n_parsed: int
    ) -> None:
        """Make room for ``n_lines`` more rows and ``width`` features.

        Room for all blocks is made at once; ``n_parsed`` rows of this one are kept.
        """
        from rankcore._kernels import letor

        width = max(width, 1)
        needed = self.n_rows + n_lines
        if needed <= len(self.X) and width <= self.X.shape[1]:
            return
        if needed * width > self.limits.cells:
            raise self._too_much(needed, width)
        whole = int(SPARE * max(n_lines * n_blocks, len(self.X)))
        n_kept = self.n_rows + n_parsed
        try:
            X = np.empty((max(needed, min(whole, self.limits.cells // width)), width))
        except MemoryError as error:
            raise self._too_much(needed, width) from error
        X[:n_kept, : self.X.shape[1]] = self.X[:n_kept]
        X[:n_kept, self.X.shape[1] :] = 0.0
        self.X = X
        self.marks = letor.column_marks(width)

    def _too_much(self, n_rows: int, width: int) -> DataError:
        problem = f"{n_rows} lines with up to {width} features are too many numbers"
        remedy = "Use fewer queries or features, or raise the limit"
        return DataError(problem, remedy, self.file, self.n_lines + 1, 1)

    def _convert(self, text: Bytes, spans: Integers, X: Floats) -> None:
        """Convert the numbers that the compiled parser left over."""
        for row, column, begin, end in spans.tolist():
            value = float(text[begin:end].tobytes())
            if not isfinite(value):
                problem = f"The value {shown(text, begin)!r} is too large"
                remedy = "Use numbers up to 1e308"
                raise self._error(problem, remedy, text, begin)
            # Adding zero takes the sign off -0.0, as the compiled parser does.
            X[row, column] = value + 0.0

    def _keep(
        self, text: Bytes, labels: Integers, rows: Integers, runs: Integers
    ) -> None:
        """Store what was found beside the features."""
        from rankcore._kernels import letor

        codes = [
            self.queries.setdefault(query, len(self.queries))
            for query in _joined(text, runs).split(b"\n")[:-1]
        ]
        self.labels.append(labels)
        self.codes.append(np.array(codes, dtype=np.int64)[rows[:, letor.RUN]])
        first_line = np.array([self.n_lines, 0], dtype=np.int64)
        self.places.append(rows[:, [letor.LINE, letor.COLUMN]] + first_line)
        ids = rows[:, letor.ID_BEGIN :]
        has_ids = bool((ids[:, 0] < ids[:, 1]).any())
        self.documents.append(_joined(text, ids) if has_ids else b"\n" * len(ids))

    def _refusal(self, code: int, text: Bytes, position: int, width: int) -> DataError:
        why = reason(code, text, position, width, self.max_label)
        return self._error(*why, text, position)

    def _error(
        self, problem: str, remedy: str, text: Bytes, position: int
    ) -> DataError:
        before = text[:position].tobytes()
        line = self.n_lines + before.count(b"\n") + 1
        column = position - before.rfind(b"\n")
        return DataError(problem, remedy, self.file, line, column)


def _joined(text: Bytes, spans: Integers) -> bytes:
    """Copy stretches of the text, each followed by a newline."""
    from rankcore._kernels.letor import join_spans

    joined = np.empty((spans[:, 1] - spans[:, 0] + 1).sum(), dtype=np.uint8)
    join_spans(text, spans, joined)
    return joined.tobytes()


def _decoded(text: bytes) -> str:
    """Decode UTF-8 or, as old files have it, Latin-1."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")
