"""Tables, CSV, Parquet or DataFrame: one row a document, one column a feature."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rankcore.base.errors import DataError
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.readers import _csv, _frame, _parquet
from rankcore.data.readers._columns import Columns, Header, Missing
from rankcore.data.readers._faults import without
from rankcore.data.readers._labels import Labels
from rankcore.data.readers._repairs import Duplicates, Repairs, Unjudged
from rankcore.data.readers._source import (
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
    group: Sequence[str] = (),
    score: Sequence[str] = (),
    ignore: Sequence[str] = (),
    features: Sequence[str] | None = None,
    header: Header | None = None,
    missing: Missing | None = None,
    unjudged: Unjudged | None = None,
    duplicates: Duplicates | None = None,
    labels: str | None = None,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Collection[int] = (),
) -> RankingDataset:
    r"""Read a table with a label and a query column; the others are features.

    Parameters
    ----------
    source : path, bytes, binary file or DataFrame
        CSV in UTF-8 with a header line (separated by comma, semicolon, tab or bar;
        plain or compressed by gzip) or Parquet. Where no comma separates, numbers may
        have decimal commas.
    label, query, document : str, optional
        Columns with the relevance grade, the query id and the document id. By default
        the first column with a usual name, such as ``label``, ``qid`` and ``docid``,
        whatever its case. A document column may be missing; ``""`` says that it is.
    text, query_text : str, optional
        Columns with a text of the document, such as its title, and with the words of
        the query, the same in all rows of a query. By default ``document_text`` and
        ``query_text``, if there are such columns; ``""`` says that there is none.
    group : sequence of str
        Columns with a word for each query, such as head and tail, the same in all rows
        of a query; see `RankingDataset.query_groups`.
    score : sequence of str
        Columns with scores of models in use, to compare a new model with; they are no
        features. See `RankingDataset.doc_scores`.
    ignore : sequence of str
        Columns to leave out.
    features : sequence of str, optional
        Feature columns; by default all other columns. Each holds numbers.
    header : sequence of str or "none", optional
        The names of the columns of CSV without a header line; "none" calls them c1, c2,
        …, of which by default the first two are label and query.
    missing : {"median", "zero", "rows"}, optional
        What a feature counts as where its cell is empty or holds a word such as NA: the
        median of its other values in the file, or 0; ``rows`` leaves these rows out. By
        default they are refused.
    unjudged : {"irrelevant", "drop"}, optional
        What rows without a label count as: the label 0, of which `judged` then tells,
        or nothing, for they are left out. By default they are refused.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        What is done about several rows of a document, or without document ids of the
        same features: one of each stays if their labels are the same. Where they
        differ, ``merge`` refuses the file if it has document ids, ``highest``,
        ``median`` and ``lowest`` keep the first row with this label, and ``drop`` none.
        By default they are refused, or kept if there are no document ids.
    labels : str, optional
        The grades of labels that are none: ``"0.3,0.6"`` gives grade 1 from 0.3 and 2
        from 0.6 on, ``"bad=0,good=2"`` grades to words.
    name : str, optional
        Name of the data, also in messages; by default the file's name.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.
    skip_lines : collection of int
        Lines of CSV to pass over, from 1; the data's name says how many.

    Returns
    -------
    RankingDataset

    Raises
    ------
    DataError
        With file, line (for Parquet and DataFrame: the row, from 1) and column name
        of the first problem.

    Warns
    -----
    DataWarning
        How many values of features were missing, how many rows are left out, and that
        labels were negative or numbers had decimal commas.

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
    columns = Columns(
        *(roles, features, ignore, file, group, score),
        header=header,
        missing=missing,
        repairs=Repairs(unjudged, duplicates),
        labels=Labels(labels) if labels else None,
    )
    if hasattr(source, "columns"):
        if skip_lines:
            problem, remedy = "A DataFrame has no lines", "Drop these rows of it"
            raise DataError(problem, remedy, file)
        data = _frame.read(source, columns, gain, limits or LARGE_FILE)
        columns.warn_of_filled()
        return data
    with opened(source, file, limits, skip_lines) as given:
        begin, whole = given.peek()
        kind = _parquet if begin.startswith(PARQUET_MAGIC) else _csv
        data = kind.read(whole, columns, gain)
        columns.warn_of_filled()
        return without(data, given.skip)
