"""Progress of compiling kernels, shown until they are compiled.

The browser requests it from a route of the server (`pages.ui.serving.preparing`)
instead of redrawing a fragment. Every page has this note, and a request that still
names the previous page would replace the page that has just been opened.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from pages.ui.components import component
from pages.ui.serving import preparing
from rankcore.base.compiling import telling

COMPILING = (
    "Compiling the kernels that this view needs, once on this machine (a few seconds). "
    "The view then appears by itself."
)

_note = component("warmup", '<p role="status"></p>')


def note() -> None:
    """Draw a line that says the app is being prepared; nothing once it is ready."""
    text = preparing.look()
    if text:
        data = {"path": preparing.PATH, "text": text}
        _note(key="warmup", data=data, height="content")


@contextmanager
def indicator() -> Iterator[None]:
    """Provide a line on the page while a kernel is compiled."""
    line = st.empty()
    with telling(partial(line.info, COMPILING, icon=":material/bolt:")):
        try:
            yield
        finally:
            line.empty()
