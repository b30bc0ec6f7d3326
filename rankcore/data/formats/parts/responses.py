"""Documents, queries and features in responses of search engines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import inf, isfinite
from typing import Any, NamedTuple

from rankcore.data.formats.parts.cells import (
    identifier,
    number,
    shown,
)
from rankcore.data.formats.parts.json_values import is_text

LTR_LOG, SOLR_LOG = "_ltrlog", "[features]"
QUERY_KEYS = ("qid", "query_id", "topic", "query", "q")
TEXT_KEYS = ("query_text", "query")
DOCUMENT_KEYS = ("_id", "id")
TITLE_KEYS = ("title", "name")
LABEL_KEYS = ("label", "grade", "judgement", "judgment")
FEATURES = 'Log features as name and value, such as {"name": "bm25", "value": 7.5}'
NO_NUMBER = "Replace it by a number; an omitted value counts as 0"

# csvFeatureSeparator and csvKeyValueDelimiter of Solr, with its defaults first.
_SEPARATORS, _ASSIGNMENTS = (",", ";", "\t"), ("=", ":")
_PAIR = r"[^\s=:,;][^=:,;\t]*[=:]\s*[+-]?(?:[0-9.]+(?:[eE][+-]?[0-9]+)?|NaN|Infinity)"
# At least two features, under any name.
_VECTOR = re.compile(rf"{_PAIR}(?:[,;\t]\s*{_PAIR})+")

Path = tuple[str | int, ...]

# A feature and its set, which has no name in Solr.
Key = tuple[str, str]
# Key, value and path of a feature.
Features = Iterator[tuple[Key, float, Path]]


class Refused(Exception):  # noqa: N818
    """A problem, its remedy, and its path within a value."""

    def __init__(self, problem: str, remedy: str, path: Path) -> None:
        super().__init__(problem, remedy, path)
        self.problem, self.remedy, self.path = problem, remedy, path


class About(NamedTuple):
    """The id of a query, and its text if known."""

    query: str
    text: str = ""


class LoggedDocument(NamedTuple):
    """A document of a log, the path to it, and its query."""

    document: Mapping[str, Any]
    path: Path
    about: About


class Responses:
    """A counter of the responses of a log."""

    def __init__(self) -> None:
        self.n_responses = 0
        self.n_unnamed = 0

    def documents(
        self, part: Any, path: Path = (), about: About | None = None
    ) -> Iterator[LoggedDocument]:
        """Yield the documents of a response, of several, or a single document.

        Parameters
        ----------
        part : object
            A JSON value.
        path : tuple
            The path to it.
        about : About, optional
            Data of the query around the value.

        Raises
        ------
        Refused
            If there are no documents, or one does not name its query.
        """
        if isinstance(part, list):
            for at, item in enumerate(part):
                yield from self.documents(item, (*path, at), about)
            return
        if not isinstance(part, dict):
            raise _nothing_logged(path)
        query = _query(part, path) or about
        if _logged(part) is not None:
            if query is None:
                problem = "The document does not name the query it was logged for"
                remedy = 'Give it a "qid", or give whole responses'
                raise Refused(problem, remedy, path)
            yield LoggedDocument(part, path, query)
        elif (hits := _hits(part)) is not None:
            documents, way = hits
            self.n_responses += 1
            self.n_unnamed += query is None
            query = query or About(str(self.n_responses))
            for at, document in enumerate(documents):
                where = (*path, *way, at)
                if not isinstance(document, dict):
                    raise _nothing_logged(where)
                yield LoggedDocument(document, where, query)
        else:
            key = next((key for key in ("responses", "response") if key in part), None)
            if key is None:
                raise _nothing_logged(path, part.get("error"))
            yield from self.documents(part[key], (*path, key), query)


def _hits(response: Mapping[str, Any]) -> tuple[list[Any], Path] | None:
    """Return the documents of a response and their path; None for other values."""
    for way in (("hits", "hits"), ("response", "docs")):
        outer = response.get(way[0])
        if isinstance(outer, dict) and isinstance(outer.get(way[1]), list):
            return outer[way[1]], way
    return None


def _query(part: Mapping[str, Any], path: Path) -> About | None:
    """Return the query named by an object or by Solr's parameters in it."""
    header, way = _inner(part, path, "responseHeader")
    for holder, at in ((part, path), _inner(header, way, "params")):
        keys = [key for key in QUERY_KEYS if isinstance(holder.get(key), str | int)]
        texts = [
            key
            for key in TEXT_KEYS
            if key not in keys[:1] and isinstance(holder.get(key), str) and holder[key]
        ]
        if keys:
            query = _word(holder[keys[0]], (*at, keys[0]))
            text = _word(holder[texts[0]], (*at, texts[0])) if texts else ""
            return About(query, text)
    return None


