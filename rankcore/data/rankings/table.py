"""Rankings in a table, with a header that names query, document and score or rank."""

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import isfinite

from rankcore.base.errors import DataError
from rankcore.data import judgements
from rankcore.data.formats.csv_text import CsvReader
from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.columns import Columns
from rankcore.data.formats.parts.source import Opened
from rankcore.data.rankings import RankingForm, ReturnedDocument

ROLES = ("query", "document", "score")
# Usual names of columns in files of rankings; a score takes precedence over a rank.
NAMES = {
    "query": judgements.NAMES["query"],
    "document": judgements.NAMES["document"],
    "score": ("score", "sim", "similarity", "prediction", "relevance_score", "bm25"),
    "rank": ("rank", "position", "pos", "place"),
}


class RankingTable(RankingForm):
    """CSV, for files that no other form recognises."""

    name = "CSV with columns query, document and score"
    order = 9

    def recognises(self, line: str) -> bool:
        return True

    def rows(self, source: Opened) -> Iterator[ReturnedDocument]:
        columns = Columns(source.name, names=NAMES)
        begin, whole = source.peek()
        figure = _figure(replace(source, stream=io.BytesIO(begin)))
        sign = -1.0 if figure == "rank" else 1.0
        for row in CsvReader(whole, columns).cells([*ROLES[:2], figure]):
            if isinstance(row, DataError):
                raise row
            line, cells = row
            query, document, text = (cell.strip() for cell in cells)
            for role, cell in (("query", query), ("document", document)):
                if not cell:
                    problem = f"The {role} is missing"
                    remedy = "Give the query and document of every row"
                    raise columns.error(problem, remedy, line, role)
            score = number(text)
            if not isfinite(score):
                raise columns.error(
                    f"The {figure} {shown(text)!r} is not a finite number",
                    "Give each document a number",
                    line,
                    figure,
                )
            yield ReturnedDocument(query, document, sign * score, line)


def _figure(begin: Opened) -> str:
    """Return the role of the column that orders documents, score or rank."""
    columns = Columns(begin.name, names=NAMES)
    with suppress(DataError):
        usual = columns.usual(CsvReader(begin, columns).head(0)[0])
        if usual["score"] is None and usual["rank"] is not None:
            return "rank"
    return "score"
