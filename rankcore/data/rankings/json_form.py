"""Rankings in JSON: query → document → score, or an object for each document."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from rankcore.base.errors import DataError
from rankcore.data.formats.parts.cells import identifier, shown
from rankcore.data.formats.parts.json_values import STRICT, RepeatedKey, Value, values
from rankcore.data.formats.parts.source import Opened
from rankcore.data.rankings import RankingForm, ReturnedDocument
from rankcore.data.rankings.table import NAMES, ROLES

Path = Sequence[str | int]

REMEDY = (
    'Write {"query": {"document": score}}, or objects such as {"query": "mug", '
    '"document": "A", "score": 9.5}'
)
NAME_BOTH = "Name query and document"


class JsonRankings(RankingForm):
    """JSON."""

    name = "JSON such as {query: {document: score}}"
    order = 0

    def recognises(self, line: str) -> bool:
        return line.lstrip().startswith(("{", "["))

    def rows(self, source: Opened) -> Iterator[ReturnedDocument]:
        limits = replace(source.limits, line=source.limits.size)
        for value in values(replace(source, limits=limits), STRICT):
            yield from _rows(value, source.name)


def _rows(value: Value, file: str) -> Iterator[ReturnedDocument]:
    """Yield the rows of one JSON value."""
    content = value.content
    _check_keys(value, [], content, file)
    line = value.n_before + value.text.count("\n", 0, value.begin) + 1
    if isinstance(content, list):
        for at, one in enumerate(content):
            yield _row(value, [at], one, file, line)
    elif (
        isinstance(content, dict)
        and content
        and all(isinstance(one, dict) for one in content.values())
    ):
        for query, documents in content.items():
            _check_name(value, [query], query, file)
            _check_keys(value, [query], documents, file)
            for document, score in documents.items():
                _check_name(value, [query, document], document, file)
                checked = _number(value, [query, document], score, file)
                yield ReturnedDocument(query, document, checked, line)
    else:
        yield _row(value, [], content, file, line)


def _row(
    value: Value, path: Path, content: Any, file: str, line: int
) -> ReturnedDocument:
    """Return the row of one object, to which the path leads."""
    if not isinstance(content, dict):
        raise DataError("This is not an object", REMEDY, file, *value.place(path))
    _check_keys(value, path, content, file)
    keys = {key.lower(): key for key in reversed(content)}
    names = [
        next((keys[name] for name in NAMES[role] if name in keys), None)
        for role in ROLES
    ]
    for role, name in zip(ROLES, names, strict=True):
        if name is None:
            problem = f"The object has no {role}"
            raise DataError(problem, REMEDY, file, *value.place(path))
    query, document, score = (str(name) for name in names)
    identifiers = [identifier(content[name]) for name in (query, document)]
    for name, word in zip((query, document), identifiers, strict=True):
        if word is None or content[name] is None:
            problem = f"The value {shown(content[name])!r} is neither text nor a number"
            place = value.place([*path, name])
            raise DataError(problem, NAME_BOTH, file, *place)
        _check_name(value, [*path, name], word, file)
    number = _number(value, [*path, score], content[score], file)
    return ReturnedDocument(str(identifiers[0]), str(identifiers[1]), number, line)


def _check_keys(value: Value, path: Path, content: Any, file: str) -> None:
    """Refuse an object, to which the path leads, in which a key occurs twice."""
    if isinstance(content, RepeatedKey):
        problem = f"The key {shown(content.key)!r} occurs twice in this object"
        raise DataError(problem, "Keep one of the two", file, *value.place(path))


def _check_name(value: Value, path: Path, name: str, file: str) -> None:
    """Refuse the name of a query or document, to which the path leads, that is empty or
    holds half a character."""
    if not name or not (name.isascii() or _is_text(name)):
        problem = f"{shown(name)!r} is not a name"
        raise DataError(problem, NAME_BOTH, file, *value.place(path))


def _is_text(name: str) -> bool:
    """Whether a string can be written, without surrogates that stand alone."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(value: Value, path: Path, score: Any, file: str) -> float:
    """Return a score, to which the path leads; DataError where it is not finite."""
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    if is_number and isfinite(score):
        return float(score)
    problem = f"The score {shown(score)!r} is not a finite number"
    raise DataError(problem, "Give each document a number", file, *value.place(path))
