"""Click logs: documents shown, their positions, and clicks."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

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
    RAISE,
    Limits,
    Opened,
    Source,
    opened,
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
# Maximum number of columns of tables by position.
LAST_POSITION = 10_000
# A click counts as 1 / propensity.
LEAST_PROPENSITY = 1e-9
_OBJECTS = (
    'Write one object a line, such as {"query": "mug", "session": 1, "document": "A", '
    '"position": 1, "clicked": 0}'
)
# Memory of an impression, in numbers of `Limits.cells`.
_CELLS = 8
_LESS = f"Log fewer sessions, {RAISE}"


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Impressions: a document at a position of a session's list, clicked or not.

    Attributes
    ----------
    query_ids : tuple of q str
    doc_ids : tuple of m str
        Ids of documents, each of one query; a document of two queries counts twice.
    document_query : (m,) int64
        The query of each document.
    session : (n,) int64
        Ascending from 0. A session is one list that was shown for one query.
    document : (n,) int64
    position : (n,) int64
        From 1 to `LAST_POSITION`, distinct within a session.
    clicked : (n,) bool
    propensity : (n,) float64 or None
        Probability that the position was examined, from `LEAST_PROPENSITY` to 1; NaN if
        missing, which is possible only without a click.
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
        """Number of lists shown."""
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
        """Return the log with documents and queries numbered as in a data set.

        Raises
        ------
        DataError
            If the data lack a document of the log; the message names the first.
        """
        documents = zip(dataset.qid, dataset.doc_ids, strict=True)
        rows = {document: row for row, document in enumerate(documents)}
        query = [self.query_ids[q] for q in self.document_query]
        shown = list(zip(query, self.doc_ids, strict=True))
        lacking = [document for document in shown if document not in rows]
        if lacking:
            raise DataError(
                f"{counted(len(lacking), 'documents')} of the log "
                f"{'is' if len(lacking) == 1 else 'are'} not in the data; the first is "
                f"{lacking[0][1]!r} of query {lacking[0][0]!r}",
                "Give the features of all documents shown, with the same query and "
                "document names",
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


class _Names:
    """Names of rows, concatenated in UTF-8."""

    def __init__(self) -> None:
        self.text, self.ends = bytearray(), array("q", [0])

    def add(self, name: bytes) -> int:
        """Add the name of the next row; return the total length."""
        self.text += name
        size = len(self.text)
        self.ends.append(size)
        return size

    def at(self, row: int) -> str:
        """Return the name of a row."""
        return self.text[self.ends[row] : self.ends[row + 1]].decode()

    def names(self, rows: Integers) -> tuple[str, ...]:
        """Return the names of some rows."""
        return tuple(map(self.at, rows.tolist()))

    def numbered(self, within: Integers) -> tuple[Integers, Integers]:
        """Return the (n,) number of each row's name, and the first row of each; names
        of different groups are distinct."""
        from rankcore._kernels.text.numerals import PADDING
        from rankcore._kernels.text.trec_run import number_names

        self.text += b"\n" * PADDING
        text, ends = np.frombuffer(self.text, np.uint8), np.frombuffer(self.ends, "q")
        # Without compilation, NumPy integers warn when hashes wrap round.
        with np.errstate(over="ignore"):
            numbers, firsts = number_names(text, ends, within)
        return numbers, firsts


class _Impressions:
    """The rows of a log in the order of the file, a few bytes each."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.most = limits.cells // _CELLS
        self.query, self.session, self.document = _Names(), _Names(), _Names()
        self.position, self.line = array("i"), array("q")
        self.clicked, self.propensity = array("b"), array("d")

    def add(self, one: _Impression, line: int) -> str | None:
        """Add a row; return the limit that it exceeds, if any."""
        query, session, document, position, clicked, propensity = one
        size = self.query.add(query) + self.session.add(session)
        size += self.document.add(document)
        self.position.append(position)
        self.clicked.append(clicked)
        if self.propensity or propensity == propensity:
            lacking = len(self.line) - len(self.propensity)
            self.propensity.extend([nan] * lacking)
            self.propensity.append(propensity)
        self.line.append(line)
        if len(self.line) > self.most:
            return f"There are more than {self.most} impressions"
        if size > self.limits.text:
            return self.limits.too_much_text()[0]
        return None