def has_features(document: Mapping[str, Any]) -> bool:
    """Return whether features are logged with a document."""
    return _logged(document) is not None


def features(document: Mapping[str, Any], path: Path) -> Features:
    """Yield the features logged with a document."""
    logged = _logged(document)
    if logged is None:
        raise _nothing_logged(path)
    field, content = logged
    way = (*path, *field)
    return _solr(content, way) if isinstance(content, str) else _ltr(content, way)


class Names:
    """Names of features; one that several sets share has the set's name before it.

    Parameters
    ----------
    names : sequence of str
        Names of features known in advance; no others occur then.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = frozenset(names)
        self._shared: set[str] = set()

    def note(self, keys: Iterable[Key]) -> None:
        """Note the features of a document, each once."""
        names = [name for name, _ in keys]
        if len(set(names)) < len(names):
            counts = Counter(names)
            self._shared |= {name for name in names if counts[name] > 1}

    def __call__(self, key: Key) -> str:
        """Return the name of a feature after all documents have been noted."""
        name, entry = key
        is_shared = name not in self._names if self._names else name in self._shared
        return f"{entry}.{name}" if is_shared else name


def label(document: Mapping[str, Any], path: Path) -> float | None:
    """Return the label of a document; None if missing."""
    for holder, way in ((document, path), _inner(document, path, "_source")):
        for key in LABEL_KEYS:
            value = holder.get(key)
            if value is not None:
                if (grade := _finite(value)) is None:
                    problem = f"The label {shown(value)!r} is not a number"
                    remedy = "Use grades such as 0 (irrelevant), 1 and 2"
                    raise Refused(problem, remedy, (*way, key))
                return grade
    return None


def _nothing_logged(path: Path, error: Any = None) -> Refused:
    if error is not None:
        details = error if isinstance(error, dict) else {}
        reason = details.get("reason", details.get("msg"))
        ending = f" ({shown(reason)})" if isinstance(reason, str) and reason else ""
        problem = f"The search engine answered with an error{ending}"
        return Refused(problem, "Repeat the search, or remove the response", path)
    return Refused(
        "There are no logged features here",
        "Log them with ext.ltr_log (Elasticsearch, OpenSearch) or fl=id,[features] "
        "(Solr), and give whole responses or documents",
        path,
    )


def _inner(
    holder: Mapping[str, Any], path: Path, key: str
) -> tuple[Mapping[str, Any], Path]:
    """Return an object within another, empty if missing, and its path."""
    part = holder.get(key)
    return (part if isinstance(part, dict) else {}), (*path, key)


def _logged(document: Mapping[str, Any]) -> tuple[Path, Any] | None:
    """Return the features logged with a document and their path; None if missing.

    In Solr the search chooses the field's name, as in fl=id,vector:[features].
    """
    fields = document.get("fields")
    if isinstance(fields, dict) and LTR_LOG in fields:
        return ("fields", LTR_LOG), fields[LTR_LOG]
    if document.get(SOLR_LOG) is not None:
        return (SOLR_LOG,), document[SOLR_LOG]
    vectors = [
        field
        for field, content in document.items()
        if isinstance(content, str) and _VECTOR.fullmatch(content)
    ]
    return ((vectors[0],), document[vectors[0]]) if len(vectors) == 1 else None


def document_id(document: Mapping[str, Any], path: Path) -> str:
    """Return the id of a document.

    Raises
    ------
    Refused
        If it is missing.
    """
    for key in DOCUMENT_KEYS:
        if document.get(key) not in (None, ""):
            return _word(document[key], (*path, key))
    problem, remedy = "The document has no id", 'Include "_id" or "id" in the response'
    raise Refused(problem, remedy, path)


def title(document: Mapping[str, Any]) -> str:
    """Return the first title of a document."""
    for holder in (_inner(document, (), "_source")[0], document):
        for key in TITLE_KEYS:
            title = holder.get(key)
            if isinstance(title, list) and title:
                title = title[0]
            if isinstance(title, str) and is_text(title):
                return title
    return ""


def _word(value: Any, path: Path) -> str:
    """Return a name or an id as text."""
    word = value
    if not isinstance(value, str):
        is_number = isinstance(value, int | float) and value not in (inf, -inf)
        word = identifier(value) if is_number else None
    if not word or not is_text(word):
        problem = f"{shown(value)!r} is neither text nor a number"
        raise Refused(problem, "Give a text or a number", path)
    return word


def _finite(value: Any) -> float | None:
    """Return a number; None if it is not a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        exact = number(value)
        if isfinite(exact):
            return exact + 0.0
    return None


