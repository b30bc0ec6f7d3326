"""The first documents of a file with unnamed columns."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankcore.data.dataset import RankingDataset

FIRST_ROWS = 20
# Number of columns shown of a file with unnamed columns.
FIRST_FEATURES = 8


class FirstRows(NamedTuple):
    """The first documents of a file with unnamed columns.

    Attributes
    ----------
    rows : sequence of dict
        At most `FIRST_ROWS`, each with ``query``, ``document``, ``label`` (None without
        judgement), ``query text`` and ``text`` if available, and the values of the
        first features.
    more : bool
        Whether these documents have more than `FIRST_FEATURES` features.
    """

    rows: Sequence[Mapping[str, object]]
    more: bool


def rows_of(data: RankingDataset | None) -> FirstRows:
    """Return the first rows of data in the order of the file."""
    if data is None:
        return FirstRows([], more=False)
    frame = data.to_frame().sort_index()
    shown = frame.shape[1] - data.n_features + FIRST_FEATURES
    rows = frame.iloc[:FIRST_ROWS, :shown].to_dict("records")
    return FirstRows(rows, data.n_features > FIRST_FEATURES)
