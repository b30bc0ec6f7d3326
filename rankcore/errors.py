"""What can be wrong with data, and what a caller may have forgotten."""


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
        Line of a text file or row of a table, counted from 1.
    column : int or str, optional
        Byte within the line, counted from 1, or a table's column: its name, or its
        number if it has none.
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

    @property
    def place(self) -> str:
        """Where the problem is, such as ``train.txt, line 3, column 17``."""
        parts = [self.file] if self.file else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        return ", ".join(parts)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.problem}. {self.remedy}."


class DataWarning(UserWarning):
    """Data that is used otherwise than it looks: a sentence that says how."""


class MissingQueryWarning(UserWarning):
    """`fit` or `score` was called without ``qid``, so all documents are one query."""


class LostWorkerError(RuntimeError):
    """A process that computes has ended by itself: a sentence for people."""
