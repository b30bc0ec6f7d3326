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
        A sentence without the full stop: what is wrong.
    remedy : str
        A sentence without the full stop: what to do next.
    file : str, optional
        The file, table or upload the problem is in.
    line : int, optional
        Line of a text file or row of a table or array, counted from 1.
    column : int or str, optional
        Byte within the line, counted from 1, or a table's column: its name, or its
        number if it has none. Without a file, the number of a feature.
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
        """Return the error without the calls that led to it, whose variables hold all
        that was read until then."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    @property
    def place(self) -> str:
        """Where the problem is, such as ``train.txt, line 3, column 17``; in arrays,
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
    """A table's cell that is empty where a feature's value should be."""


class NoLabelError(DataError):
    """Data without the label of a document, or without any, where they are needed."""


class MissingLabelError(NoLabelError):
    """A table's cell that is empty where a label should be."""


class WordsError(DataError):
    """A table's column that holds words where a feature should be."""


class DataWarning(UserWarning):
    """Data that is used otherwise than it looks: a sentence that says how."""


def warn_of_data(sentence: str, level: int = 2) -> None:
    """Warn by a `DataWarning`, or add the sentence to those that are gathered.

    Parameters
    ----------
    level : int
        As ``stacklevel`` of `warnings.warn`.
    """
    sentences = _gathered.get()
    if sentences is None:
        warnings.warn(sentence, DataWarning, stacklevel=level + 1)
    elif sentence not in sentences:
        sentences.append(sentence)


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Gather what `warn_of_data` says in this thread, which `warnings` cannot."""
    sentences: list[str] = []
    token = _gathered.set(sentences)
    try:
        yield sentences
    finally:
        _gathered.reset(token)


class MissingQueryWarning(UserWarning):
    """`fit` or `score` was called without ``qid``, so all documents are one query."""


class LostWorkerError(RuntimeError):
    """A process that computes has ended by itself: a sentence for people."""