# Query, session, document, position, clicked, and propensity.
_Impression = tuple[bytes, bytes, bytes, int, bool, float]
# A row: the cells of the roles, its line, and data that locate a cell.
_Row = tuple[Sequence[Any], int, Any]
_Place = tuple[int, int | str]


def read_clicks(
    source: Source, *, name: str | None = None, limits: Limits | None = None
) -> ClickLog:
    r"""Read a click log: CSV or Parquet with named columns, or JSON, one object a line.

    Parameters
    ----------
    source : path, bytes or binary file
        Plain or compressed by gzip. Columns or keys are query, session, document,
        position (from 1) and clicked (0 or 1), and optionally propensity, the
        probability in (0, 1] that the position was examined. A session with two queries
        has a list for each.
    name, limits
        As for `rankcore.data.judgements.read_judgements`, with the same errors.

    Returns
    -------
    ClickLog
        Sessions in the order of the file, with impressions in ascending position.

    Examples
    --------
    >>> heading = b"query,session,document,position,clicked\n"
    >>> log = read_clicks(heading + b"mug,1,A,1,0\nmug,1,B,2,1\n")
    >>> log.doc_ids, log.clicked.tolist()
    (('A', 'B'), [False, True])
    """
    with opened(source, name, limits) as opened_source:
        file = opened_source.name
        begin, whole = opened_source.peek()
        is_json = begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        rows = _Objects(whole) if is_json else _Table(whole)
        impressions = _Impressions(opened_source.limits)
        for cells, line, where in rows:
            try:
                impression = _checked(cells)
            except _Refused as refused:
                problem, remedy, role = refused.args
                place = rows.place(where, role)
                raise DataError(problem, remedy, file, *place) from refused
            if problem := impressions.add(impression, line):
                raise DataError(problem, _LESS, file, line)
    if not impressions.line:
        problem, remedy = "The log has no impressions", "Give at least one row"
        raise DataError(problem, remedy, file)
    return _log(impressions, file)


class _Table:
    """The rows of a table."""

    def __init__(self, source: Opened) -> None:
        self.source = source
        self.names: dict[str, str | None] = {}

    def __iter__(self) -> Iterator[_Row]:
        columns = Columns(self.source.name, names=NAMES)
        kind, whole = table_of(self.source)
        with kind.reporting(columns):
            reader = kind.reader(whole, columns)
            for row in reader.cells(ROLES, OPTIONAL):
                if isinstance(row, DataError):
                    raise row
                self.names = self.names or columns.usual(reader.names())
                yield row[1], row[0], row[0]

    def place(self, line: int, role: str) -> _Place:
        """Return the line and column of the cell of a role."""
        return line, self.names[role] or role


class _Objects:
    """The rows of a JSON log, one object each."""

    def __init__(self, source: Opened) -> None:
        self.source = source

    def __iter__(self) -> Iterator[_Row]:
        text, line, at = "", 0, 0
        for value in values(self.source):
            content = value.content
            if not isinstance(content, dict):
                problem = "This is not a JSON object"
                raise DataError(problem, _OBJECTS, self.source.name, *value.place([]))
            if value.text is not text:
                text, line, at = value.text, value.n_before + 1, 0
            line, at = line + text.count("\n", at, value.begin), value.begin
            names = _names_of(content)
            for role in ROLES:
                if names[role] is None:
                    problem = f"The object has no {role}"
                    file, place = self.source.name, value.place([])
                    raise DataError(problem, _OBJECTS, file, *place)
            cells = [None if key is None else content[key] for key in names.values()]
            yield cells, line, (value, names)

    def place(self, where: tuple[Value, _KeysOf], role: str) -> _Place:
        """Return the line and column of the value of a role."""
        value, names = where
        key = names[role]
        return value.place([key] if key else [])


_KeysOf = dict[str, str | None]


def _names_of(content: dict[str, Any]) -> _KeysOf:
    """Return an object's key for each role."""
    keys = {key.lower(): key for key in reversed(content)}
    return {
        role: next((keys[name] for name in NAMES[role] if name in keys), None)
        for role in (*ROLES, *OPTIONAL)
    }


class _Refused(Exception):  # noqa: N818
    """A problem, its remedy and the role of its cell."""


