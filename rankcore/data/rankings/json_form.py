"""Rankings in JSON: query → document → score, or an object for each document."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from rankcore.base.errors import DataError
from rankcore.data.formats.parts.cells import identifier, shown
from rankcore.data.formats.parts.json_values import (
    STRICT,
    JsonText,
    RepeatedKey,
    Value,
    is_text,
)
from rankcore.data.formats.parts.source import Opened
from rankcore.data.rankings import (
    QueryNumbers,
    RankingForm,
    ReturnedDocument,
)
from rankcore.data.rankings.table import NAMES, ROLES

Path = Sequence[str | int]

REMEDY = (
    'Write {"query": {"document": score}}, or objects such as {"query": "mug", '
    '"document": "A", "score": 9.5}'
)
NAME_BOTH = "Name query and document"


# A usual member of an object: a document, its score, and the delimiter after them.
_SCORE = re.compile(
    r'[ \t\r\n]*"([^"\\\x00-\x1f]++)"[ \t\r\n]*:[ \t\r\n]*'
    r"(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)[ \t\r\n]*([,}])"
)
# Longer values are parsed while they are read.
_SHORT = 2**13


class JsonRankings(RankingForm):
    """JSON."""

    name = "JSON such as {query: {document: score}}"
    order = 0

    def recognises(self, line: str) -> bool:
        return line.lstrip().startswith(("{", "["))

    def rows(self, source: Opened) -> Iterator[ReturnedDocument]:
        limits = replace(source.limits, line=source.limits.size)
        text = JsonText(replace(source, limits=limits), source.limits.line)
        is_nested = False
        while first := text.start():
            if first == "[":
                yield from _array(text)
                continue
            # After one nested object, all others are nested.
            short = None if is_nested else text.short_value(_SHORT, STRICT)
            is_nested = (
                _is_nested(short[0].content) if short else text.begins_with_object()
            )
            if is_nested:
                yield from _queries(text, source)
                continue
            if short:
                value, text.at = short
            else:
                value = text.value(STRICT)
            yield _row(value, text)


def _is_nested(content: Any) -> bool:
    """Return whether a value is an object of objects."""
    return (
        isinstance(content, dict)
        and bool(content)
        and all(isinstance(one, dict) for one in content.values())
    )


def _array(text: JsonText) -> Iterator[ReturnedDocument]:
    """Yield the rows of an array of objects."""
    text.take("[")
    is_end = text.next() == "]"
    while not is_end:
        text.start()
        yield _row(text.value(STRICT), text)
        is_end = text.next() == "]" or text.take(",") != ","
    text.take("]")


def _queries(text: JsonText, source: Opened) -> Iterator[ReturnedDocument]:
    """Yield the rows of an object of queries, each an object of scores."""
    text.take("{")
    queries = QueryNumbers()
    mark = ","
    while mark == ",":
        text.start()
        query = text.key()
        if not _is_name(query):
            raise _no_name(query, text.file, text.place(text.begin))
        if query in queries:
            raise _repeated(query, text.file, text.place(text.begin))
        _ = queries[query]  # From here on, errors name this query.
        source.check_room(0, queries.size, text.line)
        if text.next() != "{":
            problem = f"Query {shown(query)!r} has no object of scores"
            raise DataError(problem, REMEDY, text.file, *text.place(text.at))
        yield from _scores(query, text)
        mark = text.take(",}")


def _scores(query: str, text: JsonText) -> Iterator[ReturnedDocument]:
    """Yield the rows of an object of scores."""
    text.take("{")
    mark = text.next()
    if mark == "}":
        text.take("}")
    while mark != "}":
        entry = _SCORE.match(text.text, text.at)
        if entry and isfinite(score := float(entry[2])):
            document, _, mark = entry.groups()
            text.at = entry.end()
            yield ReturnedDocument(query, document, score, text.line)
            continue
        text.start()
        document = text.key()
        if not _is_name(document):
            raise _no_name(document, text.file, text.place(text.begin))
        text.next()
        line, value = text.line, text.value()
        score = _number(value, [], value.content, text.file)
        yield ReturnedDocument(query, document, score, line)
        mark = text.take(",}")


def _row(value: Value, text: JsonText) -> ReturnedDocument:
    """Return the row of one object in the current line."""
    content, file = value.content, text.file
    if not isinstance(content, dict):
        raise DataError("This is not a JSON object", REMEDY, file, *value.place([]))
    if isinstance(content, RepeatedKey):
        raise _repeated(content.key, file, value.place([]))
    keys = {key.lower(): key for key in reversed(content)}
    names = [
        next((keys[name] for name in NAMES[role] if name in keys), None)
        for role in ROLES
    ]
    for role, name in zip(ROLES, names, strict=True):
        if name is None:
            problem = f"The object has no {role}"
            raise DataError(problem, REMEDY, file, *value.place([]))
    query, document, score = (str(name) for name in names)
    identifiers = [identifier(content[name]) for name in (query, document)]
    for name, word in zip((query, document), identifiers, strict=True):
        if word is None or content[name] is None:
            problem = f"The value {shown(content[name])!r} is neither text nor a number"
            raise DataError(problem, NAME_BOTH, file, *value.place([name]))
        if not _is_name(word):
            raise _no_name(word, file, value.place([name]))
    number = _number(value, [score], content[score], file)
    return ReturnedDocument(str(identifiers[0]), str(identifiers[1]), number, text.line)


def _repeated(key: str, file: str, place: tuple[int, int]) -> DataError:
    """Return the error of an object with a repeated key."""
    problem = f"The key {shown(key)!r} occurs twice in this object"
    return DataError(problem, "Keep one of the two", file, *place)


def _no_name(name: str, file: str, place: tuple[int, int]) -> DataError:
    """Return the error of a value that is not a query or document name."""
    return DataError(f"{shown(name)!r} is not a name", NAME_BOTH, file, *place)


def _is_name(name: str) -> bool:
    """Return whether a string is non-empty and has no lone surrogates."""
    return bool(name) and (name.isascii() or is_text(name))


def _number(value: Value, path: Path, score: Any, file: str) -> float:
    """Return the score at a path. Raises DataError if it is not finite."""
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    if is_number and isfinite(score):
        return float(score)
    problem = f"The score {shown(score)!r} is not a finite number"
    raise DataError(problem, "Give each document a number", file, *value.place(path))
