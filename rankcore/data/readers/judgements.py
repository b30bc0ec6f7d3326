"""Judgements: which label a document has for a query, in the forms that people have.

A form is an entry of `FORMS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite, isnan
from sys import getsizeof
from typing import NamedTuple

from rankcore.base.arrays import LARGEST_EXACT
from rankcore.base.errors import DataError, warn_of_data
from rankcore.data.dataset import MAX_EXPONENTIAL_LABEL, Gain
from rankcore.data.readers import _columns, _csv
from rankcore.data.readers._columns import (
    GRADES,
    MISSING,
    Columns,
    Header,
    number,
    shown,
)
from rankcore.data.readers._labels import Labels
from rankcore.data.readers._refusals import CARRIAGE_RETURN
from rankcore.data.readers._source import (
    LESS,
    PARQUET_MAGIC,
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)
from rankcore.data.readers._text import decoded_lines

FORM_NAMES = "CSV, TREC qrels or lines such as 4 qid:1 # A-1"
QRELS_WORDS = 4
ROLES = ("query", "document", "label")
# What columns are called in manuals of search engines, rating tools and benchmarks
# beside the names that they have in tables of features.
NAMES = {
    "query": (*_columns.QUERY_NAMES, "query_text", "keywords", "search", "search_term"),
    "document": (*_columns.DOCUMENT_NAMES, "corpus_id", "sku", "asin", "id"),
    "label": (*_columns.LABEL_NAMES, "score", "gain", "judgment_rating", "relevancy"),
}
_LIST_LINE = re.compile(r"\s*(\S+)\s+qid:(\S*)([^#]*)(?:#(.*))?")
# The query of a list's head, its words, and perhaps a weight.
_LIST_HEAD = re.compile(r"\s*#\s*qid:(\S+?):\s*(.*?)(?:\*\s*[\d.]+)?\s*")
_LETOR_DOCUMENT = re.compile(r"\s*docid\s*=\s*(\S+)")


class Judgements(dict[str, dict[str, int]]):
    """Query → document → label.

    Attributes
    ----------
    query_texts : dict of str to str
        The words of queries, where the judgements tell them.
    """

    def __init__(self, labels: Mapping[str, dict[str, int]] | None = None) -> None:
        super().__init__(labels or {})
        self.query_texts: dict[str, str] = {}


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
        bar; its heading names the columns of query, document and label by a usual name,
        such as ``keywords``, ``docId`` and ``grade``. A blank label says that the
        document is not judged. A line of TREC qrels is ``query 0 document label``. A
        line of the list form is ``label qid:query # document``, and comments such as
        ``# qid:1: blue mug*1`` tell the words of queries (and a weight, which is passed
        over).
    name : str, optional
        Name of the file in messages.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.
    header : sequence of str, optional
        The names of the columns of a table without a heading.
    labels : str, optional
        The grades of labels that are none, see `rankcore.read_table`.

    Returns
    -------
    Judgements
        Query → document → label; its ``query_texts`` hold words of queries.

    Raises
    ------
    DataError
        With file, line and column of the first problem.

    Examples
    --------
    >>> read_judgements(b"rambo 0 7555 4\nrambo 0 1370 3\n")
    {'rambo': {'7555': 4, '1370': 3}}
    >>> found = read_judgements(b"# qid:1: first blood*1\n4 qid:1 # 7555 Rambo\n")
    >>> found, found.query_texts
    ({'1': {'7555': 4}}, {'1': 'first blood'})
    """
    file = source_name(source, name)
    found = Judgements()
    with opened(source, file, limits) as given:
        for error in faults(given, gain, found, header, labels):
            raise error
    return found


def faults(
    source: Opened,
    gain: Gain,
    found: Judgements,
    header: Header | None = None,
    labels: str | None = None,
) -> Iterator[DataError]:
    """Read judgements into ``found``; give the first problem of each row that has one.

    Raises
    ------
    DataError
        Of a problem after which no row can be told.
    """
    file = source.name
    largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
    begin, whole = source.peek()
    for kind, mark in (("Parquet", PARQUET_MAGIC), ("JSON", b"{"), ("JSON", b"[")):
        if begin.startswith(mark):
            problem, remedy = f"These judgements are {kind}", f"Give {FORM_NAMES}"
            raise DataError(problem, remedy, file, 1, 1)
    columns = Columns({}, None, (), file, names=NAMES, header=header)
    first = "" if header else _first_line(begin)
    form = next(form for form in FORMS if form.recognises(first))
    grades = Labels(labels) if labels else None
    n_rows = n_bytes = 0
    negative: list[int] = []
    for row in form.rows(whole, columns, found.query_texts):
        n_rows += 1
        try:
            if isinstance(row, DataError):
                raise row
            if grades is not None:
                row[1][2] = str(grades(row[1][2]))
            query, document = _add(row, largest, file, found, negative)
        except DataError as error:
            yield error
            continue
        n_bytes += getsizeof(document) + getsizeof(query)
        _check_room(n_rows, n_bytes, whole.limits, file, row[0])
    if not n_rows:
        problem, remedy = "There are no judgements", "Give a file with rows"
        raise DataError(problem, remedy, file, 1, 1)
    if negative:
        warn_of_data(
            f"{file}: Negative judgements count as 0: {len(negative):,}, the first in "
            f"line {negative[0]}."
        )


# A line, its query, document and label, and the columns in which they stand.
Row = tuple[int, list[str], tuple[str | int, ...]]
Rows = Iterator[Row | DataError]


