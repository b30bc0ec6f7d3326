"""How far the kernels are compiled, for as long as they are."""

from collections.abc import Callable

import streamlit as st

from pages.ui import timer
from rankcore import warmup

LOOK_SECONDS = 1.0


@st.fragment
def note(stay: Callable[[], None]) -> None:
    """A line that the app is being prepared; nothing once it is.

    ``stay`` is called first of all, and may go to another page.
    """
    stay()
    state = warmup.BACKGROUND
    if state.finished:
        return
    state.look()
    if state.count:
        text = f"Compiling {state.ready + 1} of {state.count} kernels …"
    else:
        text = "Preparing…"
    st.caption(f":material/bolt: {text}")
    timer.after(LOOK_SECONDS, "warmup_timer")


def compiling() -> None:
    """Say in passing that what a visitor waits for is being compiled."""
    st.toast(
        "Compiling the kernels that this view needs: some seconds, once on this "
        "machine. It goes on by itself.",
        icon=":material/bolt:",
    )
