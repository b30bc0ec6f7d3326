"""Which column of a table is the label, the query, the document, or a feature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rankcore.errors import DataError

LABEL_NAMES = (
    "label", "relevance", "rel", "grade", "rating", "judgment", "judgement", "target",
    "y",
)  # fmt: skip
QUERY_NAMES = (
    "qid", "query", "query_id", "queryid", "topic", "topic_id", "session",
    "session_id", "search_id", "srch_id", "group", "group_id", "q",
)  # fmt: skip
DOCUMENT_NAMES = (
    "document", "docid", "doc_id", "document_id", "docno", "doc", "url", "item",
    "item_id", "product_id", "prop_id",
)  # fmt: skip


class Columns:
    """Which column is what, and the file they are in."""

    def __init__(
        self,
        label: str | None,
        query: str | None,
        document: str | None,
        features: Sequence[str] | None,
        file: str,
    ) -> None:
        self.wanted = {"label": label, "query": query, "document": document}
        self.feature_names = features
        self.file = file
        self.line_of: Callable[[int], int] = lambda row: row + 1

    @property
    def identifiers(self) -> list[str]:
        """The columns that hold identifiers."""
        return [c for c in (self.query, self.document) if c is not None]

    def find(self, names: Iterable[str]) -> None:
        """Decide on the columns, given those there are."""
        columns = list(names)
        self._check_distinct(columns)
        self.label = self._required("label", LABEL_NAMES, columns)
        self.query = self._required("query", QUERY_NAMES, columns)
        self.document = self._find("document", DOCUMENT_NAMES, columns)
        taken = {self.label, self.query, self.document}
        others = [column for column in columns if column not in taken]
        self.features = list(self.feature_names or others)
        for feature in self.features:
            if feature not in columns:
                raise self._absent("feature", feature, columns)
        if not self.features:
            raise self.error("There is no feature column", "Add a column of numbers", 1)

    def error(
        self, problem: str, remedy: str, line: int, column: str | None = None
    ) -> DataError:
        return DataError(problem, remedy, self.file, line, column)

    def _check_distinct(self, columns: list[str]) -> None:
        for i, column in enumerate(columns):
            if column in columns[:i]:
                problem = f"Two columns are called {column!r}"
                raise self.error(problem, "Rename one of them", 1, column)

    def _find(
        self, role: str, usual: tuple[str, ...], columns: list[str]
    ) -> str | None:
        wanted = self.wanted[role]
        if wanted is not None and wanted not in columns:
            raise self._absent(role, wanted, columns)
        plain = {re.sub(r"[\s-]+", "_", c.strip().lower()): c for c in columns[::-1]}
        return wanted or next((plain[name] for name in usual if name in plain), None)

    def _required(self, role: str, usual: tuple[str, ...], columns: list[str]) -> str:
        found = self._find(role, usual, columns)
        if found is None:
            raise self.error(
                f"No column looks like the {role} ({_listing(columns)})",
                f"Say which one it is with {role}=…, or call it {usual[0]!r}",
                1,
            )
        return found

    def _absent(self, role: str, wanted: str, columns: list[str]) -> DataError:
        return self.error(
            f"There is no {role} column {wanted!r} ({_listing(columns)})",
            "Name one of the columns there are",
            1,
        )


def _listing(columns: list[str]) -> str:
    more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
    return f"the columns are {', '.join(columns[:8])}{more}"
