"""Judgements: which label a document has for a query, as CSV or TREC qrels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isnan
from sys import getsizeof

from rankcore._arrays import LARGEST_EXACT
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain
from rankcore.errors import DataError
from rankcore.readers import _csv
from rankcore.readers._columns import Columns, number, shown
from rankcore.readers._source import (
    LESS,
    PARQUET_MAGIC,
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)
from rankcore.readers._text import decoded_lines

QRELS_WORDS = 4
# A first line of four words.
QRELS_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*([^\s,;|]+(?:[ \t]+[^\s,;|]+){3})[ \t\r]*\n"
)
ROLES = ("query", "document", "label")
# Query → document → label.
Judgements = dict[str, dict[str, int]]


def read_judgements(
    source: Source,
    *,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
) -> Judgements:
    r"""Read judgements: CSV with a query, a document and a label column, or TREC qrels.

    Parameters
    ----------
    source : path, bytes or binary file
        Plain or compressed by gzip. CSV has a header line, whose columns are found by
        their usual names as `read_table` finds them; a line of TREC qrels is ``query 0
        document label``.
    name : str, optional
        Name of the file in messages.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.

    Returns
    -------
    dict
        Query → document → label.

    Raises
    ------
    DataError
        With file, line and column of the first problem.

    Examples
    --------
    >>> read_judgements(b"rambo 0 7555 4\nrambo 0 1370 3\n")
    {'rambo': {'7555': 4, '1370': 3}}
    """
    file = source_name(source, name)
    found: Judgements = {}
    with opened(source, file, limits) as given:
        for error in faults(given, gain, found):
            raise error
    return found


def faults(source: Opened, gain: Gain, found: Judgements) -> Iterator[DataError]:
    """Read judgements into ``found``; give the first problem of each row that has one.

    Raises
    ------
    DataError
        Of a problem after which no row can be told.
    """
    file = source.name
    largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
    begin, whole = source.peek()
    if begin.startswith(PARQUET_MAGIC):
        problem, remedy = "These judgements are Parquet", "Give CSV or TREC qrels"
        raise DataError(problem, remedy, file, 1, 1)
    rows = _qrels if _is_qrels(begin) else _table
    n_rows = n_bytes = 0
    for row in rows(whole):
        n_rows += 1
        try:
            if isinstance(row, DataError):
                raise row
            query, document = _add(row, largest, file, found)
        except DataError as error:
            yield error
            continue
        n_bytes += getsizeof(document) + getsizeof(query)
        _check_room(n_rows, n_bytes, whole.limits, file, row[0])
    if not n_rows:
        problem, remedy = "There are no judgements", "Give a file with rows"
        raise DataError(problem, remedy, file, 1, 1)


Row = tuple[int, list[str], tuple[str | int, ...]]


def _add(row: Row, largest: float, file: str, found: Judgements) -> tuple[str, str]:
    """Add the judgement of a row; returns its query and document."""
    line, (query, document, label), columns = row
    if not (query and document):
        role = 1 if query else 0
        problem = f"The {ROLES[role]} is missing"
        remedy = "Name query and document of every judgement"
        raise DataError(problem, remedy, file, line, columns[role])
    grade = _grade(label, largest, file, line, columns[2])
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


def _is_qrels(begin: bytes) -> bool:
    """Whether a text begins as TREC qrels do, not with the header of a table."""
    line = QRELS_LINE.match(begin + b"\n")
    if line is None:
        return False
    first = line[1].decode("utf-8", "replace")
    if not isnan(number(first.split()[-1])):
        return True
    names = [cell.strip('"') for cell in first.split("\t")]
    return Columns({}, None, (), "").usual(names)["label"] is None


def _table(source: Opened) -> Iterator[Row | DataError]:
    """Yield line, cells and columns of query, document and label."""
    columns = Columns({}, None, (), source.name)
    for row in _csv.cells(source, columns, ROLES):
        yield row if isinstance(row, DataError) else (*row, ROLES)


def _qrels(source: Opened) -> Iterator[Row | DataError]:
    is_first = True
    for n_before, text in decoded_lines(source, "Give CSV or TREC qrels"):
        for line, row in enumerate(text.split("\n"), start=n_before + 1):
            words = row.split()
            if not words:
                continue
            is_header = is_first and isnan(number(words[-1]))
            is_first = False
            if is_header:
                yield DataError(
                    f"The label {shown(words[-1])!r} of these TREC qrels is not a "
                    "number",
                    "Write query, 0, document and label on each line, such as 1 0 A-1 "
                    "2, without a header; or give CSV with the columns query, document "
                    "and label",
                    source.name,
                    line,
                    len(words),
                )
            elif len(words) == QRELS_WORDS:
                yield line, [words[0], *words[2:]], (1, 3, 4)
            else:
                yield DataError(
                    f"The line has {len(words)} words, not {QRELS_WORDS}",
                    "Write query, 0, document and label, separated by blanks",
                    source.name,
                    line,
                    min(len(words), QRELS_WORDS) + 1,
                )


def _grade(label: str, largest: float, file: str, line: int, column: str | int) -> int:
    value = number(label)
    if value >= 0 and value == int(min(value, largest + 1)) and value <= largest:
        return int(value)
    high = value > largest
    raise DataError(
        f"The label {shown(label)!r} is "
        + (f"above {largest:g}" if high else "not a whole number from 0 up"),
        "Use grades such as 0 (irrelevant), 1 and 2, and leave documents out that "
        "are not judged",
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
