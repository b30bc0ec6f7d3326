"""A list of scores and labels that fits in a link: ``4.2:2, 3.1:0``.

Each document is its score, a colon and its label; they keep their order in the text and
are named x1, x2, … .
"""

import re
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.grids import decade
from rankcore.base.numbers import read_number

FEWEST, MOST, HIGHEST = 2, 40, 4
LARGEST = 1e6
RULE = (
    f"Write {FEWEST} to {MOST} documents as score:label, such as 4.2:2, 3.1:0; labels "
    f"are 0 to {HIGHEST}."
)


class ScoreList(NamedTuple):
    """Documents of one list.

    Attributes
    ----------
    scores : (n,) float64
    labels : (n,) int64
    """

    scores: Floats
    labels: Integers

    @property
    def names(self) -> list[str]:
        """The names of the documents, x1, x2, … ."""
        return [f"x{i}" for i in range(1, len(self.scores) + 1)]


def read(text: str) -> ScoreList | None:
    """Return the list that a text describes, or None if it is invalid."""
    pairs = [part.split(":") for part in re.split(r"[,;\s]+", text.strip()) if part]
    if not FEWEST <= len(pairs) <= MOST or any(len(pair) != 2 for pair in pairs):
        return None
    try:
        scores = [read_number(score) for score, _ in pairs]
        labels = [read_number(label, whole=True) for _, label in pairs]
    except ValueError:
        return None
    sound = all(abs(s) <= LARGEST for s in scores)
    if not sound or not all(0 <= label <= HIGHEST for label in labels):
        return None
    return ScoreList(np.array(scores, float), np.array(labels))


def write(documents: ScoreList) -> str:
    """Write a list in the format of links."""
    return ", ".join(
        f"{score:.10g}:{label}"
        for score, label in zip(documents.scores, documents.labels, strict=True)
    )


def with_score(text: str, place: int, score: float) -> str:
    """Return the list with another score of one document, rounded to a few digits.

    The list is unchanged if the document or the score is out of range.
    """
    documents = read(text)
    if documents is None or not _is_there(documents, place):
        return text
    if not abs(score) <= LARGEST:
        return text
    spread = float(np.ptp(documents.scores)) or 1.0
    documents.scores[place] = round(score, max(0, 3 - decade(spread)))
    return write(documents)


def relabelled(text: str, place: int, label: int) -> str:
    """Return the list with another label of one document; 0 follows the highest."""
    documents = read(text)
    if documents is None or not _is_there(documents, place):
        return text
    documents.labels[place] = label % (HIGHEST + 1)
    return write(documents)


def _is_there(documents: ScoreList, place: int) -> bool:
    return 0 <= place < len(documents.scores)
