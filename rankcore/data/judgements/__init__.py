"""Judgements: labels of documents for queries, in common file forms.

To add a form, add a module with a subclass of `Form`; modules are discovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from sys import getsizeof

from rankcore.base.arrays import LARGEST_EXACT
from rankcore.base.discovery import remembered
from rankcore.base.errors import DataError, warn_of_data
from rankcore.base.numbers import phrase
from rankcore.data._forms import FileForm, declared_forms
from rankcore.data.dataset import MAX_EXPONENTIAL_LABEL, Gain
from rankcore.data.formats import of_begin
from rankcore.data.formats.parts import columns as _columns
from rankcore.data.formats.parts.cells import (
    GRADES,
    number,
    shown,
)
from rankcore.data.formats.parts.columns import (
    Columns,
    Header,
)
from rankcore.data.formats.parts.refusals import CARRIAGE_RETURN
from rankcore.data.formats.parts.source import Limits, Opened, Source, opened
from rankcore.data.formats.parts.text import numbered_lines

# A line, its query, document and label, and their columns.
Row = tuple[int, list[str], tuple[str | int, ...]]
Rows = Iterator[Row | DataError]

ROLES = ("query", "document", "label")
# Column names of search engines, rating tools and benchmarks, in addition to those of
# feature tables.
NAMES = {
    "query": (*_columns.QUERY_NAMES, "query_text", "keywords", "search", "search_term"),
    "document": (*_columns.DOCUMENT_NAMES, "corpus_id", "sku", "asin", "id"),
    "label": (*_columns.LABEL_NAMES, "score", "gain", "judgment_rating", "relevancy"),
}


class Form(FileForm):
    """A form of judgements."""

    def rows(
        self, source: Opened, columns: Columns, query_texts: dict[str, str]
    ) -> Rows:
        """Yield the rows, or the error of a row.

        Parameters
        ----------
        columns : Columns
            Columns of a table.
        query_texts : dict of str to str
            Receives the texts of queries.
        """
        raise NotImplementedError


@remembered
def forms() -> tuple[Form, ...]:
    """Return all forms, in the order in which they are tried."""
    return declared_forms(__name__, Form, "judgements")


def form_names() -> str:
    """Return the names of all forms, as a remedy."""
    return phrase((form.name for form in reversed(forms())), "or")


class Judgements(dict[str, dict[str, float]]):
    """Query → document → label, an int if it is whole.

    Attributes
    ----------
    query_texts : dict of str to str
        The texts of queries, if the judgements contain them.
    negative : set of (str, str)
        Query and document of negative judgements, which count as 0.
    """

    def __init__(self, labels: Mapping[str, dict[str, float]] | None = None) -> None:
        super().__init__(labels or {})
        self.query_texts: dict[str, str] = {}
        self.negative: set[tuple[str, str]] = set()


def read_judgements(
    source: Source,
    *,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    header: Header | None = None,
    labels: str | None = None,
) -> Judgements:
    r"""Read judgements: a table, TREC qrels, or the list form of judgement files.

    Lines that begin with ``#`` are comments in all forms.

    Parameters
    ----------
    source : path, bytes or binary file
        Plain or compressed by gzip. A table is CSV, also separated by semicolon, tab or
        bar; its header names the columns of query, document and label by a usual name,
        such as ``keywords``, ``docId`` and ``grade``. A blank label means that the
        document is not judged. A line of TREC qrels is ``query 0 document label``. A
        line of the list form is ``label qid:query # document``, and comments such as
        ``# qid:1: blue mug*1`` give the texts of queries (and a weight, which is
        ignored).
    name : str, optional
        Name of the file in messages.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.
    header : sequence of str, optional
        The names of the columns of a table without a header line.
    labels : str, optional
        The mapping of labels to grades, see `rankcore.read_table`; ``"fractional"``
        keeps labels unchanged.

    Returns
    -------
    Judgements
        Query → document → label; its ``query_texts`` hold texts of queries.

    Raises
    ------
    DataError
        With the file, line and column of the first problem.

    Examples
    --------
    >>> read_judgements(b"rambo 0 7555 4\nrambo 0 1370 3\n")
    {'rambo': {'7555': 4, '1370': 3}}
    >>> queries = read_judgements(b"# qid:1: first blood*1\n4 qid:1 # 7555 Rambo\n")
    >>> queries, queries.query_texts
    ({'1': {'7555': 4}}, {'1': 'first blood'})
    """
    judgements = Judgements()
    with opened(source, name, limits) as opened_source:
        for error in faults(opened_source, judgements, gain, header, labels):
            raise error
    return judgements


read_judgments = read_judgements


def faults(
    source: Opened,
    judgements: Judgements,
    gain: Gain = "exponential",
    header: Header | None = None,
    labels: str | None = None,
) -> Iterator[DataError]:
    """Read into ``judgements``; yield the first problem of each invalid row.

    Raises
    ------
    DataError
        For a problem after which rows are unrecognisable.
    """
    file = source.name
    largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
    begin, whole = source.peek()
    if content := of_begin(begin).content:
        problem, remedy = f"These judgements are {content}", f"Give {form_names()}"
        raise DataError(problem, remedy, file, 1, 1)
    columns = Columns(file, {"header": header, "labels": labels}, NAMES)
    first = "" if header else first_line(begin)
    form = next(form for form in forms() if form.recognises(first))
    grades = columns.labels
    is_fractional = grades is not None and grades.fractional
    n_rows = n_bytes = 0
    negative: list[int] = []
    for row in form.rows(whole, columns, judgements.query_texts):
        n_rows += 1
        try:
            if isinstance(row, DataError):
                raise row
            if grades is not None:
                row[1][2] = str(grades(row[1][2]))
            grade = _grade(row, largest, is_fractional, file)
            query, document = _add(row, grade, file, judgements, negative)
        except DataError as error:
            yield error
            continue
        n_bytes += getsizeof(document) + getsizeof(query)
        whole.check_room(n_rows, n_bytes, row[0], "judgements")
    if not n_rows:
        problem, remedy = "There are no judgements", "Give a file with rows"
        raise DataError(problem, remedy, file, 1, 1)
    if negative:
        warn_of_data(
            f"{file}: Negative judgements count as 0: {len(negative):,}, the first in "
            f"line {negative[0]}."
        )


def first_line(begin: bytes) -> str:
    """Return the first line that is neither blank nor a comment, without line end."""
    text = begin.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = (line for line in text.split("\n") if not is_comment(line))
    return next(lines, "").rstrip("\r")


def is_comment(line: str) -> bool:
    """Return whether a line holds no judgement."""
    return not line.strip() or line.lstrip().startswith("#")


def rows_of(source: Opened) -> Iterator[tuple[int, str]]:
    """Yield lines without line ends, and their numbers."""
    for number_of_line, line in numbered_lines(source, f"Give {form_names()}"):
        row = line.removesuffix("\r")
        if (at := row.find("\r")) >= 0:
            column = len(row[:at].encode()) + 1
            raise DataError(*CARRIAGE_RETURN, source.name, number_of_line, column)
        yield number_of_line, row


def _grade(row: Row, largest: float, is_fractional: bool, file: str) -> float:
    """Return the grade of a row with a query and a document."""
    line, (query, document, label), columns = row
    if not query or not document:
        role = 1 if query else 0
        problem = f"The {ROLES[role]} is missing"
        remedy = "Give the query and document of every judgement"
        raise DataError(problem, remedy, file, line, columns[role])
    grade = _number(label, largest, is_fractional)
    if grade is None:
        raise _no_grade(label, largest, file, line, columns[2])
    return grade


def _add(
    row: Row, grade: float, file: str, judgements: Judgements, negative: list[int]
) -> tuple[str, str]:
    """Add the judgement of a row, and its line if negative; return its query and
    document."""
    line, (query, document, _), columns = row
    of_query = judgements.setdefault(query, {})
    if grade < 0:
        negative.append(line)
    if document not in of_query:
        of_query[document] = max(grade, 0)
        if grade < 0:
            judgements.negative.add((query, document))
        return query, document
    earlier = of_query[document]
    was_negative = (query, document) in judgements.negative
    if earlier != max(grade, 0) or (grade < 0) != was_negative:
        raise DataError(
            f"Document {shown(document)!r} of query {shown(query)!r} is judged "
            f"{grade} here, but {'below 0' if was_negative else earlier} above",
            "Keep one of the two judgements",
            file,
            line,
            columns[2],
        )
    return query, document


@lru_cache(maxsize=1024)  # Judgements have few distinct labels.
def _number(label: str, largest: float, is_fractional: bool) -> float | None:
    """Return the grade of a label; None if it is too large or a disallowed fraction."""
    value = number(label)
    if not (isfinite(value) and value <= largest):
        return None
    if value == int(value):
        return int(value)
    return value if is_fractional else None


def _no_grade(
    label: str, largest: float, file: str, line: int, column: str | int
) -> DataError:
    high = number(label) > largest
    return DataError(
        f"The label {shown(label)!r} is "
        + (f"above {largest:g}" if high else "not a whole number from 0 up"),
        "Use grades such as 0 (irrelevant), 1 and 2, and leave out documents that are "
        f"not judged; or {GRADES}",
        file,
        line,
        column,
    )
