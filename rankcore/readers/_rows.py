"""The columns of a table other than features, row by row, and the data set."""

from __future__ import annotations

from array import array
from sys import getsizeof

import numpy as np

from rankcore._arrays import LARGEST_EXACT, Floats, Integers, owned
from rankcore.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset
from rankcore.errors import DataError, warn_of_data
from rankcore.readers._columns import Columns
from rankcore.readers._source import LESS, Limits, stem


class Rows:
    """Queries, documents and texts of the rows so far.

    Parameters
    ----------
    columns : Columns
    limits : Limits
    """

    def __init__(self, columns: Columns, limits: Limits) -> None:
        self.columns = columns
        self.limits = limits
        self.n_bytes = 0
        self.codes = array("q")
        self.queries: dict[str, int] = {}
        self.documents: list[str] = []
        self.texts: list[str] = []
        # Of each query, its text, and the words of the groups it is in.
        self.query_words: list[tuple[str | None, ...]] = []

    def __len__(self) -> int:
        return len(self.codes)

    def check_width(self, n_columns: int) -> None:
        """Refuse a table with so many columns."""
        if n_columns > self.limits.features:
            most = self.limits.features
            problem = f"{n_columns} columns are too many: {most} are accepted"
            raise self.columns.error(problem, LESS, 1)

    def check_shape(self, n_rows: int) -> None:
        """Refuse a table with so many rows, naming the first that is too many."""
        n_features = len(self.columns.features)
        if problem := self.limits.problem(n_rows, n_features):
            line = self.columns.line_of(self.limits.most_rows(n_features))
            raise self.columns.error(problem, LESS, line)

    def add(
        self,
        query: str | None,
        document: str | None = None,
        text: str | None = None,
        *words: str | None,
    ) -> None:
        """Add what a row holds beside label and features.

        Parameters
        ----------
        query, document, text : str or None
            None where the table has no such column.
        *words : str or None
            The text of the query, and the words of its groups.

        Raises
        ------
        DataError
            If the query id is missing, the query has another text or group in a row
            above, or there is too much text.
        """
        columns, at = self.columns, len(self.codes)
        query = query or ""
        code = self.queries.get(query, -1)
        if code < 0:
            if not query:
                problem, remedy = "The query id is missing", "Give every row a query id"
                raise columns.error(problem, remedy, columns.line_of(at), columns.query)
            code = self.queries[query] = len(self.queries)
            self._count(query, columns.query)
            if any(word is not None for word in words):
                for word, column in zip(words, self._of_queries, strict=True):
                    self._count(word or "", column)
                self.query_words.append(words)
        elif self.query_words and words != self.query_words[code]:
            raise self._differing(query, code, words)
        if document is not None:
            self._count(document, columns.document)
            self.documents.append(document)
        if text is not None:
            self._count(text, columns.text)
            self.texts.append(text)
        self.codes.append(code)

    def check_new(self, at: int, known: set[tuple[int, str]]) -> None:
        """Refuse the document of a row if its query has it in ``known``, and add it.

        Raises
        ------
        DataError
        """
        if not self.documents:
            return
        own = self.codes[at], self.documents[at]
        if own in known:
            raise self.repeated(at)
        known.add(own)

    def repeated(self, at: int) -> DataError:
        """The error of a row whose document the query has already."""
        columns = self.columns
        query = list(self.queries)[self.codes[at]]
        return columns.error(
            f"Document {self.documents[at]!r} occurs twice in query {query!r}",
            "Keep one row for each document of a query",
            columns.line_of(at),
            columns.document,
        )

    @property
    def _of_queries(self) -> list[str | None]:
        """The columns that are the same in all rows of a query."""
        return [self.columns.query_text, *self.columns.groups]

    def _differing(
        self, query: str, code: int, words: tuple[str | None, ...]
    ) -> DataError:
        """The error of a row with other words of its query than the first one."""
        columns = self.columns
        pairs = zip(words, self.query_words[code], strict=True)
        column = self._of_queries[next(i for i, (a, b) in enumerate(pairs) if a != b)]
        what = "text" if column == columns.query_text else "group"
        first = columns.line_of(self.codes.index(code))
        return columns.error(
            f"The query {query!r} has another {what} here than in line {first}",
            f"Give all rows of a query the same {what}",
            columns.line_of(len(self.codes)),
            column,
        )

    def _count(self, string: str, column: str | None) -> None:
        self.n_bytes += getsizeof(string)
        if self.n_bytes > self.limits.text:
            problem, remedy = self.limits.too_much_text()
            line = self.columns.line_of(len(self.codes))
            raise self.columns.error(problem, remedy, line, column)

    def dataset(self, X: Floats, figures: Floats, gain: Gain) -> RankingDataset:
        """Make the data set of these rows.

        Parameters
        ----------
        X : (n, d) float64
            Features, finite but for missing ones; the data set takes them over.
        figures : (n, 1 + s) float64
            Labels, finite, to be checked; and finite scores of models in use.
        gain : {"exponential", "linear"}

        Raises
        ------
        DataError
            If there is no row, a label is no grade, or a document occurs twice.
        """
        columns = self.columns
        if len(self) == 0:
            raise no_rows(columns)
        labels = self.grades(figures[:, 0], gain)
        self._warn_of_negative(figures[:, 0])
        columns.fill(X)
        by_column = zip(*self.query_words, strict=True)
        words = dict(zip(self._of_queries, by_column, strict=False))
        scores = dict(zip(columns.scores, figures.T[1:], strict=True))
        try:
            return RankingDataset.from_codes(
                owned(X),
                owned(labels),
                np.array(self.codes, dtype=np.int64),
                tuple(self.queries),
                doc_ids=None if columns.document is None else self.documents,
                doc_texts=None if columns.text is None else self.texts,
                query_texts=columns.query_text and words[columns.query_text],
                query_groups={name: words[name] for name in columns.groups} or None,
                doc_scores=scores or None,
                feature_names=tuple(columns.features),
                name=stem(columns.file),
            )
        except DataError as error:
            if error.file is not None or error.line is None:
                raise
            line = columns.line_of(error.line - 1)
            raise columns.error(
                error.problem, error.remedy, line, columns.document
            ) from error

    def grades(self, labels: Floats, gain: Gain, first: int = 0) -> Integers:
        """Convert (n,) labels, those of the rows from ``first`` on, to grades.

        Negative ones, as some judges give to spam, are 0.

        Raises
        ------
        DataError
            If a label is no grade.
        """
        largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
        whole = np.floor(labels) == labels
        wrong = np.flatnonzero(~whole | (labels > largest))
        if len(wrong):
            row = int(wrong[0])
            problem = "not a whole number from 0 up"
            raise self.columns.error(
                f"The label {labels[row]:g} is "
                + (f"above {largest:g}" if whole[row] else problem),
                "Use grades such as 0 (irrelevant), 1 and 2"
                + ", or read the table for the linear gain (--label-gain linear)"
                * bool(whole[row]),
                self.columns.line_of(first + row),
                self.columns.label,
            )
        return np.maximum(labels, 0).astype(np.int64)

    def _warn_of_negative(self, labels: Floats) -> None:
        columns, negative = self.columns, np.flatnonzero(labels < 0)
        if len(negative) and not columns.has_warned_of_labels:
            columns.has_warned_of_labels = True
            line = columns.line_of(int(negative[0]))
            warn_of_data(
                f"{columns.file}: Negative labels count as 0; the first is in line "
                f"{line}."
            )


def no_rows(columns: Columns) -> DataError:
    """The error of a table without rows."""
    return columns.error("There are no rows", "Give a table with rows", 1)
