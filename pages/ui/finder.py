"""A search over views, examples, algorithms and terms of the interface."""

from functools import lru_cache

import streamlit as st

from pages.ui import glossary, link, stage
from pages.ui.catalogue import pages
from rankcore.views import Go
from rankcore.views.entries import entries

WORDS = "Find a view, an example, an algorithm or a term"


@lru_cache(maxsize=1)
def places() -> dict[str, Go | str]:
    """Return the link, or the definition of a term, for each entry's text."""
    terms = {f"Term {term}": text for term, text in glossary.TERMS.items()}
    return {**entries(pages().values()), **terms}


def draw() -> None:
    """Draw the search field; a choice opens its page, or shows a term's definition."""
    chosen = st.selectbox(
        WORDS,
        list(places()),
        index=None,
        placeholder=f"{WORDS} ( / )",
        label_visibility="collapsed",
        key="find",
    )
    entry = places().get(chosen or "")
    if isinstance(entry, Go):
        link.go(entry.page, stage.link_texts(entry))
    elif entry is not None:
        st.info(entry)
