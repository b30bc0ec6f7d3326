"""Fragments of a page, which can be drawn alone, again, or after a delay.

Streamlit redraws a named fragment in a callback only. To redraw one by itself, for
example while a study runs, the page asks the browser to call back. Once nothing more is
to come, the page stops asking, so there is no timer to stop.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from contextvars import ContextVar

import streamlit as st

from pages.ui.components import component
from pages.ui.serving import warmup
from rankcore.studies.jobs import drawing

_key: ContextVar[str] = ContextVar("the fragment that is drawn", default="")
_numbers = itertools.count(1)
_mount = component("timer")
_frames = component("frames")
_ahead = component("ahead")


def draw(body: Callable[[], None], key: str, waits: bool = True) -> None:
    """Draw a fragment, which can then be redrawn alone by its key.

    While it ``waits`` for the kernels that it needs, a line says so.
    """

    def fragment() -> None:
        before = _key.set(key)
        try:
            with drawing(), warmup.indicator() if waits else nullcontext():
                body()
        finally:
            _key.reset(before)

    st.fragment(fragment, key=key)()


def current() -> str:
    """Return the key of the fragment being drawn; empty outside all fragments."""
    return _key.get()


def draw_again(keys: Sequence[str], key: str) -> None:
    """Redraw fragments, in a callback of a control in fragment ``key``.

    Streamlit redraws that one by itself. Naming fragments costs another run of the
    script, up to 90 ms while models are trained.
    """
    if list(keys) != [key]:
        st.rerun(list(keys))


def draw_later(
    seconds: float,
    key: str,
    due: Callable[[], None] | None = None,
    news_path: str | None = None,
) -> None:
    """Call ``due`` in a callback, this many seconds after the browser has drawn this;
    if the page is hidden, once it is visible again.

    Without ``due``, only the enclosing fragment is redrawn. A callback that names
    fragments replaces a draw that was requested meanwhile, so it must name all that may
    be out of date. A new call of a key replaces one that is not due yet. Where a path
    of the server answers once to call (`pages.ui.serving.news`), the seconds do not
    count.
    """
    data = {"number": next(_numbers), "after": 1e3 * seconds, "news": news_path}
    _mount(key=key, data=data, on_due_change=due, height=0)


def play(path: str | None) -> None:
    """Animate figures: the browser requests their frames from a path of the server
    (`pages.ui.serving.frames`) until there are none; None: no path."""
    # A new number restarts requests that ended because no frames came for a moment.
    _frames(key="frames", data={"path": path, "number": next(_numbers)}, height=0)


def hurry(path: str) -> None:
    """Let figures follow a drag before their page does, by a path of the server."""
    _ahead(key="ahead", data={"path": path}, height=1)


def end_timers() -> None:
    """Cancel all pending callbacks, as the page is about to change."""
    _mount(key="timers_end", data={"number": next(_numbers), "after": None}, height=0)
