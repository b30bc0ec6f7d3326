"""Fragments of a page: they are drawn alone, again, or after some time.

Streamlit draws a named fragment again in a callback only. So where something is to be
drawn again by itself, as while a study runs, the page asks the browser to call back:
where nothing is to come any more, nothing asks, and nothing has to be stopped.
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
    """Draw a fragment; it can be drawn alone from then on, by its key.

    Where it ``waits`` for kernels that it needs, it has a line that says so.
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
    """Return the key of the fragment that is drawn now; empty outside all of them."""
    return _key.get()


def draw_again(keys: Sequence[str], key: str) -> None:
    """Draw fragments again, in a callback of a control in fragment ``key``.

    Streamlit draws that one by itself. To name fragments takes another run of the
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
    not while nobody sees the page, which then goes on when it is seen again.

    Without ``due``, only the fragment that this is in is drawn again. A callback that
    names fragments takes the place of a draw that has been asked for meanwhile, so it
    must name all that may be out of date. A new call of a key replaces one that is not
    due yet. Where a path of the server answers once to call (`pages.ui.serving.news`),
    the seconds do not count.
    """
    data = {"number": next(_numbers), "after": 1e3 * seconds, "news": news_path}
    _mount(key=key, data=data, on_due_change=due, height=0)


def play(path: str | None) -> None:
    """Let figures move: the browser asks a path of the server
    (`pages.ui.serving.frames`) for their frames until there are none; None: no path."""
    # A new number begins again where there have been none for a moment.
    _frames(key="frames", data={"path": path, "number": next(_numbers)}, height=0)


def hurry(path: str) -> None:
    """Let figures follow what is moved before their page does, by a server's path."""
    _ahead(key="ahead", data={"path": path}, height=1)


def end_timers() -> None:
    """Let nothing call back that waits now: the page is about to change."""
    _mount(key="timers_end", data={"number": next(_numbers), "after": None}, height=0)
