"""Data read in chunks of whole queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Integers
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset


class Chunk(NamedTuple):
    """Some queries in a row.

    Attributes
    ----------
    lines : (q,) int64
        The line of the file that each query begins on, counted from 0.
    end : int
        The first line, counted from 0, that is not part of it.
    negative : int
        The first line, counted from 1, with a negative label that nothing has warned
        of; 0 if there is none.
    documents : (n,) int64
        The line of each document, counted from 0; empty if that is not known.
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
        Where it comes again, counted from 0.
    """
    return DataError(
        f"The query {query!r} comes twice: its rows are not adjacent",
        "Sort the file by query, or read it whole, if it fits into memory",
        file,
        int(line) + 1,
    )


def chunk_of(
    dataset: RankingDataset, lines: Integers, end: int, file: str, negative: int = 0
) -> Chunk:
    """Return some queries in a row, the rows of each adjacent.

    Parameters
    ----------
    dataset : RankingDataset
        Its queries are in the order of the file.
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
