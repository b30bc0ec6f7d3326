"""Drawing something again after some time, as while a study runs.

Streamlit draws a named fragment again in a callback only. So the page asks the browser
to call back: where nothing is to come any more, nothing asks, and nothing has to be
stopped.
"""

import itertools
from collections.abc import Callable

from pages.ui.component import component

_numbers = itertools.count(1)
_mount = component("timer")


def after(
    seconds: float,
    key: str,
    due: Callable[[], None] | None = None,
    news: str | None = None,
) -> None:
    """Call ``due`` in a callback, this many seconds after the browser has drawn this;
    not while nobody sees the page, which then goes on when it is seen again.

    Without ``due``, only the fragment that this is in is drawn again. A callback that
    names fragments takes the place of a draw that has been asked for meanwhile, so it
    must name all that may be out of date.

    Parameters
    ----------
    seconds : float
    key : str
        The same place from run to run has the same key; there, a new call replaces one
        that is not due yet.
    due : callable, optional
        May call ``st.rerun`` with the names of fragments.
    news : str, optional
        A path of the server (`pages.ui.serving.news`) that answers once to call; the
        seconds count only where there is no such path, as in an app of another server.
    """
    data = {"number": next(_numbers), "after": 1e3 * seconds, "news": news}
    _mount(key=key, data=data, on_due_change=due, height=0)


def end() -> None:
    """Let nothing call back that waits now: the page is about to change."""
    _mount(key="timers_end", data={"number": next(_numbers), "after": None}, height=0)
