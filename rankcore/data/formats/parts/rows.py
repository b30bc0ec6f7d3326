"""The columns of a table other than features, and the resulting data set."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from sys import getsizeof

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import (
    LARGEST_EXACT,
    Floats,
    Integers,
    aligned,
    owned,
    whole_or_not,
)
from rankcore.base.errors import DataError, warn_of_data
from rankcore.data.dataset import MAX_EXPONENTIAL_LABEL, Gain, RankingDataset
from rankcore.data.formats import stem
from rankcore.data.formats.parts.cells import GRADES
from rankcore.data.formats.parts.columns import (
    Columns,
)
from rankcore.data.formats.parts.good_rows import GoodRows
from rankcore.data.formats.parts.repairs import (
    COPIES,
    groups_of_copies,
    kept_rows,
    note,
    note_copies,
    renumbered,
    takes_notes,
)
from rankcore.data.formats.parts.source import LESS, Limits


class Rows:
    """Queries, documents and texts of the rows read so far."""

    def __init__(self, columns: Columns, limits: Limits) -> None:
        self.columns = columns
        self.limits = limits
        self.n_bytes = 0
        self.codes = array("q")
        self.queries: dict[str, int] = {}
        self.documents: list[str] = []
        self.texts: list[str] = []
        # For each query, its text and its groups.
        self.query_words: list[tuple[str | None, ...]] = []
        # Numbers of the rows of the data set, in order, after it is made.
        self.numbers: Integers = np.arange(0)

    def __len__(self) -> int:
        return len(self.codes)

    def check_width(self, n_columns: int) -> None:
        """Refuse a table with too many columns."""
        if n_columns > self.limits.features:
            most = self.limits.features
            problem = f"{n_columns} columns are too many: at most {most} are accepted"
            raise self.columns.error(problem, LESS, 1)

    def check_shape(self, n_rows: int) -> None:
        """Refuse a table with too many rows, naming the first one beyond the limit."""
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
        """Add the values of a row other than label and features.

        Parameters
        ----------
        query, document, text : str or None
            None if the table has no such column.
        *words : str or None
            The text of the query, and its groups.

        Raises
        ------
        DataError
            If the query id is missing, the query has another text or group in a row
            above, or the texts are too long.
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

    def add_all(self, cells: Mapping[str, Sequence[str]], n: int) -> None:
        """Add the identifiers of ``n`` rows."""
        absent = [None] * n
        columns = (cells[c] if c else absent for c in self.columns.identifiers)
        for row in zip(*columns, strict=True):
            self.add(*row)

    def check_new(self, at: int, pairs: set[tuple[int, str]]) -> None:
        """Add the document of a row to ``pairs``; refuse one that its query already
        has.

        Raises
        ------
        DataError
        """
        if not self.documents:
            return
        pair = self.codes[at], self.documents[at]
        if pair in pairs:
            raise self.repeated(at)
        pairs.add(pair)

    def repeated(self, at: int) -> DataError:
        """Return the error of a row whose document the query already has."""
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
        """The columns with equal values in all rows of a query."""
        return [self.columns.query_text, *self.columns.groups]

    def _differing(
        self, query: str, code: int, words: tuple[str | None, ...]
    ) -> DataError:
        """Return the error of a row whose query texts differ from the query's first
        row."""
        columns = self.columns
        pairs = zip(words, self.query_words[code], strict=True)
        column = self._of_queries[next(i for i, (a, b) in enumerate(pairs) if a != b)]
        what = "text" if column == columns.query_text else repr(column)
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
        """Return the data set of these rows.

        Parameters
        ----------
        X : (n, d) float64
            Features, finite except missing ones; the data set takes ownership.
        figures : (n, 1 + s) float64
            Unchecked labels, finite except missing ones; and finite scores of
            production models. Without a label column, only the scores.
        gain : {"exponential", "linear"}

        Raises
        ------
        DataError
            If there is no row, a label is not a grade, or a document occurs twice.
        """
        columns = self.columns
        figures = self._with_labels(figures)
        codes = np.array(self.codes, dtype=np.int64)
        self._note_gaps(X, figures[:, 0])
        self.numbers = self._remaining_rows(codes, X, figures[:, 0])
        labels, grades = figures[:, 0], self.grades(figures[:, 0], gain)
        self._warn_of_negative(labels)
        documents, texts, queries = self.documents, self.texts, tuple(self.queries)
        query_words = self.query_words
        if len(self.numbers) < len(codes):
            rows = self.numbers.tolist()
            labels, grades, figures = (of[rows] for of in (labels, grades, figures))
            stays, X = X[rows], aligned((len(rows), X.shape[1]))
            X[...] = stays
            codes, old = renumbered(codes[self.numbers])
            queries = tuple(queries[code] for code in old)
            query_words = [query_words[code] for code in old if query_words]
            documents = [documents[row] for row in rows if documents]
            texts = [texts[row] for row in rows if texts]
        columns.fill(X)
        by_column = zip(*query_words, strict=True)
        words = dict(zip(self._of_queries, by_column, strict=False))
        scores = dict(zip(columns.scores, figures.T[1:], strict=True))
        try:
            dataset = RankingDataset.from_codes(
                owned(X),
                owned(grades),
                codes,
                queries,
                doc_ids=None if columns.document is None else documents,
                doc_texts=None if columns.text is None else texts,
                query_texts=columns.query_text and words[columns.query_text],
                query_groups={name: words[name] for name in columns.groups} or None,
                doc_scores=scores or None,
                feature_names=tuple(columns.features),
                name=stem(columns.file),
                missing="keep" if columns.missing == "keep" else None,
            )
        except DataError as error:
            if error.file is not None or error.line is None:
                raise
            line = columns.line_of(int(self.numbers[error.line - 1]))
            raise columns.error(
                error.problem, error.remedy, line, columns.document
            ) from error
        judged = ~np.isnan(labels)
        if not judged.all():
            dataset = replace(dataset, judged=owned(judged[dataset.rows]))
        return dataset

    def good_rows(
        self, X: Floats, lines: Integers, errors: dict[int, DataError]
    ) -> GoodRows:
        """Return these rows without labels, by lines (n,) from 0, and the errors of
        others."""
        columns, documents = self.columns, self.documents
        codes = np.array(self.codes, dtype=np.int64)
        doc_ids = None if columns.document is None else documents
        names, queries = tuple(columns.features), tuple(self.queries)
        rows = GoodRows(
            X, names, codes, queries, doc_ids, lines, errors, columns.document
        )
        if columns.missing == "rows":
            whole = np.asarray(~np.isnan(X).any(axis=1))
            columns.n_left_out["with missing values"] += int((~whole).sum())
            rows = rows.at(whole)._replace(errors=errors)
        columns.fill(rows.X)
        return rows

    def cut(self, n: int) -> None:
        """Discard the rows from number ``n`` on."""
        del self.codes[n:]
        del self.documents[n:]
        del self.texts[n:]
        count = max(self.codes, default=-1) + 1
        for query in list(self.queries)[count:]:
            del self.queries[query]
        del self.query_words[count:]

    def _with_labels(self, figures: Floats) -> Floats:
        """Return the figures of rows, with labels 0 if rows are read without labels.
        Raises DataError if there is no row."""
        if not len(self):
            raise no_rows(self.columns)
        if self.columns.label:
            return figures
        return np.column_stack([np.zeros(len(figures)), figures])

    def _remaining_rows(self, codes: Integers, X: Floats, labels: Floats) -> Integers:
        """Return the rows that stay by `Columns.repairs` and their missing values."""
        columns, repairs = self.columns, self.columns.repairs
        stays = np.ones(len(codes), dtype=np.bool_)

        def leave_out(others: NDArray[np.bool_], reason: str) -> None:
            columns.n_left_out[reason] += int((stays & others).sum())
            stays[others] = False

        if repairs.unjudged == "drop":
            leave_out(np.isnan(labels), "without a label")
        if columns.missing == "rows":
            gaps = np.asarray(np.isnan(X).any(axis=1))
            leave_out(gaps, "with missing values")
        if repairs.duplicates is not None or takes_notes():
            row_numbers = np.flatnonzero(stays)
            documents = [self.documents[row] for row in row_numbers if self.documents]
            copies = groups_of_copies(codes[row_numbers], documents, X[row_numbers])
            self._note_copies(row_numbers, copies, labels)
            if repairs.duplicates is not None:
                mask = kept_rows(copies, labels[row_numbers], repairs.duplicates)
                others = np.zeros_like(stays)
                others[row_numbers] = ~mask
                leave_out(others, COPIES)
        if not stays.any():
            raise columns.error(
                "No row remains",
                "Fill in labels and values, or leave out fewer rows",
                columns.line_of(0),
            )
        return np.flatnonzero(stays)

    def _note_gaps(self, X: Floats, labels: Floats) -> None:
        """Note rows without a label or with a negative one, and missing values."""
        if not takes_notes():
            return
        missing = np.isnan(X)
        names, counts = self.columns.features, missing.sum(axis=0)
        lacking = {names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
        self._note("unjudged", np.flatnonzero(np.isnan(labels)))
        self._note("negative", np.flatnonzero(labels < 0))
        self._note("missing", np.flatnonzero(missing.any(axis=1)), lacking)

    def _note_copies(
        self, counts: Integers, copies: Sequence[Sequence[int]], labels: Floats
    ) -> None:
        if not takes_notes():
            return
        groups = []
        for rows in copies:
            row_labels = labels[counts[rows]]
            groups.append(
                (rows, np.unique(np.maximum(row_labels[~np.isnan(row_labels)], 0)).size)
            )
        lines = np.array([self.columns.line_of(int(row)) for row in counts])
        kind = "copies" if self.documents else "alike"
        note_copies(kind, groups, (self.columns.file, lines))

    def _note(
        self, kind: str, rows: Integers, columns: dict[str, int] | None = None
    ) -> None:
        lines = (int(self.columns.line_of(int(row))) for row in rows)
        note(kind, self.columns.file, lines, len(self), columns)

    def grades(self, labels: Floats, gain: Gain, first: int = 0) -> Integers:
        """Return the grades of (n,) labels of rows from ``first`` on, or fractions if
        allowed.

        Negative labels, which some judges give to spam, become 0.

        Raises
        ------
        DataError
            If a label is not a grade.
        """
        labels = np.where(np.isnan(labels), 0.0, labels)  # may be missing here
        largest = MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_EXACT
        label_grades = self.columns.labels
        is_fractional = label_grades is not None and label_grades.fractional
        whole = (np.floor(labels) == labels) | is_fractional
        wrong = np.flatnonzero(~whole | (labels > largest))
        if len(wrong):
            row = int(wrong[0])
            problem = "not a whole number from 0 up"
            raise self.columns.error(
                f"The label {labels[row]:g} is "
                + (f"above {largest:g}" if whole[row] else problem),
                "Use grades such as 0 (irrelevant), 1 and 2"
                + f", or {GRADES}" * (not whole[row])
                + ", or read the table for the linear gain (--label-gain linear)"
                * bool(whole[row]),
                self.columns.line_of(first + row),
                self.columns.label,
            )
        return whole_or_not(np.maximum(labels, 0))

    def _warn_of_negative(self, labels: Floats) -> None:
        columns, negative = self.columns, np.flatnonzero(labels < 0)
        if len(negative) and not columns.has_warned_of_labels:
            columns.has_warned_of_labels = True
            warn_of_negative(columns.file, columns.line_of(int(negative[0])))


def warn_of_negative(file: str, line: int) -> None:
    """Warn that negative labels count as 0, with the line of the first; 0 for none."""
    if line:
        warn_of_data(
            f"{file}: Negative labels count as 0; the first is in line {line}.", 3
        )


def no_rows(columns: Columns) -> DataError:
    """Return the error of a table without rows."""
    return columns.error("There are no rows", "Give a table with rows", 1)
