"""Numbers that people read have three significant digits at most; measures, and other
numbers up to 1, have three decimals at most.

Numbers without a decimal point are counts, seeds and identifiers, and may be long. So
may parts of names (``q1.2345``) and of addresses, and what a paper prints, which is
quoted as printed. A percentage may be 100.0. What is copied to run has full digits and
is not looked at: commands, Python, links and files; nor is a field to type into.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from rankcore.topics.papers.results import Results
from rankcore.views import (
    Act,
    Begin,
    Caption,
    Choice,
    Declared,
    Go,
    Notice,
    Panel,
    Popover,
    Runs,
    Setting,
    Shown,
    Table,
    Tiles,
    Values,
    Words,
    flat,
)

DIGITS = 3
_NUMBER = re.compile(r"(?<![\w./:])(\d*)\.(\d+)(?:[eE][+-]?\d+)?(?![\w/]|\.\d)")
_QUOTED = re.compile(
    r"(arxiv|doi|isbn)\S*\s*\S+|https?://\S+|(paper:|printed) [\d.]+\d|100\.0 ?%"
    r"|\*\*The paper says\*\*(?s:.*)",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"(?<![\w.,·−-])1 (?:cell|document|feature|file|fold|iteration|model|pair|point|"
    r"querie|restart|round|run|seed|step|value)s\b"
)
# Columns and texts of what papers print.
_PRINTED = re.compile("printed|published|Explain, Why a sharp surrogate needs restarts")


def long_numbers(text: str) -> list[str]:
    """The decimal numbers in a text that have too many digits."""
    if "." not in text:
        return []
    return [
        match.group()
        for match in _NUMBER.finditer(_QUOTED.sub("", text))
        if _is_long(*match.groups())
    ]


def _is_long(whole: str, decimals: str) -> bool:
    significant = len(f"{whole}{decimals}".lstrip("0"))
    small = int(whole or 0) == 0 or float(f"{whole}.{decimals}") == 1.0
    return significant > DIGITS and not (small and len(decimals) <= DIGITS)


def too_long(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Where a number is too long, and which."""
    for where, text in texts:
        long = long_numbers(text)
        if long and not (_PRINTED.search(where) or text.startswith(_findings())):
            yield from (f"{where} has the number {number}" for number in long)


def plurals(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Where one thing has the plural."""
    for where, text in texts:
        for one in _ONE_OF_MANY.findall(text) if "1 " in text else ():
            yield f"{where} says {one}"


@cache
def _findings() -> tuple[str, ...]:
    """What was found of papers: stored, and to be compared with printed values."""
    return tuple(one.why for one in Results.shipped().outcomes.values() if one.why)


def of_shown(shown: Shown) -> Iterator[tuple[str, str]]:
    """Every text that a view shows, with where it stands."""
    for fact in shown.facts:
        yield f"fact {fact.meaning}", " | ".join(fact)
    for block in flat(shown.blocks):
        yield from _of_block(block)


def _of_block(block: Any) -> Iterator[tuple[str, str]]:
    kind = type(block).__name__
    if isinstance(block, Caption | Words | Notice):
        yield kind, block.text
    elif isinstance(block, Act | Begin | Go):
        yield kind, f"{block.label} | {block.help}"
    elif isinstance(block, Runs):
        for row in block.rows:
            yield kind, f"{row.name} | {row.note}"
    elif isinstance(block, Tiles):
        yield kind, f"{block.title} | {block.note} | {block.alt}"
    elif isinstance(block, Popover):
        yield kind, block.title
    elif isinstance(block, Table):
        yield from _of_table(block)
    elif isinstance(block, Panel):
        yield (
            f"panel {block.key}",
            f"{block.title} | {block.note} | {block.picture.alt}",
        )
        for note in block.picture.layout.get("annotations", ()):
            yield f"label in {block.key}", note["text"]


def _of_table(block: Table) -> Iterator[tuple[str, str]]:
    yield f"table {block.key}", f"{block.title} | {block.note}"
    drawn, formats = block.drawn()
    for name, column in drawn.items():
        yield f"table {block.key}", name
        if name not in block.lines:
            for value in column:
                yield f"{block.key}: {name}", _cell(value, formats.get(name, "%.4f"))


def _cell(value: Any, form: str) -> str:
    """A value as Streamlit draws it: without a format it has up to four decimals."""
    if not isinstance(value, float | np.floating):
        return str(value)
    return f"{value:g}" if value % 1.0 == 0.0 else form % value


def of_controls(rows: Sequence[Setting], values: Values) -> Iterator[tuple[str, str]]:
    """Every text of the controls of settings."""
    for row in rows:
        if not row.matters(values):
            continue
        yield f"control {row.key}", f"{row.title} | {row.meaning}"
        for text in (row.note, row.about):
            if text is not None:
                yield f"control {row.key}", text(values)
        if isinstance(row, Declared | Choice):
            for label in row.labels(values).values():
                yield f"control {row.key}", str(label)


def of_tabs(tabs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every text of an explanation."""
    for title, text in tabs.items():
        yield f"Explain, {title}", text
