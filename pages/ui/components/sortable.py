"""A hand-sized ranking that a visitor drags into order.

A ranking is written ``C2-A0-B1``: documents from the top down, each a letter and its
label. Links use this format.
"""

from collections.abc import Callable

import streamlit as st

from pages.ui.components import component
from rankcore.plot.palette import Palette
from rankcore.topics.measuring.hand_list import HIGHEST, Ranked, read, write

_sortable = component("sortable")


def draw(
    documents: list[Ranked], key: str, palette: Palette, take: Callable[[str], None]
) -> None:
    """Draw the ranking of the setting ``key`` that can be dragged; ``take`` is called
    with the new one."""
    fills = [palette.label(label) for label in range(HIGHEST + 1)]

    def take_order() -> None:
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
        on_ranking_change=take_order,
    )
