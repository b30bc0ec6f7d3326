"""CSV that spreadsheets open: no text in it becomes a formula.

A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end is a formula to
a spreadsheet, from any source. It stands behind an apostrophe, which these take
for the mark of a text; `original` leaves it out again. Numbers stay as they are.
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Also their wide forms, which some spreadsheets take for the same.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def safe(value: Any) -> Any:
    """Return a cell as a spreadsheet shows it: a text that would be a formula behind an
    apostrophe."""
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    return value if _NUMBER.fullmatch(value) else f"'{value}"


def original(text: str) -> str:
    """Return the text that `safe` has made of it."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return a line for each row; numbers read back to the bit."""
    return csv_of_safe(map(safe, row) for row in rows)


def csv_of_safe(rows: Iterable[Iterable[Any]]) -> str:
    """Return a line for each row, whose texts `safe` has made."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def frame_csv(frame: "pd.DataFrame", index: bool = False, missing: str = "nan") -> str:
    """Return a line of names, then a line for each row of a table, its index in front
    on request, ``missing`` where there is no value; numbers read back to the bit."""
    table = frame.reset_index() if index else frame.copy()
    table.columns = [safe(str(name)) for name in table.columns]
    for at, kind in enumerate(table.dtypes):
        if kind.kind == "O":
            table.isetitem(at, table.iloc[:, at].map(safe))
    return str(table.to_csv(index=False, na_rep=missing, lineterminator="\n"))
