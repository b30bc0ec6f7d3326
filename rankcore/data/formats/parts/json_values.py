"""JSON values, one a line or one after the other, and where their parts stand."""

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
REMEDY = "Give valid JSON, one object a line"
# Characters of values that are decoded first, and how many times more are tried next.
_SHORT, _TIMES = 2**10, 8
_LONGEST_WORD = len("-Infinity")
NESTED = ("The JSON is nested too deeply", REMEDY)

# Constants that are no numbers, and numbers of very many digits, are refused where they
# stand for a value.
DECODER = JSONDecoder(
    parse_constant=float,
    parse_int=lambda digits: int(digits) if len(digits) <= MOST_DIGITS else inf,
)


class Value(NamedTuple):
    """A JSON value of a file.

    Attributes
    ----------
    content : object
        What it holds.
    text : str
        Text in which it stands.
    begin : int
        Where in the text it begins.
    n_before : int
        Lines of the file before the text.
    """

    content: Any
    text: str
    begin: int
    n_before: int

    def place(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Line and column of the part that keys and numbers lead to, from 1."""
        try:
            at = _offset(self.text, self.begin, path)
        except (ValueError, IndexError):  # a key that occurs twice led elsewhere
            at = self.begin
        return _line_and_column(self.text, at, self.n_before)


class RepeatedKey(dict[str, Any]):
    """A JSON object in which a key occurs several times."""

    key: str


def _without_loss(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of some keys and values, `RepeatedKey` if a key is."""
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    repeated = RepeatedKey(pairs)
    keys = [key for key, _ in pairs]
    counts = Counter(keys)
    repeated.key = next(key for key in keys if counts[key] > 1)
    return repeated


# Finds objects with a key that occurs several times, of which others have the last.
STRICT = JSONDecoder(
    parse_constant=DECODER.parse_constant,
    parse_int=DECODER.parse_int,
    object_pairs_hook=_without_loss,
)


def values(source: Opened) -> Iterator[Value]:
    """Read values, one a line; or, if the first line holds none, from the whole text.

    The whole text may be as long as a line may be.

    Raises
    ------
    DataError
        With line and column of what is not JSON.
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
    """Read values of a file that has them one a line; of a line that is not JSON, what
    is wrong with it.

    Raises
    ------
    DataError
        With line and column of what is no text.
    """
    for number, line in numbered_lines(source, REMEDY):
        try:
            yield from _consecutive(line, number - 1, source.name)
        except DataError as error:
            yield error


def values_by_line(
    source: Opened, looked_at: int, bad: dict[int, DataError]
) -> Iterator[tuple[int, list[Value]]]:
    """Read the values of each line, which is counted from 1; if none of the first lines
    holds an object by itself, those of the whole text, one by one, as of line 0.

    Parameters
    ----------
    looked_at : int
        Lines to look at.
    bad : dict
        Receives what is wrong with lines, counted from 1, that cannot be read.

    Raises
    ------
    DataError
        Of a text that has no such lines.
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
    """Whether one of some lines is an object, and not a part of a list."""
    is_list = rows[:1] and rows[0].lstrip(BLANKS).startswith("[")
    if is_list and not is_value(rows[0]):
        return False
    return any(row.lstrip(BLANKS).startswith("{") and is_value(row) for row in rows)


def is_text(word: str) -> bool:
    """Whether a text holds no half characters, which JSON can write."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_value(text: str) -> bool:
    """Whether a text is one JSON value."""
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
                f"The first line is no whole response, and all lines are longer than "
                f"{source.limits.line} characters",
                "Write one response a line, for instance with jq -c .",
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
    """JSON that is taken apart while it is read: of a long value, no more than a part
    is ever held.

    What more is read begins a line, and no word of JSON goes over lines: a key or a
    number that has begun is there as a whole.

    Attributes
    ----------
    file : str
        Its name in messages.
    text : str
        What is held of it.
    at : int
        Where in the text the next part begins.
    begin : int
        Where what messages tell of begins: it is held.
    most : int
        Characters that a value may have.
    """

    def __init__(self, source: Opened, most: int) -> None:
        self.file, self.most = source.name, most
        self.text, self.at, self.begin = "", 0, 0
        self._blocks = decoded_lines(source, REMEDY)
        self._n_before = 0
        # The line of a place in the text.
        self._line, self._counted = 1, 0

    @property
    def line(self) -> int:
        """The line of the next part, from 1."""
        if self.at < self._counted:
            self._line -= self.text.count("\n", self.at, self._counted)
        else:
            self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a place in the text, from 1."""
        return _line_and_column(self.text, at, self._n_before)

    def error(self, problem: str, at: int) -> DataError:
        """Return the error for text that is not JSON."""
        return DataError(_not_json(problem), REMEDY, self.file, *self.place(at))

    def next(self) -> str:
        """Pass over blanks; returns the next character, none at the end."""
        while True:
            self.at = _skip(self.text, self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def start(self) -> str:
        """Pass over blanks to a part of which messages may tell, as `next`."""
        self.begin = self.at
        first = self.next()
        self.begin = self.at
        return first

    def take(self, marks: str) -> str:
        """Take one of some marks, the first of which the message names."""
        mark = self.next()
        if not mark or mark not in marks:
            raise self.error(f"Expecting {marks[0]!r} delimiter", self.at)
        self.at += 1
        return mark

    def key(self) -> str:
        """Take the key of an object, and the colon behind it."""
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
        """Take a whole value."""
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
        """Return the next value and its end if it is no longer than ``size``
        characters; it is not taken."""
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
        """Whether the first value in the next one is an object; neither is taken."""
        try:
            self.take("{")
            self.key()
            return self.next() == "{"
        except DataError:
            return False
        finally:
            self.at = self.begin

    def _more(self) -> bool:
        """Read on, as much as is held at least; returns whether there was more."""
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
    """Whether an error may be due to the end of a part of the text: of a string it
    names the begin, of other words a place in the last of them."""
    is_near = _skip(part, error.pos) > len(part) - _LONGEST_WORD
    return is_near or error.msg.startswith("Unterminated string")


def _not_json(problem: str) -> str:
    return f"This is not JSON ({problem})"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _offset(text: str, at: int, path: Sequence[str | int]) -> int:
    """Where the part of the value at ``at`` stands that ``path`` leads to."""
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
