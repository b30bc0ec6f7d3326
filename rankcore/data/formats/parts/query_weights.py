"""Weights of queries, in a file beside the data."""

from rankcore.base.errors import DataError
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.source import LESS, Source, opened, source_name
from rankcore.data.formats.parts.text import numbered_lines

_BLANKS = str.maketrans(",;", "  ")
_REMEDY = "Write a query and its weight, above zero, in each line"


def read_query_weights(source: Source) -> dict[str, float]:
    r"""Read the weight of each query, a query and a number in each line.

    Comma, semicolon, tab or space separates them.

    Parameters
    ----------
    source : path, bytes or binary file

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
    file, weights = source_name(source), dict[str, float]()
    with opened(source, file, None) as given:
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
    return weights
