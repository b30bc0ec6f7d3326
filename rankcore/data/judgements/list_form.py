"""The list form of judgement files of RankLib and search engine tutorials.

A comment such as ``# qid:1: blue mug*1`` gives the text of a query.
"""

import re

from rankcore.data.formats.parts.columns import Columns
from rankcore.data.formats.parts.source import Opened
from rankcore.data.judgements import Form, Rows, is_comment, rows_of

LINE = re.compile(r"\s*(\S+)\s+qid:(\S*)([^#]*)(?:#(.*))?")
# The query id in a list's header, its text, and optionally a weight.
HEAD = re.compile(r"\s*#\s*qid:(\S+?):\s*(.*?)(?:\*\s*[\d.]+)?\s*")
LETOR_DOCUMENT = re.compile(r"\s*docid\s*=\s*(\S+)")


class ListForm(Form):
    """Lines of label, query and, after ``#``, document."""

    name = "lines such as 4 qid:1 # A-1"
    order = 0

    def recognises(self, line: str) -> bool:
        return LINE.fullmatch(line) is not None

    def rows(
        self, source: Opened, columns: Columns, query_texts: dict[str, str]
    ) -> Rows:
        for line, row in rows_of(source):
            if is_comment(row):
                if (head := HEAD.fullmatch(row)) and head[2]:
                    query_texts[head[1]] = head[2]
            elif entry := LINE.fullmatch(row):
                label, query, _, comment = entry.groups("")
                letor = LETOR_DOCUMENT.match(comment)
                words = [letor[1]] if letor else re.split(r"\t|\s+", comment.strip())
                yield line, [query, words[0], label], (2, 4, 1)
            else:
                problem = "The line has no query"
                remedy = "Write label, query and document, such as 4 qid:1 # A-1"
                yield columns.error(problem, remedy, line, 2)
