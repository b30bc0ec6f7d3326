"""A problem of a file, and the lines that could be skipped without it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset

# More are not listed.
MOST_FAULTS = 1000


class Fault(NamedTuple):
    """A problem, found while others are looked for.

    Attributes
    ----------
    lines : sequence of int
        Lines of the row it is confined to, from 1; empty where it is not.
    """

    error: DataError
    lines: Sequence[int]


def without(dataset: RankingDataset, skipped: Collection[int]) -> RankingDataset:
    """Return the data read without some lines, whose name says so."""
    if not skipped:
        return dataset
    count = f"{len(skipped):,} {'line' if len(skipped) == 1 else 'lines'}"
    return replace(dataset, name=f"{dataset.name} without {count}")
