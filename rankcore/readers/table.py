"""Tables, CSV, Parquet or DataFrame: one row a document, one column a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankcore.dataset import Gain, RankingDataset
from rankcore.readers import _csv, _frame, _parquet
from rankcore.readers._columns import Columns
from rankcore.readers._source import (
    LARGE_FILE,
    PARQUET_MAGIC,
    Limits,
    Source,
    opened,
    source_name,
)

if TYPE_CHECKING:
    import pandas as pd


def read_table(
    source: Source | pd.DataFrame,
    label: str | None = None,
    query: str | None = None,
    document: str | None = None,
    *,
    text: str | None = None,
    query_text: str | None = None,
    ignore: Sequence[str] = (),
    features: Sequence[str] | None = None,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
) -> RankingDataset:
    r"""Read a table with a label and a query column; the others are features.

    Parameters
    ----------
    source : path, bytes, binary file or DataFrame
        CSV in UTF-8 with a header line (separated by comma, semicolon, tab or bar;
        plain or compressed by gzip) or Parquet.
    label, query, document : str, optional
        Columns with the relevance grade, the query id and the document id. By default
        the first column with a usual name, such as ``label``, ``qid`` and ``docid``,
        whatever its case. A document column may be missing.
    text, query_text : str, optional
        Columns with a text of the document, such as its title, and with the words of
        the query, the same in all rows of a query. By default ``document_text`` and
        ``query_text``, if there are such columns.
    ignore : sequence of str
        Columns to leave out.
    features : sequence of str, optional
        Feature columns; by default all other columns. Each holds numbers.
    name : str, optional
        Name of the data, also in messages; by default the file's name.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.

    Returns
    -------
    RankingDataset

    Raises
    ------
    DataError
        With file, line (for Parquet and DataFrame: the row, from 1) and column name
        of the first problem.

    Examples
    --------
    >>> shop = b"sku,search,stars,note,price\nA-1,mug,1,new,9.5\nA-2,mug,0,,12\n"
    >>> data = read_table(
    ...     shop, label="stars", query="search", document="sku", ignore=["note"]
    ... )
    >>> data.doc_ids, data.feature_names
    (('A-1', 'A-2'), ('price',))
    """
    file = source_name(source, name)
    roles = {
        "label": label,
        "query": query,
        "document": document,
        "text": text,
        "query_text": query_text,
    }
    columns = Columns(roles, features, ignore, file)
    if hasattr(source, "columns"):
        return _frame.read(source, columns, gain, limits or LARGE_FILE)
    with opened(source, file, limits) as given:
        begin, whole = given.peek()
        kind = _parquet if begin.startswith(PARQUET_MAGIC) else _csv
        return kind.read(whole, columns, gain)


def detect_columns(
    source: Source, name: str | None = None, limits: Limits | None = None
) -> dict[str, str | None]:
    r"""Tell which columns `read_table` takes by their names, without reading rows.

    Parameters
    ----------
    source : path, bytes or binary file
        CSV or Parquet, as for `read_table`.
    name : str, optional
        What to call the file in messages.
    limits : Limits, optional
        As for `read_table`.

    Returns
    -------
    dict
        ``label``, ``query``, ``document``, ``text`` and ``query_text`` → the column,
        None where no column has a usual name.

    Raises
    ------
    DataError
        If the file holds no table.

    Examples
    --------
    >>> found = detect_columns(b"Grade,topic,f1\n2,a,0.5\n")
    >>> found["label"], found["query"], found["document"]
    ('Grade', 'topic', None)
    """
    file = source_name(source, name)
    columns = Columns({}, None, (), file)
    with opened(source, file, limits) as given:
        begin, whole = given.peek()
        kind = _parquet if begin.startswith(PARQUET_MAGIC) else _csv
        return columns.usual(kind.names(whole, columns))
