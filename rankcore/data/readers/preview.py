"""Previews of files: first rows, and the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from rankcore.data.dataset import SPLIT_WORDS
from rankcore.data.formats import of_name, recoded
from rankcore.data.formats.parts.cells import (
    DECIMAL_COMMA,
    is_word,
    number,
    shown,
)
from rankcore.data.formats.parts.columns import (
    Columns,
    Header,
    is_row_number,
    is_weight,
)
from rankcore.data.formats.parts.first_rows import FIRST_ROWS, FirstRows
from rankcore.data.formats.parts.source import Limits, Source, opened, source_name
from rankcore.data.formats.parts.table import table_of
from rankcore.data.judgements import Judgements

FEATURE, GROUP, SCORE, IGNORE = "feature", "group", "score", "ignore"
WEIGHTS, DOCUMENT_WEIGHTS = "weights", "document_weights"
_EXAMPLES = 3
# Usual names of text columns for documents or queries.
_TITLES = {"title", "name", "headline", "document_title", "product_title"}
_SEARCHES = {
    "query", "query_string", "search", "search_term", "search_terms", "keyword",
    "keywords",
}  # fmt: skip
_GROUPS = {"segment", "group", "traffic", "head_tail"}
# Usual names of numeric columns with scores of a production model.
_SCORES = {
    "score_in_use", "current_score", "production_score", "live_score", "model_score",
}  # fmt: skip
# Names of the weight columns of `RankingDataset.to_frame`.
_WEIGHTS = {"query_weight": WEIGHTS, "document_weight": DOCUMENT_WEIGHTS}
_SPLITS = {word for words in SPLIT_WORDS.values() for word in words}


class PreviewColumn(NamedTuple):
    """A column of a table, and its detected role.

    Attributes
    ----------
    role : str
        ``label``, ``query``, ``document``, ``text``, ``query_text``, `WEIGHTS`,
        `DOCUMENT_WEIGHTS`, `GROUP`, `SCORE`, `FEATURE` or `IGNORE`.
    reason : str
        The reason, as a sentence without the full stop.
    examples : tuple of str
        Some values.
    """

    name: str
    role: str
    reason: str
    examples: tuple[str, ...]

    @property
    def splits(self) -> bool:
        """Whether it seems to contain the split of each query."""
        return bool(self.examples) and _name_splits(self.examples)


class Preview(NamedTuple):
    """The columns of a table and its first rows.

    Attributes
    ----------
    rows : sequence of sequences
        At most `FIRST_ROWS`, each with one cell per column.
    """

    columns: tuple[PreviewColumn, ...]
    rows: Sequence[Sequence[object]]

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column by name."""
        return {column.name: column.role for column in self.columns}


def preview_table(
    source: Source,
    name: str | None = None,
    limits: Limits | None = None,
    header: Header | None = None,
    encoding: str | None = None,
) -> Preview:
    r"""Return the columns of a table and its first rows.

    A column with a usual name has the role that `read_table` detects. Other columns of
    numbers are features; columns of words are a text, the document id, or ignored.

    Parameters
    ----------
    source : path, bytes or binary file
        CSV or Parquet, as for `read_table`.
    name : str, optional
        Name of the file in messages.
    limits, header, encoding
        As for `read_table` and `read`.

    Raises
    ------
    DataError
        If the file is not a table.

    Examples
    --------
    >>> table = b"Grade,topic,sku,title,f1\n2,a,A-1,Blue mug,0.5\n0,a,A-2,Red cup,1\n"
    >>> for column in preview_table(table).columns[2:]:
    ...     print(f"{column.name}: {column.role} ({column.reason})")
    sku: document (Holds another word in each row)
    title: text (Holds words, and its name is usual for a text)
    f1: feature (Holds numbers)
    """
    file = source_name(source, name)
    columns = Columns(file, {"header": header})
    with (
        recoded(source, file, encoding) as text,
        opened(text, file, limits) as opened_source,
    ):
        kind, whole = table_of(opened_source)
        names, rows = kind.head(whole, columns, FIRST_ROWS)
    return Preview(_detected(columns, names, rows), rows)


