"""Trial changes of a query's documents as text: feature values and labels.

``planted/train/5?3.12=0.7&3.y=2`` sets, for the third document of the fifth training
query of the planted data, the twelfth feature to 0.7 and the label to 2. Links hold
such texts; for another query the changes are ignored.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from rankcore.base.arrays import frozen
from rankcore.base.numbers import label_text, quoted, read_number
from rankcore.data.dataset import MAX_EXPONENTIAL_LABEL, Query

MOST = 40
LABEL = "y"


class DocumentEdit(NamedTuple):
    """A change of one document.

    Attributes
    ----------
    row : int
        The document's place in the query, from 0.
    column : int or None
        The feature, from 0; None: the label.
    value : float
        The new value; a label is a whole number from 0 to 31.
    """

    row: int
    column: int | None
    value: float


def read(text: str, place: str) -> tuple[DocumentEdit, ...]:
    """Return the changes in a text for the query at that place; at most `MOST`.

    Invalid parts, such as a document without a number, are left out.
    """
    where, _, changes = text.partition("?")
    if where != place:
        return ()
    edits = (_edit(key, value) for key, value in parse_qsl(changes))
    return tuple(edit for edit in edits if edit is not None)[:MOST]


def fault(text: str, values: object = None) -> str | None:
    """Return a sentence on the first invalid change of a text."""
    place, _, changes = text.partition("?")
    pairs = parse_qsl(changes, keep_blank_values=True)
    wrong = [f"{key}={value}" for key, value in pairs if _edit(key, value) is None]
    if wrong:
        return f"{quoted(wrong[0])} is not a change such as 3.12=0.7 and 3.y=2"
    return None if pairs and place.count("/") >= 3 else f"{quoted(text)} has no change"


def write(place: str, edits: Iterable[DocumentEdit]) -> str:
    """Return the text that `read` reads back; empty without changes."""
    pairs = [
        (
            f"{e.row + 1}.{LABEL if e.column is None else e.column + 1}",
            f"{e.value:.10g}",
        )
        for e in edits
    ]
    return f"{place}?{urlencode(pairs[-MOST:])}" if pairs else ""


def with_edit(text: str, place: str, query: Query, edit: DocumentEdit) -> str:
    """Return the text with one more change, which replaces earlier ones of the same
    value.

    A change back to the query's own value is left out.
    """
    others = [e for e in read(text, place) if e[:2] != edit[:2]]
    row, column, value = edit
    before = query.y[row] if column is None else query.X[row, column]
    return write(place, others if float(before) == value else [*others, edit])


def fixed_label(label: float) -> str:
    """Return the sentence that replaces a control if labels are fractions."""
    text = label_text(label)
    return f"Label {text}. Labels cannot be changed here, because some are fractions."


def applied(query: Query, edits: Iterable[DocumentEdit]) -> Query:
    """Return the query with changed documents, without changes that do not fit it.

    Parameters
    ----------
    query : Query
        Not modified.
    """
    changes = tuple(edits)
    if not changes:
        return query
    X, y = query.X.copy(), query.y.copy()
    for row, column, value in changes:
        if row < len(y) and column is None:
            y[row] = int(value)
        elif row < len(y) and column is not None and column < X.shape[1]:
            X[row, column] = value
    return replace(query, X=frozen(X), y=frozen(y))


def _edit(key: str, text: str) -> DocumentEdit | None:
    row, _, column = key.partition(".")
    is_label = column == LABEL
    try:
        place = read_number(row, whole=True) - 1
        feature = None if is_label else int(read_number(column, whole=True)) - 1
        value = read_number(text, whole=is_label)
    except ValueError:
        return None
    if place < 0 or (feature is not None and feature < 0):
        return None
    if is_label and not 0 <= value <= MAX_EXPONENTIAL_LABEL:
        return None
    return DocumentEdit(int(place), feature, float(value))
