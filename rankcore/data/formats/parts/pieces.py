"""LETOR text, cut into pieces of whole queries without parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Bytes, owned
from rankcore.base.errors import DataError
from rankcore.data.formats.parts.source import Interrupted, Opened, without_lines

NEWLINE = ord("\n")
# As the compiled parser tells rows from comments; any other line is refused by it.
_ROW = re.compile(
    rb"(?:\xef\xbb\xbf)?[ \t]*(?:[^\s#:]+[ \t]+)?qid:([^\x00-\x20#\x7f]*)"
)
_NO_ROW = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(?:#|\r?\n)")


class Piece(NamedTuple):
    """Lines in a row.

    Attributes
    ----------
    text : (bytes,) uint8
        They, and newlines as the compiled parser needs them.
    line, end : int
        The first line, and the first one after them, counted from 0.
    broken : DataError or None
        Why reading ends after them; their last query may lack rows then.
    """

    text: Bytes
    line: int
    end: int
    broken: DataError | None = None

    def without(self, lines: Iterable[int]) -> Piece:
        """Return the piece with some lines, from 1 as in the file, left blank."""
        text = self.text.copy()
        ends = np.concatenate(([-1], np.flatnonzero(self.text == NEWLINE)))
        for at in (line - 1 - self.line for line in lines):
            text[ends[at] + 1 : ends[at + 1]] = ord(" ")
        return self._replace(text=owned(text))


def pieces(source: Opened, first_line: int, size: int, rows: int) -> Iterator[Piece]:
    """Cut text before rows that begin a query.

    Parameters
    ----------
    first_line : int
        Lines to skip.
    size, rows : int
        Bytes and lines in a piece, about; more where a query has more.
    """
    text, times = _Text(first_line, size), 1
    try:
        for block in without_lines(source.blocks(), first_line):
            text.append(block)
            while len(text) >= size * times:
                if cut := text.last_query(size * times, rows * times):
                    yield text.cut_off(*cut)
                    times = 1
                else:
                    times *= 2
    except Interrupted as interruption:
        # Report problems of earlier lines first.
        piece = text.cut_off(*text.whole_lines())
        problem, remedy = interruption.args
        error = DataError(problem, remedy, source.name, piece.end + 1, 1)
        error.__cause__ = interruption
        yield piece._replace(broken=error)
        return
    times = 1
    while text.lines > rows * times:
        if cut := text.last_query(len(text), rows * times):
            yield text.cut_off(*cut)
            times = 1
        else:
            times *= 2
    if len(text):
        yield text.cut_off(len(text), text.lines + 1)


class _Text:
    """Text that grows at its end, and is cut off from its beginning.

    Large arrays of NumPy are in large pages of memory; those of other objects are in
    small ones, which take as long to get as the text to parse.
    """

    def __init__(self, line: int, size: int) -> None:
        self._line = line
        self._room = np.empty(size, dtype=np.uint8)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def lines(self) -> int:
        """Newlines in it."""
        return len(self._newlines(self._size))

    def append(self, block: bytes | bytearray | Bytes) -> None:
        end = self._size + len(block)
        self._reserve(end)
        self._room[self._size : end] = np.frombuffer(block, dtype=np.uint8)
        self._size = end

    def whole_lines(self) -> tuple[int, int]:
        """Where the last whole line ends, and how many lines there are until then."""
        newlines = self._newlines(self._size)
        return (int(newlines[-1]) + 1 if len(newlines) else 0), len(newlines)

    def last_query(self, size: int, rows: int) -> tuple[int, int] | None:
        """Where the rows of the last query begin in so many bytes and whole lines at
        most, and how many lines come before.

        If there are no rows after a line that is to be refused, it is the end of the
        lines. None if all rows are of one query.
        """
        newlines = self._newlines(size)[:rows]
        begin, last = len(newlines), None
        for number in range(begin - 1, -1, -1):
            at = int(newlines[number - 1]) + 1 if number else 0
            line = self._room[at : int(newlines[number]) + 1].tobytes()
            row = _ROW.match(line)
            if row is None and _NO_ROW.match(line) is None:
                break
            if row is not None:
                if last is not None and row[1] != last:
                    break
                begin, last = number, row[1]
        else:
            begin = 0 if last is not None else begin
        return (int(newlines[begin - 1]) + 1, begin) if begin else None

    def cut_off(self, size: int, lines: int) -> Piece:
        """Take so many bytes, of so many lines, off the beginning."""
        from rankcore._kernels.text.numerals import PADDING

        self._reserve(size + PADDING)
        text, rest = self._room, self._room[size : self._size].copy()
        text[size : size + PADDING] = NEWLINE
        piece = Piece(owned(text[: size + PADDING]), self._line, self._line + lines)
        self._line += lines
        self._room, self._size = np.empty_like(text), 0
        self.append(rest)
        return piece

    def _newlines(self, size: int) -> np.ndarray:
        """Where the newlines are in the first bytes."""
        return np.flatnonzero(self._room[:size] == NEWLINE)

    def _reserve(self, size: int) -> None:
        if size > len(self._room):
            room = np.empty(size + size // 8, dtype=np.uint8)
            room[: self._size] = self._room[: self._size]
            self._room = room
