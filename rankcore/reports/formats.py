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

# Prefixes of the names of measure columns.
_MEASURED = ("train ", "valid ", "test ")


class TableFormat(NamedTuple):
    """A file format of tables.

    Attributes
    ----------
    ending, mime : str
        Suffix and media type of its files.
    write : callable
        ``write(table, caption)`` returns the content of a file. The table is a dict of
        columns, a frame, or rows as dictionaries.
    """

    title: str
    ending: str
    mime: str
    write: Callable[[Any, str], bytes]


def as_csv(table: Any, caption: str = "") -> bytes:
    """Return a header and one line per row, as in `rankcore.base.spreadsheets`."""
    return frame_csv(_frame(table)).encode()


def as_json(table: Any, caption: str = "") -> bytes:
    """Return one object per row, with null for missing and infinite numbers."""
    return json_text(_frame(table).to_dict("records")).encode()


def as_parquet(table: Any, caption: str = "") -> bytes:
    """Return typed columns; a column of mixed types holds text."""
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
    """Return `ReportTable.markdown`, with these words for models that rank nothing."""
    return ReportTable.of(in_words(table), caption).markdown().encode()


def as_latex(table: Any, caption: str = "") -> bytes:
    """Return `ReportTable.latex`, with these words for models that rank nothing."""
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
    """Return the format of a file's suffix, or CSV for an unknown one."""
    return FORMATS.get(PurePath(path).suffix.lower().lstrip("."), FORMATS["csv"])


def json_text(value: Any) -> str:
    """Return JSON with null for missing and infinite numbers."""
    return json.dumps(plain(value, digits=17), indent=1, ensure_ascii=False)


def in_words(table: Any) -> "pd.DataFrame":
    """Return a frame for display, with words for measures of models that rank nothing.

    Other formats keep the numbers and the column of models that rank.
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
