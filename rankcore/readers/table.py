"""Tables, CSV, Parquet or DataFrame: one row a document, one column a feature."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore._arrays import LARGEST_EXACT, Floats, Integers, aligned, owned
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset
from rankcore.errors import DataError
from rankcore.readers._columns import Columns
from rankcore.readers._source import (
    DEFAULT_LIMITS,
    PARQUET_MAGIC,
    Limits,
    Source,
    read_bytes,
    source_name,
    stem,
)

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
SHOWN = 40


def read_table(
    source: Source | pd.DataFrame,
    label: str | None = None,
    query: str | None = None,
    document: str | None = None,
    *,
    features: Sequence[str] | None = None,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits = DEFAULT_LIMITS,
) -> RankingDataset:
    """Read a table with a label and a query column; the others are features.

    Parameters
    ----------
    source : path, bytes, binary file or DataFrame
        CSV with a header line (separated by comma, semicolon, tab or bar; plain or
        compressed by gzip) or Parquet.
    label, query, document : str, optional
        Columns with the relevance grade, the query id and the document id. By default
        the first column with a usual name, such as ``label``, ``qid`` and ``docid``,
        whatever its case. A document column may be missing.
    features : sequence of str, optional
        Feature columns; by default all other columns.
    name : str, optional
        What to call the data, in messages too; by default the file's name.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits
        Largest sizes accepted.

    Returns
    -------
    RankingDataset

    Raises
    ------
    DataError
        With file, line (for Parquet and DataFrame: the row, from 1) and column name
        of the first problem.
    """
    file = source_name(source, name)
    columns = Columns(label, query, document, features, file)
    if hasattr(source, "columns"):
        return _dataset(source, columns, gain, limits)
    content = read_bytes(source, file, limits)
    if content.startswith(PARQUET_MAGIC):
        return _dataset(_parquet(content, columns, limits), columns, gain, limits)
    text = _decoded(content, file)
    return _dataset(_csv(text, columns, limits), columns, gain, limits)


def _decoded(content: bytes, file: str) -> str:
    """Decode CSV, without the blank lines at its end."""
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        problem = "The file holds bytes that are not text"
        raise DataError(problem, "Give CSV or Parquet", file, line, 1)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    text = text.rstrip("\r\n")
    if not text.strip():
        raise DataError("There are no rows", "Give a file with rows", file, 1, 1)
    return text


def _csv(text: str, columns: Columns, limits: Limits) -> pd.DataFrame:
    """Parse CSV; the frame's index holds the line each row begins on."""
    import pandas as pd

    header_line = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=header_line.count)
    header = [cell.strip() for cell in _cells(header_line, separator, columns)]
    if all(_number(cell) == _number(cell) for cell in header):
        remedy = "Name the columns in the first line, as in label,query,f1,f2"
        raise columns.error("There is no line with the columns' names", remedy, 1)
    columns.find(header)
    _check_size(text.count("\n"), len(header), columns, limits)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.StringIO(text),
                sep=separator,
                header=0,
                names=header,
                index_col=False,
                dtype=dict.fromkeys(columns.identifiers, str),
                keep_default_na=False,
                skip_blank_lines=False,
                skipinitialspace=True,
                **_exact_floats(pd.__version__),
                low_memory=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise columns.error(
            "The rows do not have the same number of cells",
            f"Give each line {len(header)} cells, and close all quotation marks",
            _uneven_line(text, separator, len(header)),
        ) from error
    columns.line_of = lambda row: _line_of_row(text, separator, row)
    return frame


def _exact_floats(version: str) -> dict[str, str]:
    """Return the option for exact numbers, which pandas 3.1 made the only way."""
    release = tuple(int(part) for part in version.split(".")[:2])
    return {"float_precision": "round_trip"} if release < (3, 1) else {}


def _cells(line: str, separator: str, columns: Columns) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error as error:
        problem = f"The column names cannot be read ({error})"
        raise columns.error(problem, "Give CSV or Parquet", 1) from error


