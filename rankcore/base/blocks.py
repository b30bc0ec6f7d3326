"""Blocks of queries: a sum over data is the sum over its blocks, in their order.

Rounding makes a sum depend on how it is divided. Blocks follow from the data alone,
and `total` adds their parts in one order, so that the result is the same to the last
bit wherever, and by however many workers, the parts are computed.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

# Feature values in a block, about: 16 MiB, some milliseconds of work.
CELLS = 2**21


class Block(NamedTuple):
    """Some queries in a row.

    Attributes
    ----------
    queries, rows : slice
        The queries, and their documents.
    offsets : (m + 1,) int64
        Where each query begins among these documents; read-only if those of the data
        are.
    """

    queries: slice
    rows: slice
    offsets: np.ndarray


def blocks(offsets: np.ndarray, columns: int) -> list[Block]:
    """Divide queries into blocks of about as many cells each.

    Parameters
    ----------
    offsets : (q + 1,) int64
        Query i owns the rows ``offsets[i]`` to ``offsets[i + 1]``.
    columns : int
        Features of a row.

    Returns
    -------
    list of Block
        At least one; a query is never divided. Data of at most `CELLS` cells are one
        block, with the offsets themselves.
    """
    n = int(offsets[-1])
    wanted = [rows.start for rows in row_blocks(n, columns)[1:]]
    if not wanted:
        return [Block(slice(0, len(offsets) - 1), slice(0, n), offsets)]
    cuts = np.unique(np.searchsorted(offsets, wanted, side="left"))
    inner = cuts[(cuts > 0) & (cuts < len(offsets) - 1)].tolist()
    return list(_between([0, *inner, len(offsets) - 1], offsets))


def row_blocks(n: int, columns: int) -> list[slice]:
    """Divide ``n`` rows, whatever their queries, into at least one block."""
    count = max(-(-n * columns // CELLS), 1)
    bounds = [number * n // count for number in range(count + 1)]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def _between(bounds: list[int], offsets: np.ndarray) -> Iterator[Block]:
    for first, last in pairwise(bounds):
        begin, end = int(offsets[first]), int(offsets[last])
        begins = offsets[first : last + 1] - begin
        # Kernels are compiled for arrays that are read-only, or not.
        begins.flags.writeable = offsets.flags.writeable
        yield Block(slice(first, last), slice(begin, end), begins)


def total(parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Add tuples of numbers and arrays, one for each block, from the first to the last.

    The parts are not changed; an only one is the total itself.
    """
    sums, *others = parts
    for part in others:
        sums = tuple(a + b for a, b in zip(sums, part, strict=True))
    return sums
