"""Parts of a page, Streamlit's fragments, which can be drawn alone."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar

import streamlit as st

from pages.ui import warmup

_drawn: ContextVar[str] = ContextVar("the part that is drawn", default="")


def draw(body: Callable[[], None], key: str) -> None:
    """Draw a part; it can be drawn alone from then on, by its key. It says so while a
    kernel that it needs is compiled."""

    def part() -> None:
        before = _drawn.set(key)
        try:
            with warmup.said():
                body()
        finally:
            _drawn.reset(before)

    st.fragment(part, key=key)()


def drawn() -> str:
    """The key of the part that is drawn now; empty outside all of them."""
    return _drawn.get()


def draw_again(keys: Sequence[str], own: str) -> None:
    """Draw parts again, in a callback of a control in part ``own``.

    Streamlit draws that part by itself; to name parts takes one more run of the script,
    of which each takes up to 50 ms while models are trained.
    """
    if list(keys) != [own]:
        st.rerun(list(keys))
