"""A hand-sized ranking that a visitor drags into order.

A ranking is written ``C2-A0-B1``: documents from the top down, each a letter and its
label. That is what links hold.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.ui import state
from pages.ui.theme import colours

HERE = Path(__file__).parent
FEWEST, MOST, HIGHEST = 2, 12, 4
LETTERS = "ABCDEFGHIJKL"

_WRITTEN = re.compile(
    rf"[A-{LETTERS[-1]}][0-{HIGHEST}](-[A-{LETTERS[-1]}][0-{HIGHEST}])*"
)

_sortable = st.components.v2.component(
    "sortable",
    css=(HERE / "sortable.css").read_text("utf-8"),
    js=(HERE / "sortable.js").read_text("utf-8"),
)


class Ranked(NamedTuple):
    """A document of a hand-sized ranking: its letter and its label."""

    name: str
    label: int


def read(ranking: str) -> list[Ranked] | None:
    """The documents of a written ranking, or None if it is not one."""
    if not _WRITTEN.fullmatch(ranking):
        return None
    documents = [Ranked(part[0], int(part[1:])) for part in ranking.split("-")]
    distinct = len({document.name for document in documents}) == len(documents)
    return documents if distinct and FEWEST <= len(documents) <= MOST else None


def write(documents: list[Ranked]) -> str:
    """Write a ranking as links hold it."""
    return "-".join(f"{document.name}{document.label}" for document in documents)


def ranking(key: str) -> list[Ranked]:
    """Draw the ranking of the setting ``key``; returns its documents, the top first."""
    documents = read(str(state.get(key))) or read(state.default(key)) or []
    palette = colours()
    fills = [palette.label(label) for label in range(HIGHEST + 1)]
    _sortable(
        key=f"sort_{key}",
        data={
            "ranking": write(documents),
            "documents": [document._asdict() for document in documents],
            "fills": fills,
            "inks": [palette.on(fill) for fill in fills],
        },
        on_ranking_change=lambda: _take(key),
    )
    state.put(key, write(documents))
    return documents


def resize(key: str, count: int) -> None:
    """Add documents of label 0 at the end, or take the last ones away."""
    documents = (read(str(state.get(key))) or [])[:count]
    free = [letter for letter in LETTERS if letter not in {d.name for d in documents}]
    added = [Ranked(letter, 0) for letter in free[: count - len(documents)]]
    state.put(key, write(documents + added))


def fill(key: str, labels: Iterable[int]) -> None:
    """Make a ranking of the first of these labels, the documents named in order."""
    shown = [min(int(label), HIGHEST) for label in labels][:MOST]
    shown += [0] * (FEWEST - len(shown))
    state.put(key, write([*map(Ranked, LETTERS, shown)]))


def _take(key: str) -> None:
    moved = st.session_state[f"sort_{key}"].get("ranking")
    if moved and read(moved):
        state.put(key, moved)