def _checked(cells: Sequence[Any]) -> _Impression:
    """Return the impression in the cells of the roles."""
    query, session, document = map(_name, ROLES, cells[:3])
    position, clicked = number(cells[3]), number(cells[4])
    if clicked not in (0.0, 1.0):
        problem = f"Clicked is {shown(cells[4])!r}, neither 0 nor 1"
        raise _Refused(problem, "Write 1 for a click and 0 for none", "clicked")
    if is_missing(cells[3]) and clicked:
        problem = "A click without an impression: its position is missing"
        remedy = "Log the position of each document shown, including clicked ones"
        raise _Refused(problem, remedy, "position")
    if LAST_POSITION < position < inf:
        problem = f"The position {shown(cells[3])!r} is beyond {LAST_POSITION}"
        raise _Refused(problem, "Log only the first pages of results", "position")
    if not (1 <= position <= LAST_POSITION and position.is_integer()):
        problem = (
            f"The position {shown(cells[3])!r} is not a whole number of at least 1"
        )
        raise _Refused(problem, "Count positions from 1 at the top", "position")
    propensity = nan
    if not is_missing(cells[5]):
        propensity = number(cells[5])
        if not 0.0 < propensity <= 1.0:
            problem = f"The propensity {shown(cells[5])!r} is not in (0, 1]"
            remedy = "Give the probability that the position was examined"
            raise _Refused(problem, remedy, "propensity")
        if propensity < LEAST_PROPENSITY:
            problem = (
                f"The propensity {shown(cells[5])!r} is below {LEAST_PROPENSITY:g}, so "
                "that one click would dominate all others"
            )
            remedy = "Leave such positions out of the log"
            raise _Refused(problem, remedy, "propensity")
    return query, session, document, int(position), clicked == 1.0, propensity


def _name(role: str, cell: Any) -> bytes:
    """Return the name in a cell. Raises `_Refused` if it is missing."""
    word = (identifier(cell) or "").strip()
    if not word:
        remedy = "Name query, session and document of every row"
        raise _Refused(f"The {role} is missing", remedy, role)
    try:
        return word.encode()
    except UnicodeEncodeError as error:
        problem = f"{shown(word)!r} is not a name"
        raise _Refused(problem, "Write names in UTF-8", role) from error


def _log(rows: _Impressions, file: str) -> ClickLog:
    """Return the log of impressions in the order of the file."""
    query, session, document = rows.query, rows.session, rows.document
    position = np.frombuffer(rows.position, "i")
    clicked = np.frombuffer(rows.clicked, "b") > 0
    queries, of_query = query.numbered(np.zeros(len(position), np.int64))
    documents, of_document = document.numbered(queries)
    # A query has at least one document.
    if len(of_document) > rows.limits.rows:
        problem = f"There are more than {rows.limits.rows} documents"
        raise DataError(problem, _LESS, file)
    query_ids = query.names(of_query)
    rows.query = query = _Names()  # frees memory
    lists, _ = session.numbered(queries)
    document_query = queries[of_document]
    del queries
    _check_once(rows, lists, documents, "document", file)
    order = _check_once(rows, lists, position, "position", file)
    propensity = np.frombuffer(rows.propensity)
    lacking = np.flatnonzero(np.isnan(propensity) & clicked[: len(propensity)])
    if len(lacking):
        raise DataError(
            "The propensity of a click is missing",
            "Give it for all clicks, or for none",
            file,
            rows.line[lacking[0]],
            "propensity",
        )
    return ClickLog(
        file,
        query_ids,
        document.names(of_document),
        document_query,
        lists[order],
        documents[order],
        position[order].astype(np.int64),
        clicked[order],
        propensity[order] if len(propensity) else None,
    )


def _check_once(
    rows: _Impressions, session: Integers, column: Integers, role: str, file: str
) -> Integers:
    """Return the rows sorted by session and by a column's value; refuse a value that
    occurs twice in a session, at the line of the second."""
    order = np.lexsort((column, session))
    same = np.ones(len(order) - 1, np.bool_)
    for one in (session[order], column[order]):
        same &= one[1:] == one[:-1]
    if same.any():
        row = int(order[1:][same].min())
        is_named = role == "document"
        value = rows.document.at(row) if is_named else int(column[row])
        raise DataError(
            f"Session {rows.session.at(row)!r} contains the {role} {value!r} twice",
            "Give each list shown its own session, with one document per position",
            file,
            rows.line[row],
            role,
        )
    return order
