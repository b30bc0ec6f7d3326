"""Rows of LETOR text, parsed block by block while the next blocks are being read.

Each block of lines gets as many rows of the feature matrix as it has lines, so several
threads can fill it at once; compiled code needs no lock. What they find is taken in the
order of the file, so the first problem in the file is the one that is told.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from math import isfinite
from typing import NamedTuple

import numpy as np

from rankcore._arrays import Bytes, Floats, Integers, owned
from rankcore.errors import DataError
from rankcore.readers._refusals import TOO_LARGE, reason
from rankcore.readers._source import Interrupted, Limits, whole_lines

THREADS = min(4, os.cpu_count() or 1)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SAMPLED_LINES = 100
LEFT_OVER = 2**14
SAMPLED_BYTES = 2**16
SPARE = 1.1


class Parsed(NamedTuple):
    """Rows in the file's order; line and column of their document ids, from 0."""

    X: Floats
    labels: Integers
    codes: Integers
    query_ids: tuple[str, ...]
    doc_ids: list[str] | None
    places: Integers


class _Room(NamedTuple):
    """What a block's parser writes besides the features; blocks take turns with it."""

    labels: Integers
    rows: Integers
    runs: Integers
    spans: Integers

    @classmethod
    def of(cls, n: int, n_spans: int) -> _Room:
        shapes = n, (n, 5), (n, 2), (n_spans, 4)
        return cls(*(np.empty(shape, dtype=np.int64) for shape in shapes))


class _Outcome(NamedTuple):
    """How parsing a block ended, as `rankcore._kernels.letor.parse_rows` says it."""

    code: int
    position: int
    begin: int
    line: int
    row: int
    run: int


class _Task(NamedTuple):
    """A block of lines, the rows of X that are kept for it, and who parses it."""

    text: Bytes
    begin: int
    first: int
    n_lines: int
    room: _Room
    outcome: Future[_Outcome]


