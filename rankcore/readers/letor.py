"""LETOR and SVMlight text: ``label qid:Q 1:v 2:v … # comment``, one document a line."""

from collections.abc import Iterable

from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset, default_names
from rankcore.errors import DataError
from rankcore.readers._row_parser import RowParser
from rankcore.readers._source import (
    DEFAULT_LIMITS,
    Limits,
    Source,
    expected_size,
    read_blocks,
    source_name,
    stem,
)

LARGEST_LABEL = 2**53


def read_letor(
    source: Source,
    *,
    name: str | None = None,
    n_features: int | None = None,
    feature_names: Iterable[str] | None = None,
    gain: Gain = "exponential",
    limits: Limits = DEFAULT_LIMITS,
) -> RankingDataset:
    """Read LETOR text, plain or compressed by gzip.

    Rows of a query need not be adjacent, query ids need not be numbers, and absent
    features are zero. The word after ``#docid =`` in a comment is the document's id,
    any other comment is one as a whole, and documents without are named d1, d2, … by
    their place in the query.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        What to call the data, in messages too; by default the file's name.
    n_features : int, optional
        Number of features, so that training and test data agree; by default the
        largest feature number that occurs.
    feature_names : iterable of str, optional
        By default f1, f2, ….
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
        With file, line and column of the first problem.
    """
    file = source_name(source, name)
    names = tuple(feature_names or ())
    max_label = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_LABEL
    parser = RowParser(file, limits, n_features or len(names), max_label)
    parsed = parser.parse(read_blocks(source, file, limits), expected_size(source))
    try:
        return RankingDataset.from_codes(
            parsed.X,
            parsed.labels,
            parsed.codes,
            parsed.query_ids,
            doc_ids=parsed.doc_ids,
            feature_names=names or default_names(parsed.X.shape[1]),
            name=stem(file),
        )
    except DataError as error:
        if error.line is None:
            raise DataError(error.problem, error.remedy, file) from error
        line, column = (int(number) + 1 for number in parsed.places[error.line - 1])
        raise DataError(error.problem, error.remedy, file, line, column) from error