class Form(NamedTuple):
    """A form of judgements.

    Attributes
    ----------
    recognises : callable
        Whether the first line that is no comment is of this form.
    rows : callable
        Yields the rows of a source, given its columns if it is a table; adds words of
        queries to a dict.
    """

    recognises: Callable[[str], bool]
    rows: Callable[[Opened, Columns, dict[str, str]], Rows]


def _first_line(begin: bytes) -> str:
    """The first line that is neither blank nor a comment, without its line end."""
    text = begin.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = (line for line in text.split("\n") if not _is_comment(line))
    return next(lines, "").rstrip("\r")


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _add(
    row: Row, largest: float, file: str, found: Judgements, negative: list[int]
) -> tuple[str, str]:
    """Add the judgement of a row, and its line to those of negative ones; returns its
    query and document."""
    line, (query, document, label), columns = row
    if not (query and document):
        role = 1 if query else 0
        problem = f"The {ROLES[role]} is missing"
        remedy = "Name query and document of every judgement"
        raise DataError(problem, remedy, file, line, columns[role])
    grade = _grade(label, largest, file, line, columns[2])
    if grade < 0:
        negative.append(line)
        grade = 0
    of_query = found.setdefault(query, {})
    if of_query.setdefault(document, grade) != grade:
        raise DataError(
            f"Document {shown(document)!r} of query {shown(query)!r} is judged "
            f"{grade} here, but {of_query[document]} above",
            "Keep one of the two judgements",
            file,
            line,
            columns[2],
        )
    return query, document


def _is_qrels(line: str) -> bool:
    """Whether a line is one of TREC qrels, not the heading of a table."""
    words = _words(line)
    if len(words) != QRELS_WORDS or re.search("[,;|]", line):
        return False
    if not isnan(number(words[-1])):
        return True
    names = [cell.strip().strip('"') for cell in line.split("\t")]
    return Columns({}, None, (), "", names=NAMES).usual(names)["label"] is None


def _table(source: Opened, columns: Columns, _: dict[str, str]) -> Rows:
    for row in _csv.cells(source, columns, ROLES):
        if isinstance(row, DataError):
            yield row
            continue
        line, cells = row
        cells = [cell.strip() for cell in cells]
        if cells[ROLES.index("label")].lower() not in MISSING:
            yield line, cells, ROLES


def _lines(source: Opened) -> Iterator[tuple[int, str]]:
    """Lines and their numbers."""
    for n_before, text in decoded_lines(source, f"Give {FORM_NAMES}"):
        for number_of_line, line in enumerate(text.split("\n"), start=n_before + 1):
            row = line.removesuffix("\r")
            if (at := row.find("\r")) >= 0:
                column = len(row[:at].encode()) + 1
                raise DataError(*CARRIAGE_RETURN, source.name, number_of_line, column)
            yield number_of_line, row


def _words(line: str) -> list[str]:
    """The words of a line of TREC qrels, without a comment behind them."""
    words = line.split()
    has_comment = words[QRELS_WORDS:] and words[QRELS_WORDS].startswith("#")
    return words[:QRELS_WORDS] if has_comment else words


def _qrels(source: Opened, columns: Columns, _: dict[str, str]) -> Rows:
    is_first = True
    for line, row in _lines(source):
        if _is_comment(row):
            continue
        words = _words(row)
        is_header = is_first and isnan(number(words[-1]))
        is_first = False
        if is_header:
            yield columns.error(
                f"The label {shown(words[-1])!r} of these TREC qrels is not a number",
                "Write query, 0, document and label on each line, such as 1 0 A-1 2, "
                "without a header; or give CSV with the columns query, document and "
                "label",
                line,
                len(words),
            )
        elif len(words) == QRELS_WORDS:
            yield line, [words[0], *words[2:]], (1, 3, 4)
        else:
            yield columns.error(
                f"The line has {len(words)} words, not {QRELS_WORDS}",
                "Write query, 0, document and label, separated by blanks",
                line,
                min(len(words), QRELS_WORDS) + 1,
            )


def _list(source: Opened, columns: Columns, query_texts: dict[str, str]) -> Rows:
    for line, row in _lines(source):
        if _is_comment(row):
            if (head := _LIST_HEAD.fullmatch(row)) and head[2]:
                query_texts[head[1]] = head[2]
        elif found := _LIST_LINE.fullmatch(row):
            label, query, _, comment = found.groups("")
            letor = _LETOR_DOCUMENT.match(comment)
            words = [letor[1]] if letor else re.split(r"\t|\s+", comment.strip())
            yield line, [query, words[0], label], (2, 4, 1)
        else:
            problem = "The line has no query"
            remedy = "Write label, query and document, such as 4 qid:1 # A-1"
            yield columns.error(problem, remedy, line, 2)


FORMS = (
    Form(lambda line: _LIST_LINE.fullmatch(line) is not None, _list),
    Form(_is_qrels, _qrels),
    Form(lambda line: True, _table),
)


def _grade(label: str, largest: float, file: str, line: int, column: str | int) -> int:
    value = number(label)
    if isfinite(value) and value <= largest and value == int(value):
        return int(value)
    high = value > largest
    raise DataError(
        f"The label {shown(label)!r} is "
        + (f"above {largest:g}" if high else "not a whole number from 0 up"),
        "Use grades such as 0 (irrelevant), 1 and 2, and leave documents out that "
        f"are not judged; or {GRADES}",
        file,
        line,
        column,
    )


def _check_room(
    n_rows: int, n_bytes: int, limits: Limits, file: str, line: int
) -> None:
    if n_rows > limits.rows:
        problem = f"There are more than {limits.rows} judgements"
        raise DataError(problem, LESS, file, line, 1)
    if n_bytes > limits.text:
        raise DataError(*limits.too_much_text(), file, line, 1)
