"""A hand-sized ranking as text: ``C2-A0-B1``.

Documents are letters with labels, from the top down. Links use this format.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

FEWEST, MOST, HIGHEST = 2, 12, 4
LETTERS = "ABCDEFGHIJKL"
RULE = "Write documents from the top down, each a letter and its label, as in A0-B2-C1."

_LIST = re.compile(rf"[A-{LETTERS[-1]}][0-{HIGHEST}](-[A-{LETTERS[-1]}][0-{HIGHEST}])*")


class Ranked(NamedTuple):
    """A document of a hand-sized ranking: its letter and its label."""

    name: str
    label: int


def read(ranking: str) -> list[Ranked] | None:
    """Return the documents of a ranking written as text, or None if it is invalid."""
    if not _LIST.fullmatch(ranking):
        return None
    documents = [Ranked(part[0], int(part[1:])) for part in ranking.split("-")]
    distinct = len({document.name for document in documents}) == len(documents)
    return documents if distinct and FEWEST <= len(documents) <= MOST else None


def write(documents: Iterable[Ranked]) -> str:
    """Write a ranking in the format of links."""
    return "-".join(f"{document.name}{document.label}" for document in documents)


def resized(ranking: str, count: int) -> str:
    """Return the ranking with ``count`` documents: adds label 0 or removes the last
    ones."""
    documents = (read(ranking) or [])[:count]
    free = [letter for letter in LETTERS if letter not in {d.name for d in documents}]
    return write(
        documents + [Ranked(letter, 0) for letter in free[: count - len(documents)]]
    )


def reordered(ranking: str, labels: Iterable[int]) -> str:
    """Return the ranking reordered to these labels; documents of equal label keep their
    order."""
    waiting = read(ranking) or []
    documents = []
    for label in labels:
        documents.append(
            next(document for document in waiting if document.label == label)
        )
        waiting.remove(documents[-1])
    return write(documents)


def labelled(labels: Iterable[int]) -> str:
    """Return a ranking of the first of these labels, with documents named in order."""
    shown = [min(int(label), HIGHEST) for label in labels][:MOST]
    shown += [0] * (FEWEST - len(shown))
    return write(map(Ranked, LETTERS, shown))
