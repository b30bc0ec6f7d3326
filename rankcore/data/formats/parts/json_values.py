"""JSON values, one per line or in sequence, and the positions of their parts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, count
from json import JSONDecodeError, JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]
from math import inf
from typing import Any, NamedTuple

from rankcore.base.errors import DataError
from rankcore.data.formats.parts.source import Opened
from rankcore.data.formats.parts.text import decoded_lines, numbered_lines

MOST_DIGITS = 300
BLANKS = " \t\r\n"
REMEDY = "Give valid JSON, one object per line"
# Number of characters decoded first, and the factor for the next attempt.
_SHORT, _TIMES = 2**10, 8
_LONGEST_WORD = len("-Infinity")
NESTED = ("The JSON is nested too deeply", REMEDY)

# Non-numeric constants and numbers with very many digits are refused where a value is
# read.
DECODER = JSONDecoder(
    parse_constant=float,
    parse_int=lambda digits: int(digits) if len(digits) <= MOST_DIGITS else inf,
)


class Value(NamedTuple):
    """A JSON value of a file.

    Attributes
    ----------
    content : object
        The decoded value.
    text : str
        Text that contains it.
    begin : int
        Its first position in the text.
    n_before : int
        Number of lines of the file before the text.
    """

    content: Any
    text: str
    begin: int
    n_before: int

    def place(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Return the line and column, from 1, at a path of keys and indices."""
        try:
            at = _offset(self.text, self.begin, path)
        except (ValueError, IndexError):  # a repeated key led elsewhere
            at = self.begin
        return _line_and_column(self.text, at, self.n_before)


class RepeatedKey(dict[str, Any]):
    """A JSON object with a repeated key."""

    key: str