def _uneven_line(text: str, separator: str, n_cells: int) -> int:
    """Find the first line with too many cells; the last line if there is none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if len(cells) > n_cells:
                break
    except csv.Error:
        pass
    return reader.line_num


def _line_of_row(text: str, separator: str, row: int) -> int:
    """Find the line a row begins on; a cell in quotation marks may span lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for _ in range(row + 1):
            next(reader)
    except csv.Error:
        return row + 2
    return reader.line_num + 1


def _parquet(content: bytes, columns: Columns, limits: Limits) -> pd.DataFrame:
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        _check_size(file.metadata.num_rows, file.metadata.num_columns, columns, limits)
        table = file.read()
        table.validate(full=True)
        return table.to_pandas()
    except DataError:
        raise
    except Exception as error:  # a damaged file raises errors of many kinds
        raise columns.error(
            f"The Parquet data is damaged ({error})", "Write the file again", 1
        ) from error


def _check_size(n_rows: int, n_columns: int, columns: Columns, limits: Limits) -> None:
    remedy = "Use fewer queries or features, or raise the limit"
    if n_rows > limits.rows:
        problem = f"There are more than {limits.rows} rows"
        raise columns.error(problem, remedy, limits.rows + 1)
    if n_columns > limits.features or n_rows * n_columns > limits.cells:
        problem = f"{n_rows} rows of {n_columns} columns are too many"
        raise columns.error(problem, remedy, 1)


def _dataset(
    frame: pd.DataFrame, columns: Columns, gain: Gain, limits: Limits
) -> RankingDataset:
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    columns.find(frame.columns)
    _check_size(len(frame), len(frame.columns), columns, limits)
    if len(frame) == 0:
        raise columns.error("There are no rows", "Give a table with rows", 1)
    X = aligned((len(frame), len(columns.features)))
    for j, feature in enumerate(columns.features):
        X[:, j] = _numbers(frame[feature], columns)
    labels = _labels(frame[columns.label], columns, gain)
    queries = _identifiers(frame[columns.query])
    if "" in queries:
        row = queries.index("")
        raise columns.error(
            "The query id is missing",
            "Give every row a query id",
            columns.line_of(row),
            columns.query,
        )
    documents = None
    if columns.document is not None:
        documents = _identifiers(frame[columns.document])
    try:
        return RankingDataset.from_arrays(
            owned(X),
            labels,
            queries,
            doc_ids=documents,
            feature_names=columns.features,
            name=stem(columns.file),
        )
    except DataError as error:
        line = columns.line_of((error.line or 1) - 1)
        raise columns.error(
            error.problem, error.remedy, line, columns.document
        ) from error


def _labels(column: pd.Series, columns: Columns, gain: Gain) -> Integers:
    labels = _numbers(column, columns)
    largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
    whole = (labels >= 0) & (np.floor(labels) == labels)
    wrong = np.flatnonzero(~whole | (labels > largest))
    if len(wrong):
        row = int(wrong[0])
        raise columns.error(
            f"The label {labels[row]:g} is "
            + (f"above {largest:g}" if whole[row] else "not a whole number from 0 up"),
            "Use grades such as 0 (irrelevant), 1 and 2"
            + ", or read the table for the linear gain" * bool(whole[row]),
            columns.line_of(row),
            str(column.name),
        )
    return labels.astype(np.int64)


def _numbers(column: pd.Series, columns: Columns) -> Floats:
    """Convert a column to finite float64."""
    if column.dtype.kind in "iufb":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.array([_number(value) for value in column.tolist()])
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        row = int(wrong[0])
        cell = column.iloc[row]
        raise columns.error(
            f"The value {str(cell)[:SHOWN]!r} is not a finite number",
            "Give every row a number, 0 where the feature is missing",
            columns.line_of(row),
            str(column.name),
        )
    return values


def _number(value: Any) -> float:
    """Convert a cell; what is not a number becomes NaN."""
    if isinstance(value, str) and "_" in value:
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _identifiers(column: pd.Series) -> list[str]:
    """Convert a column to strings; whole numbers lose their ``.0``."""
    values = column.to_numpy(dtype=object, na_value="")
    return [
        str(int(v)) if isinstance(v, float) and v.is_integer() else str(v)
        for v in values
    ]
