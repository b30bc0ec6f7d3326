"""Weights of queries, in a file beside the data."""

from collections.abc import Mapping
from pathlib import Path
from sys import getsizeof
from typing import Any

from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.source import (
    LESS,
    Limits,
    Source,
    opened,
    source_name,
)
from rankcore.data.formats.parts.text import numbered_lines

_BLANKS = str.maketrans(",;", "  ")
_REMEDY = "Write a query and its weight, above zero, in each line"


# The name of a column, a file, or numbers by query id. What a visitor writes is a name
# and never opens a file.
Weights = str | Path | Mapping[str, float]


def weights_column(weights: Weights | None) -> str | None:
    """Return the column that holds weights; None where a file or a mapping does."""
    return weights if isinstance(weights, str) else None


def grouped(options: Mapping[str, Any], weights: Weights | None) -> dict[str, Any]:
    """Return options of a reader that keep the column of the weights, if it is one."""
    column = weights_column(weights)
    if column is None:
        return dict(options)
    return {**options, "group": [*options.get("group", ()), column]}


def weighted(data: RankingDataset, weights: Weights, name: str = "") -> RankingDataset:
    """Return data with the weights of its queries.

    Parameters
    ----------
    data : RankingDataset
        Its `query_groups` hold the column, where the weights are one.
    weights : str, path or dict
    name : str
        What a dict of weights is called.

    Raises
    ------
    DataError
        If there is no such column, or a query has no weight above 0.
    """
    if isinstance(weights, str):
        return data.weighted_by(weights)
    if isinstance(weights, Mapping):
        return data.with_query_weights(weights, name)
    return data.with_query_weights(read_query_weights(weights), weights.name)


def read_query_weights(
    source: Source, name: str | None = None, limits: Limits | None = None
) -> dict[str, float]:
    r"""Read the weight of each query, a query and a number in each line.

    Comma, semicolon, tab or space separates them.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        What to call the file in messages.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.

    Returns
    -------
    dict of str to float
        By query id, for `RankingDataset.with_query_weights`.

    Raises
    ------
    DataError
        With the line of the first that has no weight above zero, or a query again.

    Examples
    --------
    >>> read_query_weights(b"mug,2\nblue cup,0.5\n")
    {'mug': 2.0, 'blue cup': 0.5}
    """
    file, weights, size = source_name(source, name), dict[str, float](), 0
    with opened(source, file, limits) as given:
        for line, text in numbered_lines(given, _REMEDY):
            if not text.strip():
                continue
            stripped = text.strip()
            parts = stripped.translate(_BLANKS).rsplit(None, 1)
            ends = len(parts) == 2 and stripped.endswith(parts[1])
            if not ends or not 0.0 < number(parts[1]) < float("inf"):
                problem = f"{shown(stripped)!r} is no query with a weight"
                raise DataError(problem, _REMEDY, file, line)
            query = stripped[: len(parts[0])].strip('"')
            if query in weights:
                problem = f"The query {shown(query)!r} has a weight already"
                raise DataError(problem, "Give each query one weight", file, line)
            weights[query] = number(parts[1])
            if len(weights) > given.limits.rows:
                problem = f"There are more than {given.limits.rows} queries"
                raise DataError(problem, LESS, file)
            size += getsizeof(query)
            if size > given.limits.text:
                raise DataError(*given.limits.too_much_text(), file, line)
    return weights