def _without_loss(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of keys and values, a `RepeatedKey` if a key is repeated."""
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    repeated = RepeatedKey(pairs)
    keys = [key for key, _ in pairs]
    counts = Counter(keys)
    repeated.key = next(key for key in keys if counts[key] > 1)
    return repeated


# Detects repeated keys, of which the default decoder keeps only the last.
STRICT = JSONDecoder(
    parse_constant=DECODER.parse_constant,
    parse_int=DECODER.parse_int,
    object_pairs_hook=_without_loss,
)


def values(source: Opened) -> Iterator[Value]:
    """Yield values, one per line; or from the whole text if the first line holds none.

    The length limit of a line then applies to the whole text.

    Raises
    ------
    DataError
        With the line and column of invalid JSON.
    """
    blocks = decoded_lines(source, REMEDY)
    for n_before, text in blocks:
        first = text.lstrip(BLANKS).partition("\n")[0]
        if not first:
            continue
        if is_value(first):
            for n_lines, lines in chain([(n_before, text)], blocks):
                for number, line in enumerate(lines.split("\n")):
                    yield from _consecutive(line, n_lines + number, source.name)
        else:
            whole = _joined(text, (more for _, more in blocks), source)
            yield from _consecutive(whole, n_before, source.name)


def lines(source: Opened) -> Iterator[Value | DataError]:
    """Yield the values of a file with one per line, or the error of a line that is not
    JSON.

    Raises
    ------
    DataError
        With the line and column of bytes that are not text.
    """
    for number, line in numbered_lines(source, REMEDY):
        try:
            yield from _consecutive(line, number - 1, source.name)
        except DataError as error:
            yield error


def values_by_line(
    source: Opened, looked_at: int, bad: dict[int, DataError]
) -> Iterator[tuple[int, list[Value]]]:
    """Yield the values of each line, counted from 1; if none of the first lines is a
    whole object, the values of the whole text, one by one, with line 0.

    Parameters
    ----------
    looked_at : int
        Number of first lines to examine.
    bad : dict
        Receives the errors of invalid lines, counted from 1.

    Raises
    ------
    DataError
        For a text without such lines.
    """
    blocks = decoded_lines(source, REMEDY, bad)
    by_line = False
    for n_before, text in blocks:
        rows = text.split("\n")
        by_line = by_line or _has_objects([row for row in rows if row][:looked_at])
        if not by_line and text.strip(BLANKS):
            whole = _joined(text, (more for _, more in blocks), source)
            for value in _consecutive(whole, n_before, source.name):
                yield 0, [value]
            return
        for number, row in enumerate(rows, start=n_before):
            try:
                row_values = list(_consecutive(row, number, source.name))
            except DataError as error:
                bad[number + 1] = error
                continue
            if row_values:
                yield number + 1, row_values


def _has_objects(rows: Sequence[str]) -> bool:
    """Return whether a line is an object rather than a part of a list."""
    is_list = rows[:1] and rows[0].lstrip(BLANKS).startswith("[")
    if is_list and not is_value(rows[0]):
        return False
    return any(row.lstrip(BLANKS).startswith("{") and is_value(row) for row in rows)


def is_text(word: str) -> bool:
    """Return whether a text has no lone surrogates, which JSON can encode."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_value(text: str) -> bool:
    """Return whether a text is one JSON value."""
    try:
        DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _joined(text: str, more: Iterator[str], source: Opened) -> str:
    parts, size = [text], len(text)
    for part in more:
        parts.append(part)
        size += len(part)
        if size > source.limits.line:
            raise DataError(
                "The first line is not a whole response, and all lines together are "
                "longer than "
                f"{source.limits.line} characters",
                "Write one response per line, for instance with jq -c .",
                source.name,
                1,
                1,
            )
    return "".join(parts)


def _consecutive(text: str, n_before: int, file: str) -> Iterator[Value]:
    at = _skip(text, 0)
    while at < len(text):
        begin = at
        try:
            content, at = DECODER.raw_decode(text, begin)
        except JSONDecodeError as error:
            place = _line_and_column(text, error.pos, n_before)
            raise DataError(_not_json(error.msg), REMEDY, file, *place) from error
        except RecursionError as error:
            place = _line_and_column(text, begin, n_before)
            raise DataError(*NESTED, file, *place) from error
        yield Value(content, text, begin, n_before)
        at = _skip(text, at)


class JsonText:
    """JSON that is parsed while it is read: only a part of a long value is in memory.

    Text is read in whole lines, and tokens of JSON do not span lines, so a key or a
    number is never divided.

    Attributes
    ----------
    file : str
        Its name in messages.
    text : str
        The part in memory.
    at : int
        Position of the next part in the text.
    begin : int
        Start of the part that messages refer to, which stays in memory.
    most : int
        Maximum number of characters of a value.
    """

    def __init__(self, source: Opened, most: int) -> None:
        self.file, self.most = source.name, most
        self.text, self.at, self.begin = "", 0, 0
        self._blocks = decoded_lines(source, REMEDY)
        self._n_before = 0
        # The line of a position in the text.
        self._line, self._counted = 1, 0

    @property
    def line(self) -> int:
        """Line of the next part, from 1."""
        if self.at < self._counted:
            self._line -= self.text.count("\n", self.at, self._counted)
        else:
            self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def place(self, at: int) -> tuple[int, int]:
        """Return the line and column of a position in the text, from 1."""
        return _line_and_column(self.text, at, self._n_before)

    def error(self, problem: str, at: int) -> DataError:
        """Return the error of text that is not JSON."""
        return DataError(_not_json(problem), REMEDY, self.file, *self.place(at))

    def next(self) -> str:
        """Skip whitespace; return the next character, empty at the end."""
        while True:
            self.at = _skip(self.text, self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def start(self) -> str:
        """Skip whitespace like `next`, to a part that messages may refer to."""
        self.begin = self.at
        first = self.next()
        self.begin = self.at
        return first

    def take(self, marks: str) -> str:
        """Consume one of several delimiters; an error names the first."""
        mark = self.next()
        if not mark or mark not in marks:
            raise self.error(f"Expecting {marks[0]!r} delimiter", self.at)
        self.at += 1
        return mark

    def key(self) -> str:
        """Consume the key of an object and the colon after it."""
        if self.next() != '"':
            problem = "Expecting property name enclosed in double quotes"
            raise self.error(problem, self.at)
        try:
            key, self.at = scanstring(self.text, self.at + 1)
        except JSONDecodeError as error:
            raise self.error(error.msg, error.pos) from error
        self.take(":")
        return key

    def value(self, decoder: JSONDecoder = DECODER) -> Value:
        """Consume a whole value."""
        size = _SHORT
        while True:
            self.next()
            part = self.text[self.at : self.at + size]
            is_part = self.at + size < len(self.text)
            try:
                content, length = decoder.raw_decode(part)
            except JSONDecodeError as error:
                if is_part and size < self.most:
                    size = min(_TIMES * size, self.most)
                elif not _may_be_cut(error, part):
                    raise self.error(error.msg, self.at + error.pos) from error
                elif is_part:
                    raise self._too_long() from error
                elif not self._more():
                    raise self.error(error.msg, self.at + error.pos) from error
            except RecursionError as error:
                raise DataError(*NESTED, self.file, *self.place(self.at)) from error
            else:
                value = Value(content, self.text, self.at, self._n_before)
                self.at += length
                return value

    def _too_long(self) -> DataError:
        problem = f"The value is longer than {self.most} characters"
        remedy = "Write an object or a number for each document"
        return DataError(problem, remedy, self.file, *self.place(self.at))

    def short_value(self, size: int, decoder: JSONDecoder) -> tuple[Value, int] | None:
        """Return the next value and its end if it has at most ``size`` characters,
        without consuming it."""
        line_end = self.text.find("\n", self.at, self.at + size)
        for stop in (line_end, self.at + size):
            with suppress(ValueError, RecursionError):
                if stop > 0:
                    part = self.text[self.at : stop]
                    content, length = decoder.raw_decode(part)
                    value = Value(content, self.text, self.at, self._n_before)
                    return value, self.at + length
        return None

    def begins_with_object(self) -> bool:
        """Return whether the first value in the next one is an object, unconsumed."""
        try:
            self.take("{")
            self.key()
            return self.next() == "{"
        except DataError:
            return False
        finally:
            self.at = self.begin

    def _more(self) -> bool:
        """Read on, at least doubling the text; return whether there was more."""
        rest = self.text[self.begin :]
        parts, size = [rest] if rest else [], 0
        for _, text in self._blocks:
            parts.append(text)
            size += len(text)
            if size > len(rest):
                break
        if not size:
            return False
        self._line, self._counted = self.line, self.at - self.begin
        self._n_before += self.text.count("\n", 0, self.begin)
        self.at -= self.begin
        self.begin, self.text = 0, "".join(parts)
        return True


def _may_be_cut(error: JSONDecodeError, part: str) -> bool:
    """Return whether an error may be due to the end of the text in memory: it names the
    start of a string, or a position in the last token."""
    is_near = _skip(part, error.pos) > len(part) - _LONGEST_WORD
    return is_near or error.msg.startswith("Unterminated string")


def _not_json(problem: str) -> str:
    return f"This is not JSON ({problem})"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _offset(text: str, at: int, path: Sequence[str | int]) -> int:
    """Return the position of the part at ``path`` in the value at ``at``."""
    for key in path:
        at = _skip(text, at + 1)
        for number in count():
            part_key: str | int = number
            if isinstance(key, str):
                part_key, at = scanstring(text, at + 1)
                at = _skip(text, _skip(text, at) + 1)
            if part_key == key:
                break
            _, at = DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
    return at


def _line_and_column(text: str, at: int, n_before: int) -> tuple[int, int]:
    begin = text.rfind("\n", 0, at) + 1
    return n_before + text.count("\n", 0, at) + 1, len(text[begin:at].encode()) + 1
