"""A search over views, examples, algorithms and terms of the interface."""

from functools import lru_cache

import streamlit as st

from pages.ui import gallery, glossary, link, stage
from pages.ui.catalogue import pages
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.views import Go

WORDS = "Find a view, an example, an algorithm or a term"


@lru_cache(maxsize=1)
def entries() -> dict[str, Go | str]:
    """Return where each entry leads, or the definition of a term, by their words."""
    found: dict[str, Go | str] = {}
    for card in gallery.cards(without=("home",)):
        words = f"{card.title}: {card.view.question}"
        found[words] = Go(words, card.page.name, card.settings)
    for page in pages().values():
        for name in page.views:
            raw = {page.key: name} if page.choice is not None else {}
            for title, changes in page.scenarios(raw).items():
                words = f"Example on {page.title}: {title}"
                found[words] = Go(words, page.name, changes)
    for name in list_algorithms():
        cls = get_algorithm(name)
        words = f"Algorithm {cls.title}: {cls.summary}"
        found[words] = Go(words, "train", {"algorithm": name})
    return found | {f"Term {term}": text for term, text in glossary.TERMS.items()}


def draw() -> None:
    """Draw the field; what is chosen opens its page, or its definition below."""
    chosen = st.selectbox(
        WORDS,
        list(entries()),
        index=None,
        placeholder=f"{WORDS} ( / )",
        label_visibility="collapsed",
        key="find",
    )
    entry = entries().get(chosen or "")
    if isinstance(entry, Go):
        link.go(entry.page, stage.named(entry))
    elif entry is not None:
        st.info(entry)