def _ltr(logged: Any, path: Path) -> Features:
    """Yield key, value and path of the features in ``_ltrlog``."""
    for entries, at in _items(logged, path):
        if not isinstance(entries, dict):
            raise Refused("The log entry is not an object", FEATURES, at)
        for entry, features in entries.items():
            if not isinstance(features, list):
                problem = f"The log entry {shown(entry)!r} is not a list of features"
                raise Refused(problem, FEATURES, (*at, entry))
            for feature, place in _items(features, (*at, entry)):
                if not isinstance(feature, dict) or "name" not in feature:
                    raise Refused("The feature has no name", FEATURES, place)
                name, raw_value = _word(feature["name"], (*place, "name")), 0.0
                if feature.get("value") is not None:
                    raw_value = feature["value"]
                if (value := _finite(raw_value)) is None:
                    raise _no_number(name, raw_value, (*place, "value"))
                yield (name, entry), value, place


def _items(value: Any, path: Path) -> Iterator[tuple[Any, Path]]:
    """Yield the items of a list, or a single value, each with its path."""
    if not isinstance(value, list):
        yield value, path
        return
    for at, item in enumerate(value):
        yield item, (*path, at)


def _solr(logged: str, path: Path) -> Features:
    """Yield key, value and path of the features in ``name=value,name=value``."""
    pairs, assignment = _divided(logged)
    for pair in pairs:
        name, sign, value = pair.rpartition(assignment)
        if not sign or not name.strip():
            problem = f"{shown(pair)!r} is not a feature"
            raise Refused(problem, "Log features as name=value,name=value", path)
        name, exact = _word(name.strip(), path), number(value)
        if not isfinite(exact):
            raise _no_number(name, value, path)
        yield (name, ""), exact + 0.0, path


def _divided(logged: str) -> tuple[list[str], str]:
    """Split a text into pairs; return them and the delimiter of name and value.

    The separator is the first one that gives the most pairs, all complete.
    """
    pairs, assignment = _parts(logged, ","), "=" if "=" in logged else ":"
    most = 1
    for separator, sign in product(_SEPARATORS, _ASSIGNMENTS):
        parts = _parts(logged, separator)
        if len(parts) > most and all(sign in part for part in parts):
            pairs, assignment, most = parts, sign, len(parts)
    return pairs, assignment


def _parts(logged: str, separator: str) -> list[str]:
    return [part for part in logged.split(separator) if part.strip()]


def _no_number(feature: str, value: Any, path: Path) -> Refused:
    problem = (
        f"The value {shown(value)!r} of feature {shown(feature)!r} is not a finite "
        "number"
    )
    return Refused(problem, NO_NUMBER, path)
