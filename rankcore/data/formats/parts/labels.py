"""Grades for other labels: fractions, words, or numbers up to 100."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import LARGEST_EXACT, Integers, owned, whole_or_not
from rankcore.base.errors import DataError
from rankcore.data.formats.parts.cells import number
from rankcore.data.formats.parts.source import Blocks, Interrupted

FRACTIONAL = "fractional"
# Maximum number of distinct labels of text cached; most data have fewer.
_MOST_LABELS = 2_000_000
# The label of a row of LETOR text, and the text before it.
_LABEL = re.compile(rb"^((?:\xef\xbb\xbf)?[ \t]*)([^\s#]+)", re.MULTILINE)


class Labels:
    """A mapping of labels to grades, given as text.

    Parameters
    ----------
    text : str
        ``0.3,0.6``: lower bounds of the grades 1, 2, …; or ``bad=0,good=2``: grades of
        words, with other labels already being grades; or ``fractional``: labels are
        unchanged and may be fractions.

    Raises
    ------
    DataError
        If the text is not such a mapping.

    Examples
    --------
    >>> rates, words = Labels("0.3,0.6"), Labels("bad=0, good=2")
    >>> rates("0.59"), rates(0.6), words("good"), words("1")
    (1, 2, 2, '1')
    """

    def __init__(self, text: str) -> None:
        self._least: list[float] = []
        self._grades: dict[str | float, int] = {}
        self.fractional = are_fractional(text)
        if self.fractional:
            return
        pairs = [part.rpartition("=") for part in text.split(",")]
        if not any(mark for _, mark, _ in pairs):
            self._least = [number(bound) for *_, bound in pairs]
            rising = self._least == sorted(set(self._least))
            if not all(map(isfinite, self._least)) or not rising:
                raise DataError(
                    f"{text!r:.60} are not ascending numbers",
                    "Write the lower bounds of the grades 1, 2, …, such as 0.3,0.6",
                )
            return
        for label, _, grade in pairs:
            if not (label.strip() and grade.strip().isdecimal()):
                problem = f"{text!r:.60} does not map labels to grades"
                remedy = "Write pairs such as bad=0,fair=1,good=2"
                raise DataError(problem, remedy)
            self._grades[_key(label)] = int(grade)

    def __call__(self, label: Any) -> Any:
        """Return the grade of a label, or the label itself if it has none."""
        key = _key(label)
        if not self._least:
            return self._grades.get(key, label)
        return bisect_right(self._least, key) if isinstance(key, float) else label


def are_fractional(labels: str | None) -> bool:
    """Return whether the option ``labels`` allows fractions."""
    return labels is not None and labels.strip() == FRACTIONAL


def _key(label: Any) -> str | float:
    """Return a label's key, which is the same for equal numbers and for words in any
    case."""
    value = number(label)
    return value if isfinite(value) else str(label).strip().lower()


class Numbered:
    """Whole numbers instead of labels that may be fractions, by first appearance in
    LETOR text; 0 stays 0."""

    def __init__(self) -> None:
        self._numbers = {0.0: 0}

    def __call__(self, label: str) -> Any:
        """Return the number of a label; invalid ones are unchanged, and refused
        later."""
        value = number(label)
        if not isfinite(value) or value > LARGEST_EXACT:
            return label
        if value < 0:
            return -1
        if len(self._numbers) > _MOST_LABELS:
            raise Interrupted(
                f"There are more than {_MOST_LABELS:,} different labels",
                "Round them, or give a table (CSV, Parquet)",
            )
        return self._numbers.setdefault(value, len(self._numbers))

    def labels(self, numbers: Integers) -> NDArray[Any]:
        """Return the labels (n,) behind numbers."""
        return owned(whole_or_not(np.array(list(self._numbers))[numbers]))


def rewriting(
    labels: str | None,
    sizes: Integers | None = None,
    numbered: Numbered | None = None,
    unlabelled: bool = False,
) -> Callable[[Blocks], Blocks] | None:
    """Return a function that puts grades, or numbers of labels, and queries from
    ``sizes`` into rows of LETOR text; None if no change is needed.

    With ``unlabelled``, rows may begin with a feature.
    """
    if not labels and sizes is None:
        return None
    grades = numbered or (Labels(labels) if labels else None)

    def rewritten(blocks: Blocks) -> Blocks:
        queries = enumerate(() if sizes is None else sizes.tolist(), start=1)
        numbers = (query for query, size in queries for _ in range(size))

        def row(match: re.Match[bytes]) -> bytes:
            begin, word = match.groups()
            text = word.decode("latin-1")
            # The same length as before, so that messages name columns of the file.
            grade = str(grades(text) if grades else text).encode("latin-1")
            word = grade.ljust(len(word))
            if sizes is None:
                return begin + word
            query = next(numbers, None)
            if query is None:
                raise Interrupted(*_unlike(sizes, "more"))
            if unlabelled and b":" in word:
                return begin + b"qid:%d " % query + word
            return begin + word + b" qid:%d" % query

        rest = b""
        for block in blocks:
            cut = block.rfind(b"\n") + 1
            if cut:
                yield _LABEL.sub(row, rest + block[:cut])
            rest = bytes(block[cut:]) if cut else rest + block
        if rest:
            yield _LABEL.sub(row, rest)
        if next(numbers, None) is not None:
            raise Interrupted(*_unlike(sizes, "fewer"))

    return rewritten


def _unlike(sizes: Integers | None, than: str) -> tuple[str, str]:
    total = 0 if sizes is None else sum(sizes.tolist())
    return (
        f"The sizes of the queries add up to {total:,}, but there are {than} rows",
        "Give the sizes that belong to this file",
    )