class RowParser:
    """Runs the compiled parser over blocks of lines and collects what it finds.

    A block stays in the processor's cache, and the text is never in memory whole.

    Parameters
    ----------
    file : str
        What the file is called in messages.
    limits : Limits
    width : int
        The number of features, 0 if it is the largest feature number.
    max_label : int
    """

    def __init__(self, file: str, limits: Limits, width: int, max_label: int) -> None:
        self.file = file
        self.limits = limits
        self.fixed = width > 0
        self.max_label = max_label
        self.X = np.empty((0, width))
        self.rooms = deque([_Room.of(0, 0)] * (THREADS + 1))
        self.tasks: deque[_Task] = deque()
        self.n_lines = self.n_rows = self.n_given = 0
        self.labels: list[Integers] = []
        self.codes: list[Integers] = []
        self.places: list[Integers] = []
        self.pieces: list[tuple[int, int]] = []
        self.queries: dict[bytes, int] = {}
        self.documents: list[bytes] = []

    def parse(self, blocks: Iterator[bytes | bytearray], expected: int) -> Parsed:
        """Parse all blocks, of about ``expected`` bytes together.

        Raises
        ------
        DataError
            With line and column of the first problem.
        """
        with ThreadPoolExecutor(THREADS) as self.pool:
            interruption = self._read(blocks, expected)
            while self.tasks:
                self._take()
        if interruption is not None:
            raise self._error(*interruption.args) from interruption
        if self.n_rows == 0:
            raise self._error("There are no rows", "Give a file with rows", line=1)
        documents = b"".join(self.documents)
        has_ids = bool(documents.strip(b"\n"))
        return Parsed(
            X=owned(self._without_gaps()),
            labels=owned(np.concatenate(self.labels)),
            codes=np.concatenate(self.codes),
            query_ids=tuple(_decoded(b"\n".join(self.queries)).split("\n")),
            doc_ids=_decoded(documents).split("\n")[:-1] if has_ids else None,
            places=np.concatenate(self.places),
        )

    def _read(
        self, blocks: Iterator[bytes | bytearray], expected: int
    ) -> Interrupted | None:
        """Give all blocks to parsers; return what ends the reading early."""
        from rankcore._kernels.numerals import PADDING

        try:
            for text, n_lines in whole_lines(blocks, PADDING, len(self.rooms)):
                begin = 0
                if self.n_given == 0:
                    begin = self._begin(text, expected / len(text))
                self._give(text, begin, n_lines)
                if len(self.tasks) == len(self.rooms):
                    self._take()
        except Interrupted as interruption:
            return interruption
        return None

    def _begin(self, text: Bytes, n_blocks: float) -> int:
        """Make room for about ``n_blocks`` such blocks; return where lines begin."""
        from rankcore._kernels import letor

        marked = text[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK
        begin = len(BYTE_ORDER_MARK) * marked
        width = self.X.shape[1] or letor.widest_row(text, begin, SAMPLED_LINES)
        self._reserve(int(_estimated_lines(text) * max(n_blocks, 1.0)), width, 1)
        return begin

    def _give(self, text: Bytes, begin: int, n_lines: int) -> None:
        """Let a block of lines be parsed into the next rows."""
        end = self.n_given + n_lines
        if end > len(self.X):
            while self.tasks:
                self._take()
            self._reserve(max(end, 2 * len(self.X)), self.X.shape[1], end)
        self.rooms.rotate(-1)
        if n_lines > len(self.rooms[0].labels):
            self.rooms[0] = _Room.of(2 * n_lines, LEFT_OVER)
        self._begin_task(text, begin, self.n_given, n_lines, self.rooms[0])
        self.n_given = end

    def _begin_task(
        self, text: Bytes, begin: int, first: int, n_lines: int, room: _Room
    ) -> None:
        X = self.X[first : first + n_lines]
        if len(room.spans) < X.shape[1]:
            room = room._replace(spans=np.empty((X.shape[1], 4), dtype=np.int64))
        outcome = self.pool.submit(
            _parse_lines, text, begin, self.marks, self.max_label, X, room
        )
        self.tasks.append(_Task(text, begin, first, n_lines, room, outcome))

    def _take(self) -> None:
        """Keep what was found in the oldest block."""
        from rankcore._kernels import letor

        task = self.tasks[0]
        found = task.outcome.result()
        while found.code == letor.TOO_WIDE and not self.fixed:
            self._widen(self._needed_width(task.text, found))
            task = self.tasks[0]
            found = task.outcome.result()
        if found.code != letor.DONE:
            raise self._refusal(task.text, found.code, found.position, self.X.shape[1])
        self.tasks.popleft()
        self._keep(task, found)

    def _widen(self, width: int) -> None:
        """Begin anew with the blocks that are not taken, with more features."""
        wait([task.outcome for task in self.tasks])
        self._reserve(len(self.X), width, self.n_given)
        tasks = list(self.tasks)
        self.tasks.clear()
        for task in tasks:
            self._begin_task(*task[:-1])

    def _needed_width(self, text: Bytes, found: _Outcome) -> int:
        """The largest feature number where parsing ended, or in lines from there."""
        from rankcore._kernels import letor, numerals

        index, _ = numerals.natural(text, found.position)
        if index > self.limits.features:
            most = self.limits.features
            raise self._refusal(text, letor.TOO_WIDE, found.position, most)
        width = max(index, letor.widest_row(text, found.begin, self.limits.rows))
        return int(min(width, self.limits.features))

    def _reserve(self, n_rows: int, width: int, fewest: int) -> None:
        """Make room for ``n_rows`` rows, or the ``fewest`` that will do, of ``width``
        features; all rows that were given to blocks are kept."""
        from rankcore._kernels import letor

        width = max(min(width, self.limits.features), 1)
        n_rows = max(min(n_rows, self.limits.cells // width), fewest)
        if n_rows * width > self.limits.cells:
            raise self._too_much(n_rows, width)
        try:
            X = np.empty((n_rows, width))
        except MemoryError as error:
            raise self._too_much(n_rows, width) from error
        X[: self.n_given, : self.X.shape[1]] = self.X[: self.n_given]
        X[: self.n_given, self.X.shape[1] :] = 0.0
        self.X = X
        self.marks = letor.column_marks(width)

    def _keep(self, task: _Task, found: _Outcome) -> None:
        """Store what was found in a block."""
        from rankcore._kernels import letor

        rows, runs = task.room.rows[: found.row], task.room.runs[: found.run]
        if self.n_rows + found.row > self.limits.rows:
            line = int(rows[self.limits.rows - self.n_rows, letor.LINE])
            problem = f"There are more than {self.limits.rows} rows"
            remedy = "Use fewer queries, or raise the limit"
            raise self._error(problem, remedy, line=self.n_lines + line + 1)
        codes = [
            self.queries.setdefault(query, len(self.queries))
            for query in _joined(task.text, runs).split(b"\n")[:-1]
        ]
        self.labels.append(task.room.labels[: found.row].copy())
        self.codes.append(np.array(codes, dtype=np.int64)[rows[:, letor.RUN]])
        first_line = np.array([self.n_lines, 0], dtype=np.int64)
        self.places.append(rows[:, [letor.LINE, letor.COLUMN]] + first_line)
        ids = rows[:, letor.ID_BEGIN :]
        has_ids = bool((ids[:, 0] < ids[:, 1]).any())
        self.documents.append(_joined(task.text, ids) if has_ids else b"\n" * len(ids))
        self.pieces.append((task.first, found.row))
        self.n_lines += found.line
        self.n_rows += found.row

    def _without_gaps(self) -> Floats:
        """The rows; lines without a row, such as comments, have left gaps."""
        end = 0
        for first, n_rows in self.pieces:
            if first > end:
                self.X[end : end + n_rows] = self.X[first : first + n_rows]
            end += n_rows
        return self.X[:end]

    def _too_much(self, n_rows: int, width: int) -> DataError:
        problem = f"{n_rows} rows with up to {width} features are too many numbers"
        return self._error(problem, "Use fewer queries or features, or raise the limit")

    def _refusal(self, text: Bytes, code: int, position: int, width: int) -> DataError:
        why = reason(code, text, position, width, self.max_label)
        before = text[:position].tobytes()
        line = self.n_lines + before.count(b"\n") + 1
        return self._error(*why, line=line, column=position - before.rfind(b"\n"))

    def _error(
        self, problem: str, remedy: str, line: int | None = None, column: int = 1
    ) -> DataError:
        """What is wrong at a line, by default the first that has not been taken."""
        return DataError(problem, remedy, self.file, line or self.n_lines + 1, column)


def _parse_lines(
    text: Bytes, begin: int, marks: Integers, max_label: int, X: Floats, room: _Room
) -> _Outcome:
    """Parse a block of lines until its end or until something is wrong."""
    from rankcore._kernels import letor

    code, line, row, run = letor.SPANS_FULL, 0, 0, 0
    while code == letor.SPANS_FULL:
        # Without compilation, NumPy's own integers warn where they wrap round.
        with np.errstate(over="ignore"):
            code, position, begin, line, row, run, n_spans = letor.parse_rows(
                text, marks, begin, line, row, run, max_label, X, *room
            )
        too_large = _convert(text, room.spans[:n_spans], X)
        if too_large is not None:
            return _Outcome(TOO_LARGE, too_large, begin, line, row, run)
    return _Outcome(code, position, begin, line, row, run)


def _convert(text: Bytes, spans: Integers, X: Floats) -> int | None:
    """Convert the numbers that the compiled parser left over; return where one is too
    large."""
    for row, column, begin, end in spans.tolist():
        value = float(text[begin:end].tobytes())
        if not isfinite(value):
            return int(begin)
        # Adding zero takes the sign off -0.0, as the compiled parser does.
        X[row, column] = value + 0.0
    return None


def _estimated_lines(text: Bytes) -> int:
    """Lines in ``text`` going by its beginning, and some to spare."""
    sample = text[:SAMPLED_BYTES].tobytes()
    return 1 + int(SPARE * sample.count(b"\n") * len(text) / len(sample))


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
