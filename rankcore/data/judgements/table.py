"""Judgements in a table, with a header that names query, document and label."""

from rankcore.base.errors import DataError
from rankcore.data.formats.csv_text import CsvReader
from rankcore.data.formats.parts.cells import MISSING
from rankcore.data.formats.parts.columns import (
    Columns,
)
from rankcore.data.formats.parts.source import Opened
from rankcore.data.judgements import ROLES, Form, Rows


class JudgementTable(Form):
    """CSV, for files that no other form recognises."""

    name = "CSV"
    order = 9

    def recognises(self, line: str) -> bool:
        return True

    def rows(
        self, source: Opened, columns: Columns, query_texts: dict[str, str]
    ) -> Rows:
        for row in CsvReader(source, columns).cells(ROLES):
            if isinstance(row, DataError):
                yield row
                continue
            line, cells = row
            cells = [cell.strip() for cell in cells]
            label = cells[ROLES.index("label")]
            grade = label if columns.labels is None else columns.labels(label)
            if str(grade).lower() not in MISSING:
                yield line, cells, ROLES
