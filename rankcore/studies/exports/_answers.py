"""Comparison of a search engine's responses with the expected scores of an export."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rankcore.base.errors import DataError
from rankcore.base.numbers import quoted
from rankcore.studies.exports._file import finite

TOLERANCE = 1e-5
_HEADS = ("query", "document", "score")
_AGAIN = "Write it with `rankscope export --check`"
# Explanations of models and features by plugins of Elasticsearch and OpenSearch.
_MODEL = "LtrModel:"
_FEATURE = re.compile(r"Feature \d+\((.+)\):")


class Expected(NamedTuple):
    """A document of a check, with its expected score.

    Attributes
    ----------
    features : dict of str to float
        Values by name; nan if missing.
    """

    query: str
    document: str
    features: Mapping[str, float]
    score: float


class Checked(NamedTuple):
    """A document of a check, with the score from a search engine.

    Attributes
    ----------
    score : float or None
        The engine's score; None if the document is not in the response.
    others : dict of str to (float, float)
        Differing features: name → expected and computed value. Also empty if the
        response has no features.
    """

    query: str
    document: str
    expected: float
    score: float | None
    agrees: bool
    others: Mapping[str, tuple[float, float]]


def check_answers(
    answers: bytes | str,
    expected: bytes | str,
    tolerance: float = TOLERANCE,
    names: tuple[str, str] = ("the answers", "the expected scores"),
) -> list[Checked]:
    r"""Compare responses of a search engine with the expected scores of an export.

    Parameters
    ----------
    answers : bytes or str
        JSON of Solr, Elasticsearch or OpenSearch: one response, one per line, or a
        list. With ``explain``, the model's own score and its features are compared.
    expected : bytes or str
        The CSV of `expected_scores`.
    tolerance : float
        Largest difference of agreeing scores and features, relative to the expected one
        if that is larger than 1.
    names : (str, str)
        Names of both in errors.

    Raises
    ------
    DataError
        If either cannot be read, with the problem, the place and a remedy.

    Examples
    --------
    >>> answer = '{"hits": {"hits": [{"_id": "P1", "_score": 1.5}]}}'
    >>> check_answers(answer, "query,document,bm25,score\n1,P1,2.0,1.5\n")[0].agrees
    True
    """
    rows = _expected(expected, names[1])
    answered = _answered(answers, rows, names[0])
    checked = []
    for row in rows:
        score, features = answered.get((row.query, row.document), (None, {}))
        others = {
            name: (value, features[name])
            for name, value in row.features.items()
            if name in features and not _near(features[name], value, tolerance)
        }
        agrees = score is not None and _near(score, row.score, tolerance)
        checked.append(
            Checked(row.query, row.document, row.score, score, agrees, others)
        )
    return checked


def _near(value: float, expected: float, tolerance: float) -> bool:
    """Return whether a value is as expected; an engine may treat a missing one as 0."""
    if math.isnan(expected):
        return value == 0.0 or math.isnan(value)
    return abs(value - expected) <= tolerance * max(1.0, abs(expected))


def _expected(content: bytes | str, name: str) -> list[Expected]:
    """Read the CSV of `expected_scores`."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    reader = csv.reader(io.StringIO(text, newline=""))
    rows = []
    try:
        heads = next(reader, [])
        if (*heads[:2], *heads[2:][-1:]) != _HEADS:
            problem = "The columns are not query, document, features, score"
            raise DataError(problem, _AGAIN, name, 1)
        for cells in reader:
            if len(cells) != len(heads):
                problem = f"The row has {len(cells)} cells, not {len(heads)}"
                raise DataError(problem, _AGAIN, name, reader.line_num)
            values = {
                head: _number(cell, head, name, reader.line_num)
                for head, cell in zip(heads[2:], cells[2:], strict=True)
            }
            score = values.pop("score")
            rows.append(Expected(cells[0], cells[1], values, score))
    except csv.Error as error:
        problem = f"This is not CSV ({error})"
        raise DataError(problem, _AGAIN, name, reader.line_num) from error
    if not rows:
        raise DataError("There are no documents", _AGAIN, name, 1)
    return rows


def _number(cell: str, head: str, name: str, line: int) -> float:
    if not cell and head != "score":
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{quoted(cell)} is not a number", _AGAIN, name, line, head)
    return number


Answered = dict[tuple[str, str], tuple[float | None, Mapping[str, float]]]


def _answered(content: bytes | str, rows: list[Expected], name: str) -> Answered:
    """Return the score and features of expected documents by query and document.

    A response without a query of the check is assigned to the only query that contains
    its document.
    """
    from rankcore.data.formats.parts.json_values import values
    from rankcore.data.formats.parts.responses import Refused, Responses, document_id
    from rankcore.data.formats.parts.source import Limits, opened

    queries: dict[str, list[str]] = {}
    for row in rows:
        queries.setdefault(row.document, []).append(row.query)
    answered: Answered = {}
    encoded = content.encode() if isinstance(content, str) else content
    with opened(encoded, name, Limits()) as source:
        for value in values(source):
            responses = Responses()
            path: Any = ()
            try:
                for one in responses.documents(value.content):
                    path = one.path
                    document = document_id(one.document, path)
                    features = queries.get(document, [])
                    query = one.about.query
                    if responses.n_unnamed or query not in features:
                        if len(features) > 1:
                            raise _several(document, features, path)
                        query = "".join(features)
                    if features:
                        answered[query, document] = _of_document(one.document, path)
            except Refused as error:
                place = value.place(error.path)
                raise DataError(error.problem, error.remedy, name, *place) from error
    return answered


def _several(document: str, queries: list[str], path: Any) -> Exception:
    from rankcore.data.formats.parts.responses import Refused

    problem = f"{quoted(document)} is expected for {len(queries)} queries"
    words = ", ".join(map(quoted, queries[:3]))
    return Refused(problem, f'Add "qid", such as {words}, to each response', path)


def _of_document(
    document: Mapping[str, Any], path: Any
) -> tuple[float | None, Mapping[str, float]]:
    """Return the score and features of a document: the model's from an explanation,
    otherwise the search score and the logged features."""
    from rankcore.data.formats.parts import responses

    for node in _explained(document.get("_explanation")):
        if _MODEL in f"{node.get('description')}":
            details = _list(node.get("details"))
            values = {
                match[1]: _finite(one.get("value")) or 0.0
                for one in details
                if isinstance(one, dict)
                and (match := _FEATURE.search(f"{one.get('description')}"))
            }
            return _finite(node.get("value")), values
    features = (
        {key[0]: value for key, value, _ in responses.features(document, path)}
        if responses.has_features(document)
        else {}
    )
    return _finite(document.get("_score", document.get("score"))), features


def _explained(node: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of an explanation, starting with the whole."""
    ahead = [node]
    while ahead:
        node = ahead.pop()
        if isinstance(node, dict):
            yield node
            ahead += reversed(_list(node.get("details")))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _finite(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return finite(value) if is_number else None
