"""Judgements of several raters: one label per document and rater."""

from collections.abc import Iterator
from contextlib import contextmanager
from sys import getsizeof
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import LARGEST_EXACT
from rankcore.base.errors import DataError
from rankcore.data import judgements
from rankcore.data.formats.parts.cells import MISSING, number, shown
from rankcore.data.formats.parts.columns import Columns
from rankcore.data.formats.parts.labels import Labels
from rankcore.data.formats.parts.source import (
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)
from rankcore.data.formats.parts.table import TableReader, table_of

ROLES = ("query", "document", "rater", "label")
NAMES = {
    **judgements.NAMES,
    "rater": (
        *("rater", "rater_id", "judge", "judge_id", "assessor", "annotator"),
        *("annotator_id", "worker", "worker_id", "workerid", "user", "user_id"),
    ),
}
CHOICES = {"rater": ", or name it with rater=… (on the command line --rater)"}
MOST_GRADES = 64


class Ratings(NamedTuple):
    """Labels of documents by raters.

    Attributes
    ----------
    documents : list of (str, str)
        Query and document of each item.
    item, rater : (n,) int64
        Item and rater of each rating, counted from 0.
    label : (n,) float64
    """

    documents: list[tuple[str, str]]
    raters: list[str]
    item: np.ndarray
    rater: np.ndarray
    label: np.ndarray

    def of_two(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return two raters' labels of the items that both rated; None unless there are
        two raters."""
        if len(self.raters) != 2:
            return None
        table = np.full((len(self.documents), 2), np.nan)
        table[self.item, self.rater] = self.label
        both = table[np.isfinite(table).all(axis=1)]
        return both[:, 0], both[:, 1]


def read_ratings(
    source: Source,
    *,
    name: str | None = None,
    rater: str | None = None,
    labels: str | None = None,
    limits: Limits | None = None,
) -> Ratings:
    r"""Read CSV or Parquet with columns of query, document, rater and label.

    Parameters
    ----------
    source, name, labels, limits
        As for `rankcore.data.judgements.read_judgements`, with the same errors; a blank
        label means that the rater did not judge the document.
    rater : str, optional
        The column of raters; by default one with a usual name, such as ``judge``.

    Examples
    --------
    >>> ratings = read_ratings(b"query,document,judge,label\n1,P1,Ann,2\n1,P1,Bob,1\n")
    >>> ratings.documents, ratings.raters, ratings.label.tolist()
    ([('1', 'P1')], ['Ann', 'Bob'], [2.0, 1.0])
    """
    file = source_name(source, name)
    names = NAMES if rater is None else NAMES | {"rater": (rater,)}
    columns = Columns(file, names=names, choices=CHOICES)
    grades = Labels(labels) if labels else None
    items: dict[tuple[str, str], int] = {}
    raters: dict[str, int] = {}
    grade_of: dict[tuple[int, int], float] = {}
    n_rows = size = 0
    with opened(source, file, limits) as table, _reporting(table, columns) as reader:
        for row in reader.cells(ROLES):
            if isinstance(row, DataError):
                raise row
            line, cells = row
            n_rows += 1
            table.check_room(n_rows, 0, line, "judgements")
            words = ("" if cell is None else str(cell).strip() for cell in cells)
            query, document, person, text = words
            if str(text if grades is None else grades(text)).lower() in MISSING:
                continue
            for role, cell in zip(ROLES, (query, document, person), strict=False):
                if not cell:
                    remedy = "Give the query, document and rater of every judgement"
                    raise DataError(f"The {role} is missing", remedy, file, line, role)
            grade = _grade(text, grades, file, line)
            if (query, document) not in items or person not in raters:
                size += sum(map(getsizeof, (query, document, person)))
                table.check_room(0, size, line)
            place = (
                items.setdefault((query, document), len(items)),
                raters.setdefault(person, len(raters)),
            )
            if grade_of.setdefault(place, grade) != grade:
                problem = f"{shown(person)!r} has judged {shown(document)!r} before"
                remedy = "Keep one of the two judgements"
                raise DataError(problem, remedy, file, line, "label")
    if not grade_of:
        raise DataError("There are no judgements", "Give a file with rows", file, 1, 1)
    label = np.array(list(grade_of.values()))
    if len(np.unique(label)) > MOST_GRADES:
        problem = f"There are more than {MOST_GRADES} different labels"
        raise DataError(problem, "Use grades such as 0 (irrelevant), 1 and 2", file)
    item, who = np.array(list(grade_of), dtype=np.int64).T
    return Ratings(list(items), list(raters), item, who, label)


@contextmanager
def _reporting(source: Opened, columns: Columns) -> Iterator[TableReader]:
    """Open a table; its errors become `DataError`."""
    kind, whole = table_of(source)
    with kind.reporting(columns):
        yield kind.reader(whole, columns)


def _grade(text: str, grades: Labels | None, file: str, line: int) -> float:
    value = float(number(text) if grades is None else grades(text))
    if not 0.0 <= value <= LARGEST_EXACT or value != int(value):
        problem = f"The label {shown(text)!r} is not a whole number from 0 up"
        remedy = "Use grades such as 0 (irrelevant), 1 and 2; or give --labels"
        raise DataError(problem, remedy, file, line, "label")
    return value
