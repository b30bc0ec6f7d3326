"""Data read in chunks of whole queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Integers
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset


class Chunk(NamedTuple):
    """Consecutive queries of a file.

    Attributes
    ----------
    lines : (q,) int64
        The line of the file that each query begins on, counted from 0.
    end : int
        The first line after it, counted from 0.
    negative : int
        The first line, counted from 1, with a negative label not warned of yet; 0
        without one.
    documents : (n,) int64
        The line of each document, counted from 0; empty if unknown.
    """

    dataset: RankingDataset
    lines: Integers
    end: int
    negative: int = 0
    documents: Integers = np.empty(0, dtype=np.int64)


def comes_twice(query: str, file: str, line: int) -> DataError:
    """Return the error of a query whose rows are not adjacent.

    Parameters
    ----------
    line : int
        Line of its second occurrence, counted from 0.
    """
    return DataError(
        f"The query {query!r} comes twice: its rows are not adjacent",
        "Sort the file by query, or read the whole file if it fits into memory",
        file,
        int(line) + 1,
    )


def chunk_of(
    dataset: RankingDataset, lines: Integers, end: int, file: str, negative: int = 0
) -> Chunk:
    """Return a chunk of consecutive queries.

    Parameters
    ----------
    dataset : RankingDataset
        Data with queries in the order of the file.
    lines : (n,) int64
        Lines of its rows in the file, counted from 0.
    end, negative : int
        As in `Chunk`.

    Raises
    ------
    DataError
        If the rows of a query are not adjacent.
    """
    codes = np.empty(len(lines), dtype=np.int64)
    codes[dataset.rows] = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    again = np.flatnonzero(codes[begins] != np.arange(len(begins)))
    if len(again):
        row = begins[again[0]]
        raise comes_twice(dataset.query_ids[codes[row]], file, lines[row])
    return Chunk(dataset, lines[begins], end, negative, lines[dataset.rows])
