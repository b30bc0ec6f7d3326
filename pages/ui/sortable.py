"""A hand-sized ranking that a visitor drags into order.

A ranking is written ``C2-A0-B1``: documents from the top down, each a letter and its
label. That is what links hold.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import streamlit as st

from pages.ui import state
from pages.ui.hand_list import FEWEST, HIGHEST, LETTERS, MOST, Ranked, read, write
from pages.ui.theme import colours
from rankcore.charts.palette import Palette

HERE = Path(__file__).parent
_sortable = st.components.v2.component(
    "sortable",
    css=(HERE / "sortable.css").read_text("utf-8"),
    js=(HERE / "sortable.js").read_text("utf-8"),
)


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


def draw(
    documents: list[Ranked], key: str, palette: Palette, take: Callable[[str], None]
) -> None:
    """Draw a ranking that can be dragged; ``take`` is called with the new one.

    Parameters
    ----------
    documents : list of Ranked
    key : str
        Of its setting.
    palette : Palette
    take : callable
    """
    fills = [palette.label(label) for label in range(HIGHEST + 1)]

    def moved() -> None:
        ranking = st.session_state[f"sort_{key}"].get("ranking")
        if ranking and read(ranking):
            take(ranking)

    _sortable(
        key=f"sort_{key}",
        data={
            "ranking": write(documents),
            "documents": [document._asdict() for document in documents],
            "fills": fills,
            "inks": [palette.on(fill) for fill in fills],
        },
        on_ranking_change=moved,
    )


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
