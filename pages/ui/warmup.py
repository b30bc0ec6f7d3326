"""How far the kernels are compiled, for as long as they are.

The browser asks for it by a route of the server (`pages.ui.serving.preparing`), not by
drawing a fragment again: every page has this note, and a request that still names the
page before would take the place of the page that has just been opened.
"""

import streamlit as st

from pages.ui.component import component
from pages.ui.serving import preparing

_note = component("warmup", '<p role="status"></p>')


def note() -> None:
    """A line that the app is being prepared; nothing once it is."""
    text = preparing.look()
    if text:
        data = {"path": preparing.PATH, "text": text}
        _note(key="warmup", data=data, height="content")


def compiling() -> None:
    """Say in passing that what a visitor waits for is being compiled."""
    st.toast(
        "Compiling the kernels that this view needs: some seconds, once on this "
        "machine. It goes on by itself.",
        icon=":material/bolt:",
    )
