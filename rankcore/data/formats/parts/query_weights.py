"""Weights of queries and documents, from a column or a separate file."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from sys import getsizeof
from typing import Any, Final

from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.source import LESS, Limits, Source, opened
from rankcore.data.formats.parts.text import numbered_lines

_BLANKS = str.maketrans(",;", "  ")

# The name of a column, a path, or numbers by query id. Visitors' text is only ever a
# column name, and never opens a file.
Weights = str | Path | Mapping[str, float]
# The same with numbers by query id and document id.
DocumentWeights = str | Path | Mapping[tuple[str, str], float]
# The role with which a table keeps a column of such weights.
QUERY_ROLE: Final = "group"
DOCUMENT_ROLE: Final = "score"


def weights_column(weights: Weights | DocumentWeights | None) -> str | None:
    """Return the column that holds weights; None if a file or mapping does."""
    return weights if isinstance(weights, str) else None


def with_columns(
    options: Mapping[str, Any],
    weights: Weights | None,
    document_weights: DocumentWeights | None = None,
) -> dict[str, Any]:
    """Return reader options that also keep the columns of weights, if any."""
    reader_options = dict(options)
    for role, of in ((QUERY_ROLE, weights), (DOCUMENT_ROLE, document_weights)):
        if (column := weights_column(of)) is not None:
            reader_options[role] = [*(reader_options.get(role) or ()), column]
    return reader_options


def weighted(
    data: RankingDataset,
    weights: Weights | None,
    document_weights: DocumentWeights | None = None,
    name: str = "",
) -> RankingDataset:
    """Return data with the weights of its queries and documents.

    Parameters
    ----------
    data : RankingDataset
        Data whose `query_groups` and `doc_scores` hold weights given as a column.
    weights, document_weights : str, path or dict, optional
    name : str
        Name of weights given as a dict.

    Raises
    ------
    DataError
        If the column does not exist, a query has no weight above 0, or a document has
        none.
    """
    if isinstance(weights, Path):
        name, weights = weights.name, read_query_weights(weights)
    if isinstance(weights, str):
        data = data.weighted_by(weights)
    elif weights is not None:
        data = data.with_query_weights(weights, name)
    if isinstance(document_weights, Path):
        document_weights = read_document_weights(document_weights)
    if isinstance(document_weights, str):
        return data.document_weighted_by(document_weights)
    if document_weights is None:
        return data
    return data.with_document_weights(document_weights)


def read_query_weights(
    source: Source, name: str | None = None, limits: Limits | None = None
) -> dict[str, float]:
    r"""Read query weights: a query and a number in each line.

    They are separated by comma, semicolon, tab or space.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Name of the file in messages.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.

    Returns
    -------
    dict of str to float
        Weights by query id, for `RankingDataset.with_query_weights`.

    Raises
    ------
    DataError
        With the first line that has no weight above zero, or repeats a query.

    Examples
    --------
    >>> read_query_weights(b"mug,2\nblue cup,0.5\n")
    {'mug': 2.0, 'blue cup': 0.5}
    """
    return _read(source, name, limits, of_documents=False)


def read_document_weights(
    source: Source, name: str | None = None, limits: Limits | None = None
) -> dict[tuple[str, str], float]:
    r"""Read document weights: a query, a document and a number in each line.

    They are separated by comma, semicolon, tab or space.

    Parameters
    ----------
    source, name, limits
        As for `read_query_weights`.

    Returns
    -------
    dict of (str, str) to float
        Weights by query id and document id, for `RankingDataset.with_document_weights`.

    Raises
    ------
    DataError
        With the first line that has no weight of at least zero, or repeats a document.

    Examples
    --------
    >>> read_document_weights(b"mug,A-1,2\nblue cup,B-7,0\n")
    {('mug', 'A-1'): 2.0, ('blue cup', 'B-7'): 0.0}
    """
    return _read(source, name, limits, of_documents=True)


def _read(
    source: Source, name: str | None, limits: Limits | None, of_documents: bool
) -> dict[Any, float]:
    """Return the weight of each line, by query, or by query and document."""
    which, least = ("document", "of at least") if of_documents else ("query", "above")
    of = "a query, a document" if of_documents else "a query"
    remedy = f"Write {of} and its weight, {least} zero, in each line"
    weights, size = dict[Any, float](), 0
    with opened(source, name, limits) as opened_source:
        file = opened_source.name
        for line, text in numbered_lines(opened_source, remedy):
            if not (stripped := text.strip()):
                continue
            *cells, last = _parts(stripped, 1 + of_documents)
            words, weight = [cell.strip('"') for cell in cells], number(last)
            fits = len(words) == 1 + of_documents and all(words) and isfinite(weight)
            if not fits or weight < 0.0 or not (weight or of_documents):
                problem = f"{shown(stripped)!r} is not a {which} with a weight"
                raise DataError(problem, remedy, file, line)
            key = tuple(words) if of_documents else words[0]
            if key in weights:
                problem = f"The {which} {shown(words[-1])!r} already has a weight"
                raise DataError(problem, f"Give each {which} one weight", file, line)
            weights[key] = weight
            if len(weights) > opened_source.limits.rows:
                problem = f"There are more than {opened_source.limits.rows} lines"
                raise DataError(problem, LESS, file)
            size += sum(map(getsizeof, words))
            if size > opened_source.limits.text:
                raise DataError(*opened_source.limits.too_much_text(), file, line)
    return weights


def _parts(line: str, n: int) -> list[str]:
    """Return the rest of a line followed by its last ``n`` cells."""
    for separator in "\t;,":
        cells = line.rsplit(separator, n)
        if len(cells) > n and isfinite(number(cells[-1])):
            return [cell.strip() for cell in cells]
    *rest, last = line.translate(_BLANKS).rsplit(None, n) or [""]
    # Separators within the rest are unchanged.
    return [line[: len(rest[0])], *rest[1:], last] if rest else [last]