def first_rows(
    source: Source,
    name: str | None = None,
    judgements: Judgements | None = None,
    limits: Limits | None = None,
) -> FirstRows:
    r"""Return the first documents of LETOR text or of a feature log.

    Only the beginning of the file is read: about a megabyte, or its first line; a log
    that is one JSON text is read as a whole.

    Parameters
    ----------
    source : path, bytes or binary file
        A feature log if it has such a suffix, otherwise LETOR text.
    name : str, optional
        Name of the file.
    judgements : dict, optional
        The labels of a feature log, as for `read_feature_log`.
    limits : Limits, optional
        As for `read_letor`.

    Returns
    -------
    FirstRows
        The documents before the first invalid one.

    Examples
    --------
    >>> first_rows(b"2 qid:7 1:0.5 3:4 # A-1\n0 qid:7 1:zero\n").rows
    [{'query': '7', 'document': 'A-1', 'label': 2, 'f1': 0.5, 'f2': 0.0, 'f3': 4.0}]
    """
    with opened(source, name, limits) as opened_source:
        return of_name(opened_source.name).first_rows(
            opened_source, {"judgements": judgements}
        )


def reading_options(preview: Preview, roles: dict[str, str]) -> dict[str, object]:
    """Return the arguments of `read` that give columns these roles.

    Parameters
    ----------
    roles : dict
        Column → role, of every column.

    Returns
    -------
    dict
        Arguments of `read`, and of `read_table` if no column has the role `WEIGHTS` or
        `DOCUMENT_WEIGHTS`, without roles that are detected.
    """
    used_columns = [name for name, role in roles.items() if role != IGNORE]
    several = {
        name: [column for column, role in roles.items() if role == name]
        for name in (GROUP, SCORE, IGNORE)
    }
    usual = Columns("", several).usual(used_columns)
    wanted = dict.fromkeys(usual, "")
    wanted |= {role: name for name, role in roles.items() if role in usual}
    options: dict[str, object] = {
        role: name for role, name in wanted.items() if name != (usual[role] or "")
    }
    weights = WEIGHTS, DOCUMENT_WEIGHTS
    options |= {name: column for column, name in roles.items() if name in weights}
    return options | {name: columns for name, columns in several.items() if columns}


def _detected(
    columns: Columns, names: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[PreviewColumn, ...]:
    usual = columns.usual(names)
    by_name = {name: role for role, name in usual.items() if name is not None}
    free = {role for role, name in usual.items() if name is None}
    previews = []
    for at, name in enumerate(names):
        cells = [row[at] for row in rows]
        if name in by_name:
            role, reason = by_name[name], "Its name is usual for this"
        elif not at and is_row_number(name):
            role, reason = IGNORE, "Has no name: row numbers, as pandas writes them"
        else:
            role, reason = _by_content(name, cells, free)
            free.discard(role)
        examples = dict.fromkeys(
            shown(cell) for cell in cells if cell not in ("", None)
        )
        previews.append(PreviewColumn(name, role, reason, tuple(examples)[:_EXAMPLES]))
    return tuple(previews)


def _by_content(name: str, cells: Sequence[object], free: set[str]) -> tuple[str, str]:
    """Return the role of a column without a usual name, and the reason."""
    cells = [
        cell.replace(",", ".")
        if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell)
        else cell
        for cell in cells
    ]
    words = [cell for cell in cells if is_word(cell)]
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    # The reader will refuse an invalid cell among numbers.
    if len(words) < sum(isfinite(number(cell)) for cell in cells):
        if plain in _SCORES:
            return SCORE, "Holds numbers, and its name is usual for scores in use"
        if plain in _WEIGHTS:
            return _WEIGHTS[plain], "Holds numbers, and its name is usual for weights"
        if is_weight(name):
            return FEATURE, "Holds numbers. If they are weights, choose that role"
        return FEATURE, "Holds numbers"
    if not words:
        return IGNORE, "Is empty in the first rows"
    if _name_splits(words):
        return GROUP, "Holds the names of splits"
    if plain in _TITLES and "text" in free:
        return "text", "Holds words, and its name is usual for a text"
    if plain in _SEARCHES and "query_text" in free:
        return "query_text", "Holds words, and its name is usual for searches"
    if plain in _GROUPS:
        return GROUP, "Holds words, and its name is usual for groups of queries"
    blanks = any(" " in str(cell) for cell in words)
    if "document" in free and not blanks and len(set(map(str, cells))) == len(cells):
        return "document", "Holds another word in each row"
    return IGNORE, "Holds words, and its name says nothing"


def _name_splits(words: Sequence[object]) -> bool:
    return all(str(word).strip().lower() in _SPLITS for word in words)
