"""TREC runs: lines of query, Q0, document, rank, score and the run's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite, isnan
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Bytes, Floats, Integers, owned
from rankcore.base.errors import DataError
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.refusals import CARRIAGE_RETURN, NOT_TEXT
from rankcore.data.formats.parts.source import Opened
from rankcore.data.formats.parts.text import decoded_lines
from rankcore.data.rankings import (
    DocumentNames,
    QueryNumbers,
    RankingForm,
    ReturnedRows,
)

WORDS = 6
SCORE = 5
REMEDY = (
    "Write query, Q0, document, rank, score and the run's name, separated by spaces"
)
# Bytes of lines parsed together.
_LINES = 2**22
# Maximum number of scores for exact conversion per call of the parser.
_SPANS = 2**16


class TrecRun(RankingForm):
    """A TREC run."""

    name = "a TREC run"
    order = 1
    document = 3

    def recognises(self, line: str) -> bool:
        """Return whether a line is one of a TREC run, not the header of a table."""
        words = line.split()
        if len(words) < WORDS - 1 or line.startswith(("{", "[")):
            return False
        return words[1].upper() == "Q0" or not isnan(number(words[SCORE - 1]))

    def read(self, source: Opened) -> ReturnedRows:
        from rankcore._kernels.text.numerals import PADDING

        queries, names = QueryNumbers(), bytearray()
        rows, scores, n_rows = [], [], 0
        for line, text in _many_lines(source):
            parts = _parse(_Parts.of(text), line, source)
            numbers = [
                queries[text[begin:end].decode()] for begin, end in parts.runs.tolist()
            ]
            parts.rows[:, 3] = np.array(numbers, dtype=np.int64)[parts.rows[:, 3]]
            parts.rows[:, :2] += len(names)
            rows.append(parts.rows)
            scores.append(parts.scores)
            names += parts.names.tobytes()
            n_rows += len(parts.rows)
            last = line + text.count(b"\n")
            source.check_room(n_rows, len(names) + queries.size, last)
        names += b"\n" * PADDING
        places = np.concatenate(rows)
        documents = DocumentNames(
            owned(np.frombuffer(names, np.uint8)), owned(places[:, :2].copy())
        )
        return ReturnedRows(
            list(queries),
            places[:, 3].copy(),
            documents,
            owned(np.concatenate(scores)),
            places[:, 2] + 1,
        )


def _many_lines(source: Opened) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines, a few MB at a time, and the number of lines before them."""
    content, n_before = bytearray(), 0
    for line, text in decoded_lines(source, f"Give {TrecRun.name}"):
        if len(content) >= _LINES:
            yield n_before, bytes(content)
            content, n_before = bytearray(), line
        content += text.encode()
    yield n_before, bytes(content)


class _Parts(NamedTuple):
    """Lines of a run and the output of the compiled parser, see `parse_run`."""

    text: Bytes
    rows: Integers
    scores: Floats
    runs: Integers
    names: Bytes

    @classmethod
    def of(cls, content: bytes) -> _Parts:
        from rankcore._kernels.text.numerals import PADDING

        lines = content.count(b"\n") + 1
        shapes = (lines, 4), (lines, 2)
        rows, runs = (np.empty(shape, dtype=np.int64) for shape in shapes)
        text = np.frombuffer(content + b"\n" * PADDING, np.uint8)
        return cls(text, rows, np.empty(lines), runs, np.empty_like(text))


def _parse(parts: _Parts, line: int, source: Opened) -> _Parts:
    """Parse all lines, which follow ``line`` others."""
    from rankcore._kernels.text import trec_run

    spans = np.empty((_SPANS, 3), dtype=np.int64)
    start = row = run = 0
    code = trec_run.FULL
    while code != trec_run.DONE:
        # Without compilation, NumPy integers warn when they wrap round.
        with np.errstate(over="ignore"):
            code, start, line, row, run, n_spans = trec_run.parse_run(
                parts.text, start, line, row, run, *parts[1:], spans
            )
        for at, begin, end in spans[:n_spans].tolist():
            parts.scores[at] = float(parts.text[begin:end].tobytes())
            if not isfinite(parts.scores[at]):
                raise _problem(parts.text, begin, int(parts.rows[at, 2]), source.name)
        if code == trec_run.FAULTY:
            raise _problem(parts.text, start, line, source.name)
    size = parts.rows[row - 1, 1] if row else 0
    return _Parts(
        parts.text,
        parts.rows[:row].copy(),
        parts.scores[:row].copy(),
        parts.runs[:run],
        parts.names[:size],
    )


def _problem(text: Bytes, at: int, line: int, file: str) -> DataError:
    """Return the error of the line of a run that contains the byte ``at``."""
    content = text.tobytes()
    begin = content.rfind(b"\n", 0, at) + 1
    whole = content[begin : content.find(b"\n", at)].removesuffix(b"\r")
    words = re.findall(rb"[^ \t]+", whole)
    column = whole.find(b"\r") + 1
    problem, remedy = CARRIAGE_RETURN
    if not column and len(words) < WORDS:
        column = len(words) + 1
        problem, remedy = f"The line has {len(words)} words, not {WORDS}", REMEDY
    elif not column and (odd := re.search(rb"[\x00-\x08\x0a-\x1f]", whole)):
        column = odd.start() + 1
        problem, remedy = NOT_TEXT.problem, f"Give {TrecRun.name}"
    elif not column:
        column, score = SCORE, words[SCORE - 1].decode()
        problem = f"The score {shown(score)!r} is not a finite number"
        remedy = "Give each document a number; higher is better"
    return DataError(problem, remedy, file, line + 1, column)
