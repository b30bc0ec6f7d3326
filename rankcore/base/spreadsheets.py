"""CSV for spreadsheets, in which no text becomes a formula.

A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end is a formula to
a spreadsheet. It is written after an apostrophe, which marks text; `original` removes
the apostrophe. Numbers are unchanged.
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# This includes full-width forms, which some spreadsheets treat alike.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def safe(value: Any) -> Any:
    """Return a safe cell: text that would be a formula is preceded by an apostrophe."""
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    return value if _NUMBER.fullmatch(value) else f"'{value}"


def original(text: str) -> str:
    """Return the original text of a cell made by `safe`."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return a line for each row; numbers keep all bits."""
    return csv_of_safe(map(safe, row) for row in rows)


def csv_of_safe(rows: Iterable[Iterable[Any]]) -> str:
    """Return a line for each row, with texts made safe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def frame_csv(frame: "pd.DataFrame", index: bool = False, missing: str = "nan") -> str:
    """Return a header line, then a line for each row of a table, optionally with its
    index first, and ``missing`` for missing values; numbers keep all bits."""
    table = frame.reset_index() if index else frame.copy()
    table.columns = [safe(str(name)) for name in table.columns]
    for at, kind in enumerate(table.dtypes):
        if kind.kind == "O":
            table.isetitem(at, table.iloc[:, at].map(safe))
    return str(table.to_csv(index=False, na_rep=missing, lineterminator="\n"))
