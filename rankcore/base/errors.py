"""Errors in data, and warnings of likely oversights."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

_gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)


class DataError(ValueError):
    """Data that cannot be used: what is wrong, where, and what to do about it.

    Parameters
    ----------
    problem : str
        The problem, as a sentence without the full stop.
    remedy : str
        What to do next, as a sentence without the full stop.
    file : str, optional
        The file, table or upload with the problem.
    line : int, optional
        Line of a text file or row of a table or array, counted from 1.
    column : int or str, optional
        Byte within the line, counted from 1, or a table's column by its name, or by its
        number if it has no name. Without a file, the number of a feature.
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        file: str | None = None,
        line: int | None = None,
        column: int | str | None = None,
    ) -> None:
        super().__init__(problem, remedy, file, line, column)
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.line = line
        self.column = column

    def alone(self) -> Self:
        """Return the error without its traceback, whose variables hold everything read
        so far."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    @property
    def place(self) -> str:
        """Location of the problem, such as ``train.txt, line 3, column 17``; in arrays,
        ``row 3, feature 17``."""
        parts = [self.file] if self.file else []
        if self.line is not None:
            parts.append(f"{'line' if self.file else 'row'} {self.line}")
        if self.column is not None:
            is_feature = not self.file and isinstance(self.column, int)
            parts.append(f"{'feature' if is_feature else 'column'} {self.column}")
        return ", ".join(parts)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.problem}. {self.remedy}."


class MissingValueError(DataError):
    """An empty cell of a table in place of a feature's value."""


class NoLabelError(DataError):
    """Data in which a required label, or all labels, are missing."""


class MissingLabelError(NoLabelError):
    """An empty cell of a table in place of a label."""


class WordsError(DataError):
    """A column of text in a table in place of a feature."""


class DataWarning(UserWarning):
    """Data whose interpretation may be unexpected, as a sentence."""


def warn_of_data(sentence: str, level: int = 2) -> None:
    """Issue a `DataWarning`, or add the sentence to the gathered ones.

    Parameters
    ----------
    level : int
        As ``stacklevel`` in `warnings.warn`.
    """
    sentences = _gathered.get()
    if sentences is None:
        warnings.warn(sentence, DataWarning, stacklevel=level + 1)
    elif sentence not in sentences:
        sentences.append(sentence)


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Gather the warnings of `warn_of_data` in this thread, unlike `warnings`."""
    sentences: list[str] = []
    token = _gathered.set(sentences)
    try:
        yield sentences
    finally:
        _gathered.reset(token)


class MissingQueryWarning(UserWarning):
    """`fit` or `score` was called without ``qid``, so all documents are one query."""


class LostWorkerError(RuntimeError):
    """A worker process ended unexpectedly; the message is for users."""
