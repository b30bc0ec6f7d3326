"""Sizes of queries for LETOR text whose rows do not name their query."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankcore.base.arrays import LARGEST_EXACT, Integers
from rankcore.base.errors import DataError, warn_of_data
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.labels import rewriting
from rankcore.data.formats.parts.source import (
    LESS,
    Interrupted,
    Opened,
    Source,
    opened,
)
from rankcore.data.formats.parts.text import numbered_lines

# Suffixes of LightGBM and XGBoost: train.txt.query, train.txt.group.
SUFFIXES = (".query", ".group")
# Comments and blank lines, then a query, usually after a label.
LETOR_LINE = re.compile(rb"(\xef\xbb\xbf)?(\s*#[^\n]*\n)*\s*(\S+[ \t]+)?qid:")


def sizes_of(
    source: Source, file: Opened, groups: Source | None
) -> tuple[Opened, Integers | None]:
    """Return the sizes of the queries of LETOR text, as given or from a file beside it.

    Parameters
    ----------
    source : path, bytes or binary file
        The text.
    file : Opened
        The same.
    groups : path, bytes or binary file, optional
        Its sizes.

    Returns
    -------
    Opened, (q,) int64 or None
        The unread text, and the sizes; None if its rows name their query.
    """
    if groups is not None:
        return file, read_sizes(groups)
    beside = _file_beside(source)
    if beside is None:
        return file, None
    begin, whole = file.peek()
    if LETOR_LINE.match(begin):
        return whole, None
    warn_of_data(f"{file.name}: The queries are read from {beside.name} beside it.", 4)
    return whole, read_sizes(beside)


def _file_beside(source: Source) -> Path | None:
    if not isinstance(source, str | os.PathLike):
        return None
    names = (Path(f"{os.fspath(source)}{suffix}") for suffix in SUFFIXES)
    return next((path for path in names if path.is_file()), None)


def read_sizes(source: Source) -> Integers:
    """Read the number of rows of each query, one per line.

    Returns
    -------
    (q,) int64

    Raises
    ------
    DataError
        For the first line that is not a number of rows.
    """
    sizes = []
    with opened(source) as opened_source:
        file = opened_source.name
        for line, word in numbered_lines(opened_source, "Give one number per line"):
            size = number(word.strip())
            if not word.strip():
                continue
            if not (1 <= size <= LARGEST_EXACT and size == int(size)):
                problem = f"{shown(word.strip())!r} is not a number of rows"
                remedy = "Write the number of rows of a query in each line"
                raise DataError(problem, remedy, file, line, 1)
            sizes.append(int(size))
            if len(sizes) > opened_source.limits.rows:
                problem = f"There are more than {opened_source.limits.rows} queries"
                raise DataError(problem, LESS, file)
    return np.array(sizes, dtype=np.int64)


def with_queries(text: bytes, sizes: bytes) -> bytes:
    """Return LETOR text whose rows name their queries, from sizes or the text itself.

    Raises
    ------
    DataError
        If sizes and text are inconsistent.
    """
    with opened(text, "the text") as source:
        begin, whole = source.peek()
        if LETOR_LINE.match(begin):
            return text
        queries = replace(whole, change=rewriting(None, read_sizes(sizes)))
        try:
            return b"".join(map(bytes, queries.blocks()))
        except Interrupted as error:
            raise DataError(*error.args) from error


def query_codes(sizes: Integers, n_rows: int, file: str) -> Integers:
    """Return the query number of each row.

    Raises
    ------
    DataError
        If the sizes do not add up to the number of rows.
    """
    total = sum(sizes.tolist())
    if total != n_rows:
        raise DataError(
            f"The sizes of the queries add up to {total:,}, but there are {n_rows:,} "
            "rows",
            "Give the sizes that belong to this file",
            file,
        )
    return np.repeat(np.arange(len(sizes)), sizes)
