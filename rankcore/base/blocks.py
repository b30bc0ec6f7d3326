"""Blocks of queries: a sum over data is the sum over its blocks, in their order.

Because of rounding, a sum depends on its division. Blocks depend on the data alone, and
`total` adds their parts in one order, so the result is the same to the last bit on any
machine and with any number of workers.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

# Approximate number of feature values in a block: 16 MiB, some milliseconds of work.
CELLS = 2**21


class Block(NamedTuple):
    """A range of consecutive queries.

    Attributes
    ----------
    queries, rows : slice
        The queries, and their documents.
    offsets : (m + 1,) int64
        Where each query begins among these documents; read-only if the data's offsets
        are.
    """

    queries: slice
    rows: slice
    offsets: np.ndarray


def blocks(offsets: np.ndarray, columns: int) -> list[Block]:
    """Divide queries into blocks with about equal numbers of cells.

    Parameters
    ----------
    offsets : (q + 1,) int64
        Query i owns the rows ``offsets[i]`` to ``offsets[i + 1]``.
    columns : int
        Number of features.

    Returns
    -------
    list of Block
        At least one; a query is never divided. Data of at most `CELLS` cells form one
        block, with the original offsets.
    """
    n = int(offsets[-1])
    wanted = [rows.start for rows in row_blocks(n, columns)[1:]]
    if not wanted:
        return [Block(slice(0, len(offsets) - 1), slice(0, n), offsets)]
    cuts = np.unique(np.searchsorted(offsets, wanted, side="left"))
    inner = cuts[(cuts > 0) & (cuts < len(offsets) - 1)].tolist()
    return list(_between([0, *inner, len(offsets) - 1], offsets))


def row_blocks(n: int, columns: int) -> list[slice]:
    """Divide ``n`` rows, regardless of queries, into at least one block."""
    count = max(-(-n * columns // CELLS), 1)
    bounds = [number * n // count for number in range(count + 1)]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def _between(bounds: list[int], offsets: np.ndarray) -> Iterator[Block]:
    for first, last in pairwise(bounds):
        begin, end = int(offsets[first]), int(offsets[last])
        begins = offsets[first : last + 1] - begin
        # Kernels are compiled for either read-only or writable arrays.
        begins.flags.writeable = offsets.flags.writeable
        yield Block(slice(first, last), slice(begin, end), begins)


def total(parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Add tuples of numbers and arrays, one per block, from the first to the last.

    The parts are not modified; a single part is returned as the total.
    """
    sums, *others = parts
    for part in others:
        sums = tuple(a + b for a, b in zip(sums, part, strict=True))
    return sums
