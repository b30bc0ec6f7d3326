"""Rows of a file that are left out or merged on request, and notes of what is found."""

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

# How to treat rows without a label: as label 0, or leave them out.
Unjudged = Literal["irrelevant", "drop"]
# Which of several rows of a document to keep: any if their labels agree, otherwise the
# named one, or none.
Duplicates = Literal["merge", "highest", "median", "lowest", "drop"]

# The words of each option.
WORDS = {"unjudged": get_args(Unjudged), "duplicates": get_args(Duplicates)}
COPIES = "with a repeated document"

_notes: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


class Note(NamedTuple):
    """A peculiarity that a reader has come across.

    Attributes
    ----------
    kind : str
        One of `rankcore.topics.datasets.findings.KINDS`.
    rows : tuple of int
        Lines of text, or rows of Parquet, from 1.
    columns : mapping of str to int
        The number of values of each column that are concerned.
    n_rows : int
        Rows of the file.
    """

    kind: str
    file: str
    rows: tuple[int, ...]
    columns: dict[str, int]
    n_rows: int


@contextmanager
def noted() -> Iterator[list[Note]]:
    """Gather what readers come across in this thread."""
    notes: list[Note] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def takes_notes() -> bool:
    """Return whether notes are gathered, which take time to make."""
    return _notes.get() is not None


def note(
    kind: str,
    file: str,
    rows: Iterable[int],
    n_rows: int,
    columns: dict[str, int] | None = None,
) -> None:
    """Add a note to those that are gathered, if it is of any row."""
    notes, rows = _notes.get(), tuple(rows)
    if notes is not None and rows:
        notes.append(Note(kind, file, rows, columns or {}, n_rows))


class Repairs(NamedTuple):
    """The treatment of rows that cannot be used as they are.

    Attributes
    ----------
    unjudged : {"irrelevant", "drop"}, optional
        What rows without a label count as; by default they are refused.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        What is done about several rows of a document; by default they are refused.
    """

    unjudged: Unjudged | None = None
    duplicates: Duplicates | None = None

    def check(self) -> None:
        """Refuse words that say nothing.

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
    """Note rows of one document, those with different labels apart.

    Parameters
    ----------
    kind : {"copies", "alike"}
        Whether ids tell that they are of one document, or their features.
    groups : iterable
        The rows of each document, and how many labels they have.
    place : (str, (n,) int64)
        The file, and the line of each row, from 1.
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
    """Find rows of one document of one query.

    Parameters
    ----------
    codes : (n,) int64
        The query of each row.
    documents : sequence of n str, optional
        Where a row has none, rows with the same features are of one document.
    X : (n, d) float64

    Returns
    -------
    list of list of int
        The rows of each document that has several, in order.
    """
    rows: dict[tuple[int, str | bytes], list[int]] = {}
    for row, code in enumerate(codes.tolist()):
        doc_id = documents[row] if documents else ""
        rows.setdefault((code, doc_id or X[row].tobytes()), []).append(row)
    return [group for group in rows.values() if len(group) > 1]


def kept_rows(
    copies: Iterable[Sequence[int]], labels: Floats, rule: Duplicates
) -> NDArray[np.bool_]:
    """Decide which rows stay, of several of a document at most one.

    Parameters
    ----------
    copies : iterable of sequences of int
        See `groups_of_copies`.
    labels : (n,) float64
        NaN where there is none; judged rows go before others.
    rule : {"merge", "highest", "median", "lowest", "drop"}
        Of rows with different labels, ``merge`` keeps all.

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
    """Return number queries by their first appearance among rows that stay.

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
    """Say how many rows are left out, for each reason."""
    return [
        f"{file}: {count:,} {'row' if count == 1 else 'rows'} {reason} "
        f"{'is' if count == 1 else 'are'} left out."
        for reason, count in counts.items()
        if count
    ]
