"""Rows of a file left out or merged on request, and notes on peculiarities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import phrase

# Treatment of rows without a label: as label 0, or left out.
Unjudged = Literal["irrelevant", "drop"]
# Row to keep of several rows of a document: any if their labels agree, otherwise the
# named one, or none.
Duplicates = Literal["merge", "highest", "median", "lowest", "drop"]

# The values of each option.
WORDS = {"unjudged": get_args(Unjudged), "duplicates": get_args(Duplicates)}
COPIES = "with a repeated document"

_notes: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


class Note(NamedTuple):
    """A peculiarity in a file.

    Attributes
    ----------
    kind : str
        One of `rankcore.topics.datasets.findings.KINDS`.
    rows : tuple of int
        Lines of text, or rows of Parquet, from 1.
    columns : mapping of str to int
        The number of values concerned in each column.
    n_rows : int
        Number of rows of the file.
    """

    kind: str
    file: str
    rows: tuple[int, ...]
    columns: dict[str, int]
    n_rows: int


@contextmanager
def noted() -> Iterator[list[Note]]:
    """Collect the notes of readers in this thread."""
    notes: list[Note] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def takes_notes() -> bool:
    """Return whether notes are collected; making them takes time."""
    return _notes.get() is not None


def note(
    kind: str,
    file: str,
    rows: Iterable[int],
    n_rows: int,
    columns: dict[str, int] | None = None,
) -> None:
    """Add a note to the collection if it concerns any row."""
    notes, rows = _notes.get(), tuple(rows)
    if notes is not None and rows:
        notes.append(Note(kind, file, rows, columns or {}, n_rows))


class Repairs(NamedTuple):
    """The treatment of rows that cannot be used unchanged.

    Attributes
    ----------
    unjudged : {"irrelevant", "drop"}, optional
        Treatment of rows without a label; by default they are refused.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        Treatment of several rows of one document; by default they are refused.
    """

    unjudged: Unjudged | None = None
    duplicates: Duplicates | None = None

    def check(self) -> None:
        """Refuse unknown values.

        Raises
        ------
        ValueError
        """
        for role, word in self._asdict().items():
            if word is not None and word not in WORDS[role]:
                choices = phrase(map(repr, WORDS[role]), "or")
                raise ValueError(f"There is no {role}={word!r}; use {choices}.")


def note_copies(
    kind: str, groups: Iterable[tuple[Sequence[int], int]], place: tuple[str, Integers]
) -> None:
    """Note duplicate rows of documents, separately for different labels.

    Parameters
    ----------
    kind : {"copies", "alike"}
        Whether duplicates are found by ids or by features.
    groups : iterable
        The rows of each document, and their number of distinct labels.
    place : (str, (n,) int64)
        The file name, and the line of each row, from 1.
    """
    lines_of: dict[str, list[int]] = {kind: [], f"{kind} differ": []}
    file, lines = place
    for rows, n_labels in groups:
        lines_of[kind if n_labels < 2 else f"{kind} differ"] += lines[rows].tolist()
    for note_kind, rows in lines_of.items():
        note(note_kind, file, sorted(rows), len(lines))


def groups_of_copies(
    codes: Integers, documents: Sequence[str] | None, X: Floats
) -> list[list[int]]:
    """Return rows of the same document and query.

    Parameters
    ----------
    codes : (n,) int64
        The query of each row.
    documents : sequence of n str, optional
        Document ids; rows without one are duplicates if their features are equal.
    X : (n, d) float64

    Returns
    -------
    list of list of int
        The rows of each document with several, in order.
    """
    rows: dict[tuple[int, str | bytes], list[int]] = {}
    for row, code in enumerate(codes.tolist()):
        doc_id = documents[row] if documents else ""
        rows.setdefault((code, doc_id or X[row].tobytes()), []).append(row)
    return [group for group in rows.values() if len(group) > 1]


def kept_rows(
    copies: Iterable[Sequence[int]], labels: Floats, rule: Duplicates
) -> NDArray[np.bool_]:
    """Return which rows stay, at most one per document.

    Parameters
    ----------
    copies : iterable of sequences of int
        See `groups_of_copies`.
    labels : (n,) float64
        Labels, or NaN if missing; judged rows take precedence.
    rule : {"merge", "highest", "median", "lowest", "drop"}
        Rule for different labels; ``merge`` keeps all rows.

    Returns
    -------
    (n,) bool
    """
    stays = np.ones(len(labels), dtype=np.bool_)
    for group in copies:
        judged = [row for row in group if labels[row] == labels[row]]
        candidates = judged or [*group[:1]]
        # Negative labels count as 0.
        grade = {row: max(float(labels[row]), 0.0) for row in candidates}
        ascending = sorted(candidates, key=grade.__getitem__)
        if grade[ascending[0]] == grade[ascending[-1]] or not judged:
            chosen = [candidates[0]]
        else:
            last = ascending[-1]
            chosen = {
                "merge": candidates,
                "highest": [row for row in candidates if grade[row] == grade[last]][:1],
                "median": [ascending[(len(ascending) - 1) // 2]],
                "lowest": ascending[:1],
                "drop": [],
            }[rule]
        stays[group] = False
        stays[chosen] = True
    return stays


def renumbered(codes: Integers) -> tuple[Integers, Integers]:
    """Return queries renumbered by first appearance among the remaining rows.

    Returns
    -------
    (n,) int64
        The new numbers.
    (q,) int64
        The old number of each query.
    """
    old, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place[inverse], old[order]


def left_out(file: str, counts: Counter[str]) -> list[str]:
    """Warn of the number of rows left out, by reason."""
    return [
        f"{file}: {count:,} {'row' if count == 1 else 'rows'} {reason} "
        f"{'is' if count == 1 else 'are'} left out."
        for reason, count in counts.items()
        if count
    ]
