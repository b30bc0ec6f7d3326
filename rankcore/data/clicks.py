"""Click logs: which documents were shown where, and which of them were clicked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted
from rankcore.data import judgements
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats.parts.cells import identifier, is_missing, number, shown
from rankcore.data.formats.parts.columns import Columns
from rankcore.data.formats.parts.json_values import Value, values
from rankcore.data.formats.parts.source import (
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)
from rankcore.data.formats.parts.table import table_of

ROLES = ("query", "session", "document", "position", "clicked")
OPTIONAL = ("propensity",)
# Usual names of columns in click logs.
NAMES = {
    "query": ("query", "qid", "query_id", "queryid", "topic", "q"),
    "session": ("session", "session_id", "impression", "impression_id", "search_id"),
    "document": judgements.NAMES["document"],
    "position": ("position", "rank", "pos", "place"),
    "clicked": ("clicked", "click", "clicks", "is_click"),
    "propensity": ("propensity", "examination"),
}
_OBJECTS = (
    'Write one object a line, such as {"query": "mug", "session": 1, "document": "A", '
    '"position": 1, "clicked": 0}'
)


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Impressions: a document at a position of a session's list, clicked or not.

    Attributes
    ----------
    name : str
    query_ids : tuple of q str
    doc_ids : tuple of m str
        Of documents of one query each; one that two queries show counts as two.
    document_query : (m,) int64
        The query of each document.
    session : (n,) int64
        Rising from 0. A session is one list that was shown for one query.
    document : (n,) int64
    position : (n,) int64
        From 1; no two of a session are the same.
    clicked : (n,) bool
    propensity : (n,) float64 or None
        Probability in (0, 1] that the position was examined; NaN where it is missing,
        which it is not for clicks.
    """

    name: str
    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    document_query: Integers
    session: Integers
    document: Integers
    position: Integers
    clicked: np.ndarray
    propensity: Floats | None = None

    @property
    def n_sessions(self) -> int:
        """Number of lists that were shown."""
        return int(self.session[-1]) + 1 if len(self.session) else 0

    @property
    def n_clicks(self) -> int:
        """Number of clicks."""
        return int(self.clicked.sum())

    def first(self, n_sessions: int) -> ClickLog:
        """Return the log of the first sessions."""
        end = int(np.searchsorted(self.session, n_sessions))
        return replace(
            self,
            session=self.session[:end],
            document=self.document[:end],
            position=self.position[:end],
            clicked=self.clicked[:end],
            propensity=None if self.propensity is None else self.propensity[:end],
        )

    def numbered_as(self, dataset: RankingDataset) -> ClickLog:
        """Return the log whose documents and queries have the numbers of a data set's.

        Raises
        ------
        DataError
            Naming the first document of the log that the data lack.
        """
        documents = zip(dataset.qid, dataset.doc_ids, strict=True)
        rows = {document: row for row, document in enumerate(documents)}
        query = [self.query_ids[q] for q in self.document_query]
        shown = list(zip(query, self.doc_ids, strict=True))
        lacking = [document for document in shown if document not in rows]
        if lacking:
            raise DataError(
                f"{counted(len(lacking), 'documents')} of the log "
                f"{'is' if len(lacking) == 1 else 'are'} not in the data, the first "
                f"{lacking[0][1]!r} of query {lacking[0][0]!r}",
                "Give the features of all documents that were shown, under the same "
                "names of queries and documents",
                self.name,
            )
        numbers = np.array([rows[document] for document in shown], np.int64)
        return replace(
            self,
            query_ids=tuple(dataset.query_ids),
            doc_ids=tuple(dataset.doc_ids),
            document_query=np.repeat(np.arange(dataset.n_queries), dataset.lengths),
            document=numbers[self.document],
        )


class _LogRow(NamedTuple):
    """Cells of the roles, and where that of a role stands: line and column."""

    cells: dict[str, Any]
    place: Callable[[str], tuple[int, int | str]]


class _Impression(NamedTuple):
    query: str
    session: str
    document: str
    position: int
    clicked: bool
    propensity: float
    line: int


def read_clicks(
    source: Source, *, name: str | None = None, limits: Limits | None = None
) -> ClickLog:
    r"""Read a click log: CSV or Parquet with named columns, or one JSON object a line.

    Parameters
    ----------
    source : path, bytes or binary file
        Plain or compressed by gzip. Columns or keys are query, session, document,
        position (from 1) and clicked (0 or 1), and perhaps propensity, the probability
        in (0, 1] that the position was examined. A session in which two queries were
        asked has a list for each.
    name : str, optional
        Name of the file in messages.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.

    Returns
    -------
    ClickLog
        Sessions in the order of the file; impressions of each by rising position.

    Raises
    ------
    DataError
        With file, line and column of the first problem.

    Examples
    --------
    >>> heading = b"query,session,document,position,clicked\n"
    >>> log = read_clicks(heading + b"mug,1,A,1,0\nmug,1,B,2,1\n")
    >>> log.doc_ids, log.clicked.tolist()
    (('A', 'B'), [False, True])
    """
    file = source_name(source, name)
    with opened(source, file, limits) as given:
        begin, whole = given.peek()
        is_json = begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        rows = _objects(whole) if is_json else _table_rows(whole)
        impressions = [_checked(row, file) for row in rows]
    if not impressions:
        problem, remedy = "The log has no impressions", "Give at least one row"
        raise DataError(problem, remedy, file)
    return _log(impressions, file)


