"""Tables as files: CSV, JSON, Parquet, Markdown and LaTeX."""

import io
import json
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from rankcore.base.numbers import listed, plain
from rankcore.base.spreadsheets import frame_csv
from rankcore.reports.tables import ReportTable

if TYPE_CHECKING:
    import pandas as pd

# Prefix of the names of columns of measures.
_MEASURED = ("train ", "valid ", "test ")


class TableFormat(NamedTuple):
    """A format of tables.

    Attributes
    ----------
    ending, mime : str
        Of its files.
    write : callable
        ``write(table, caption)`` gives the content of a file. The table is columns by
        name, a frame, or rows as dictionaries.
    """

    title: str
    ending: str
    mime: str
    write: Callable[[Any, str], bytes]


def as_csv(table: Any, caption: str = "") -> bytes:
    """Return a line of names, then a line a row, as of `rankcore.base.spreadsheets`."""
    return frame_csv(_frame(table)).encode()


def as_json(table: Any, caption: str = "") -> bytes:
    """Return an object a row, in which a number that is missing or infinite is null."""
    return json_text(_frame(table).to_dict("records")).encode()


def as_parquet(table: Any, caption: str = "") -> bytes:
    """Columns with their types; one of values of several types holds texts."""
    frame, file = _frame(table), io.BytesIO()
    for name in frame.columns:
        column = frame[name]
        if (
            column.dtype == object
            and len({type(v) for v in column if v is not None}) > 1
        ):
            frame[name] = [None if value is None else str(value) for value in column]
    frame.to_parquet(file, index=False)
    return file.getvalue()


def as_markdown(table: Any, caption: str = "") -> bytes:
    """As `ReportTable.markdown`, of models that rank nothing with these words."""
    return ReportTable.of(in_words(table), caption).markdown().encode()


def as_latex(table: Any, caption: str = "") -> bytes:
    """As `ReportTable.latex`, of models that rank nothing with these words."""
    return ReportTable.of(in_words(table), caption).latex().encode()


FORMATS = {
    one.ending: one
    for one in (
        TableFormat("CSV", "csv", "text/csv", as_csv),
        TableFormat("JSON", "json", "application/json", as_json),
        TableFormat("Parquet", "parquet", "application/vnd.apache.parquet", as_parquet),
        TableFormat("Markdown", "md", "text/markdown", as_markdown),
        TableFormat("LaTeX", "tex", "application/x-tex", as_latex),
    )
}


def format_of(path: Any) -> TableFormat:
    """Return the format that a file's ending names; CSV where it names none."""
    return FORMATS.get(PurePath(path).suffix.lower().lstrip("."), FORMATS["csv"])


def json_text(value: Any) -> str:
    """JSON in which a number that is missing or infinite is null."""
    return json.dumps(plain(value, digits=17), indent=1, ensure_ascii=False)


def in_words(table: Any) -> "pd.DataFrame":
    """Return a frame for people: measures of models that rank nothing are these words.

    Other formats keep the numbers and the column that says which models rank.
    """
    frame = _frame(table)
    if frame.get("ranks") is None or frame["ranks"].dtype != bool:
        return frame
    ranks = frame.pop("ranks")
    for name in [name for name in frame if str(name).startswith(_MEASURED)]:
        if not ranks.all():
            frame[name] = [listed(*of) for of in zip(frame[name], ranks, strict=True)]
    return frame


def _frame(table: Any) -> "pd.DataFrame":
    """Return a copy of a frame."""
    import pandas as pd

    return pd.DataFrame(table).copy()
