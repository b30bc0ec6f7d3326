"""JSON values, one a line or one after the other, and where their parts stand."""

from collections.abc import Iterator, Sequence
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
REMEDY = "Give JSON, one response or document a line"
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
    """A JSON object in which a key occurs several times.

    Attributes
    ----------
    key : str
    """

    key: str


def _without_loss(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of some keys and values, `RepeatedKey` if a key is."""
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    repeated = RepeatedKey(pairs)
    keys = [key for key, _ in pairs]
    repeated.key = next(key for key in keys if keys.count(key) > 1)
    return repeated


# Finds objects with a key that occurs several times, of which others have the last.
STRICT = JSONDecoder(
    parse_constant=DECODER.parse_constant,
    parse_int=DECODER.parse_int,
    object_pairs_hook=_without_loss,
)


def values(source: Opened, decoder: JSONDecoder = DECODER) -> Iterator[Value]:
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
                    yield from _consecutive(
                        line, n_lines + number, source.name, decoder
                    )
        else:
            whole = _joined(text, (more for _, more in blocks), source)
            yield from _consecutive(whole, n_before, source.name, decoder)


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


def _consecutive(
    text: str, n_before: int, file: str, decoder: JSONDecoder = DECODER
) -> Iterator[Value]:
    at = _skip(text, 0)
    while at < len(text):
        begin = at
        try:
            content, at = decoder.raw_decode(text, begin)
        except JSONDecodeError as error:
            place = _line_and_column(text, error.pos, n_before)
            problem = f"This is not JSON ({error.msg})"
            raise DataError(problem, REMEDY, file, *place) from error
        except RecursionError as error:
            place = _line_and_column(text, begin, n_before)
            raise DataError(*NESTED, file, *place) from error
        yield Value(content, text, begin, n_before)
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _offset(text: str, at: int, path: Sequence[str | int]) -> int:
    """Where the part of the value at ``at`` stands that ``path`` leads to."""
    for key in path:
        at = _skip(text, at + 1)
        for number in count():
            found: str | int = number
            if isinstance(key, str):
                found, at = scanstring(text, at + 1)
                at = _skip(text, _skip(text, at) + 1)
            if found == key:
                break
            _, at = DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
    return at


def _line_and_column(text: str, at: int, n_before: int) -> tuple[int, int]:
    begin = text.rfind("\n", 0, at) + 1
    return n_before + text.count("\n", 0, at) + 1, len(text[begin:at].encode()) + 1