def _table_rows(source: Opened) -> Iterator[_LogRow]:
    columns = Columns(source.name, names=NAMES)
    kind, whole = table_of(source)
    with kind.reporting(columns):
        reader = kind.reader(whole, columns)
        names: dict[str, str | None] = {}
        for row in reader.cells(ROLES, OPTIONAL):
            if isinstance(row, DataError):
                raise row
            line, cells = row
            names = names or columns.usual(reader.names())
            yield _LogRow(
                dict(zip((*ROLES, *OPTIONAL), cells, strict=True)),
                partial(_table_place, line, names),
            )


def _table_place(
    line: int, names: Mapping[str, str | None], role: str
) -> tuple[int, str]:
    return line, names[role] or role


def _objects(source: Opened) -> Iterator[_LogRow]:
    for value in values(source):
        content = value.content
        if not isinstance(content, dict):
            problem = "This is not an object"
            raise DataError(problem, _OBJECTS, source.name, *value.place([]))
        keys = {key.lower(): key for key in reversed(content)}
        names = {
            role: next((keys[name] for name in NAMES[role] if name in keys), None)
            for role in (*ROLES, *OPTIONAL)
        }
        for role in ROLES:
            if names[role] is None:
                problem = f"The object has no {role}"
                raise DataError(problem, _OBJECTS, source.name, *value.place([]))
        cells = {
            role: None if key is None else content[key] for role, key in names.items()
        }
        yield _LogRow(cells, partial(_object_place, value, names))


def _object_place(
    value: Value, names: Mapping[str, str | None], role: str
) -> tuple[int, int]:
    key = names[role]
    return value.place([key] if key else [])


def _checked(row: _LogRow, file: str) -> _Impression:
    """Return the impression that a row holds.

    Raises
    ------
    DataError
        With line and column of what is no impression.
    """

    def error(role: str, problem: str, remedy: str) -> DataError:
        return DataError(problem, remedy, file, *row.place(role))

    cells = row.cells
    words = [(identifier(cells[role]) or "").strip() for role in ROLES[:3]]
    for role, word in zip(ROLES, words, strict=False):
        if not word:
            remedy = "Name query, session and document of every row"
            raise error(role, f"The {role} is missing", remedy)
    clicked, position = number(cells["clicked"]), number(cells["position"])
    if clicked not in (0.0, 1.0):
        problem = f"Clicked is {shown(cells['clicked'])!r}, neither 0 nor 1"
        raise error("clicked", problem, "Write 1 for a click and 0 for none")
    if is_missing(cells["position"]) and clicked:
        problem = "A click without an impression: its position is missing"
        remedy = "Log where each document was shown, also the clicked ones"
        raise error("position", problem, remedy)
    if not (1 <= position < 2**31 and position.is_integer()):
        problem = f"The position {shown(cells['position'])!r} is no whole number from 1"
        raise error("position", problem, "Count positions from 1 at the top")
    propensity = nan
    if not is_missing(cells["propensity"]):
        propensity = number(cells["propensity"])
        if not 0.0 < propensity <= 1.0:
            problem = (
                f"The propensity {shown(cells['propensity'])!r} is not above 0 and at "
                "most 1"
            )
            remedy = "Give the probability that the position was examined"
            raise error("propensity", problem, remedy)
    line = row.place("query")[0]
    query, session, document = words
    return _Impression(
        query, session, document, int(position), bool(clicked), propensity, line
    )


def _log(impressions: list[_Impression], file: str) -> ClickLog:
    """Return the log of impressions in the order of the file."""
    queries: dict[str, int] = {}
    lists: dict[tuple[str, str], int] = {}
    documents: dict[tuple[int, str], int] = {}
    table = np.empty((len(impressions), 5), np.int64)
    for at, one in enumerate(impressions):
        query = queries.setdefault(one.query, len(queries))
        session = lists.setdefault((one.query, one.session), len(lists))
        document = documents.setdefault((query, one.document), len(documents))
        table[at] = session, one.position, document, one.clicked, one.line
    for role, column in (("position", 1), ("document", 2)):
        _check_once(impressions, table[:, 0], table[:, column], role, file)
    propensity = np.array([one.propensity for one in impressions])
    missing = np.isnan(propensity)
    has_propensities = not missing.all()
    lacking = np.flatnonzero(missing & (table[:, 3] > 0))
    if has_propensities and len(lacking):
        raise DataError(
            "The propensity of a click is missing",
            "Give it for all clicks, or for none",
            file,
            int(table[lacking[0], 4]),
            "propensity",
        )
    order = np.lexsort((table[:, 1], table[:, 0]))
    session, position, document, clicked, _ = table[order].T
    return ClickLog(
        file,
        tuple(queries),
        tuple(document for _, document in documents),
        np.array([query for query, _ in documents]),
        np.ascontiguousarray(session),
        np.ascontiguousarray(document),
        np.ascontiguousarray(position),
        clicked > 0,
        propensity[order] if has_propensities else None,
    )


def _check_once(
    impressions: list[_Impression],
    session: Integers,
    column: Integers,
    role: str,
    file: str,
) -> None:
    """Refuse a value that a session has twice, at the line of the second."""
    order = np.lexsort((column, session))
    same = (np.diff(session[order]) == 0) & (np.diff(column[order]) == 0)
    if same.any():
        one = impressions[int(order[1:][same].min())]
        raise DataError(
            f"Session {one.session!r} has the {role} {getattr(one, role)!r} twice",
            "Give each list that was shown a session, each place in it one document",
            file,
            one.line,
            role,
        )
