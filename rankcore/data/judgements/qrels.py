"""TREC qrels: lines of query, 0, document and label."""

import re
from math import isnan

from rankcore.data.formats.parts.cells import number, shown
from rankcore.data.formats.parts.columns import (
    Columns,
)
from rankcore.data.formats.parts.source import Opened
from rankcore.data.judgements import (
    NAMES,
    Form,
    Rows,
    rows_of,
)

WORDS = 4


class Qrels(Form):
    """TREC qrels."""

    name = "TREC qrels"
    order = 1

    def recognises(self, line: str) -> bool:
        """Return whether a line is one of TREC qrels, not the header of a table."""
        words = _words(line)
        if len(words) != WORDS or re.search("[,;|]", line):
            return False
        if not isnan(number(words[-1])):
            return True
        names = [cell.strip().strip('"') for cell in line.split("\t")]
        return Columns("", names=NAMES).usual(names)["label"] is None

    def rows(
        self, source: Opened, columns: Columns, query_texts: dict[str, str]
    ) -> Rows:
        is_first = True
        for line, row in rows_of(source):
            words = _words(row)
            if not words or words[0].startswith("#"):
                continue
            is_header = is_first and isnan(number(words[-1]))
            is_first = False
            if is_header:
                yield columns.error(
                    f"The label {shown(words[-1])!r} of these TREC qrels is not a "
                    "number",
                    "Write query, 0, document and label on each line, such as 1 0 A-1 "
                    "2, without a header; or give CSV with the columns query, document "
                    "and label",
                    line,
                    len(words),
                )
            elif len(words) == WORDS:
                yield line, [words[0], *words[2:]], (1, 3, 4)
            else:
                yield columns.error(
                    f"The line has {len(words)} words, not {WORDS}",
                    "Write query, 0, document and label, separated by spaces",
                    line,
                    min(len(words), WORDS) + 1,
                )


def _words(line: str) -> list[str]:
    """Return the words of a line, without a comment after them."""
    words = line.split()
    has_comment = len(words) > WORDS and words[WORDS].startswith("#")
    return words[:WORDS] if has_comment else words
