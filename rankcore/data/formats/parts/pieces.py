"""LETOR text, cut into pieces of whole queries without parsing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Bytes, owned
from rankcore.base.errors import DataError
from rankcore.data.formats.parts.source import Interrupted, Opened, without_lines

NEWLINE = ord("\n")
# Rows and comments as in the compiled parser, which refuses any other line.
_ROW = re.compile(
    rb"(?:\xef\xbb\xbf)?[ \t]*(?:[^\s#:]+[ \t]+)?qid:([^\x00-\x20#\x7f]*)"
)
_NO_ROW = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(?:#|\r?\n)")


class Piece(NamedTuple):
    """Consecutive lines.

    Attributes
    ----------
    text : (bytes,) uint8
        The lines, with the newlines that the compiled parser needs.
    line, end : int
        The first line, and the first line after the piece, counted from 0.
    broken : DataError or None
        Why reading ends after the piece; its last query may then lack rows.
    """

    text: Bytes
    line: int
    end: int
    broken: DataError | None = None

    def without(self, lines: Iterable[int]) -> Piece:
        """Return the piece with some lines, counted in the file from 1, blanked."""
        text = self.text.copy()
        ends = np.concatenate(([-1], np.flatnonzero(self.text == NEWLINE)))
        for at in (line - 1 - self.line for line in lines):
            text[ends[at] + 1 : ends[at + 1]] = ord(" ")
        return self._replace(text=owned(text))


def pieces(source: Opened, first_line: int, size: int, rows: int) -> Iterator[Piece]:
    """Yield pieces of text, cut before rows that begin a query.

    Parameters
    ----------
    first_line : int
        Lines to skip.
    size, rows : int
        Approximate bytes and lines in a piece; more if a query has more.
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
    """Text that is appended at its end and cut off from its beginning.

    Large NumPy arrays use large memory pages; other objects use small ones, whose
    allocation takes as long as parsing the text.
    """

    def __init__(self, line: int, size: int) -> None:
        self._line = line
        self._room = np.empty(size, dtype=np.uint8)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def lines(self) -> int:
        """Number of newlines."""
        return len(self._newlines(self._size))

    def append(self, block: bytes | bytearray | Bytes) -> None:
        end = self._size + len(block)
        self._reserve(end)
        self._room[self._size : end] = np.frombuffer(block, dtype=np.uint8)
        self._size = end

    def whole_lines(self) -> tuple[int, int]:
        """Return the end of the last whole line, and the number of lines up to it."""
        newlines = self._newlines(self._size)
        return (int(newlines[-1]) + 1 if len(newlines) else 0), len(newlines)

    def last_query(self, size: int, rows: int) -> tuple[int, int] | None:
        """Return the start of the last query within at most so many bytes and whole
        lines, and the number of lines before it.

        It is the end of the lines if no rows follow an invalid line, and None if all
        rows belong to one query.
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
        """Cut a number of bytes and lines off the beginning."""
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
        """Return the positions of newlines in the first bytes."""
        return np.flatnonzero(self._room[:size] == NEWLINE)

    def _reserve(self, size: int) -> None:
        if size > len(self._room):
            room = np.empty(size + size // 8, dtype=np.uint8)
            room[: self._size] = self._room[: self._size]
            self._room = room
