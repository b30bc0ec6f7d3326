"""A problem of a file, and the lines to skip to avoid it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset

# Maximum number of problems listed.
MOST_FAULTS = 1000


class Fault(NamedTuple):
    """A problem of a file whose problems are being collected.

    Attributes
    ----------
    lines : sequence of int
        Lines of the row that it is confined to, from 1; empty if it is not confined.
    """

    error: DataError
    lines: Sequence[int]


def without(dataset: RankingDataset, skipped: Collection[int]) -> RankingDataset:
    """Return data read without some lines, with their number in its name."""
    if not skipped:
        return dataset
    count = f"{len(skipped):,} {'line' if len(skipped) == 1 else 'lines'}"
    return replace(dataset, name=f"{dataset.name} without {count}")
