"""Garbage is collected in the background, and not after each run of a page.

Streamlit collects after each run, which looks at all that is loaded, and holds all
visitors meanwhile. Here a thread does it from time to time, and what is loaded for good
is left out. It also forgets visitors who have gone, and gives the system back what is
free.
"""

import gc
import sys
import threading
from contextlib import suppress

from pages.ui import streamlit_compat

EVERY_SECONDS = 20.0
# New objects before Python itself looks at the young ones; at all it does not look.
_YOUNG, _MIDDLE, _OLD = 20_000, 20, 1_000_000
# Pools of memory for threads (M_ARENA_MAX of glibc's mallopt): pages are drawn in new
# threads all the time, and what one pool has free is of no use to the others.
_M_ARENA_MAX, _ARENAS = -8, 2


def begin() -> None:
    """Collect in the background from now on."""
    streamlit_compat.leave_collecting()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    _of_the_library("mallopt", _M_ARENA_MAX, _ARENAS)
    threading.Thread(target=_collect, name="collections", daemon=True).start()


def _collect() -> None:
    wait, collector = threading.Event(), Collector()
    while not wait.wait(EVERY_SECONDS):
        collector.collect()


class Collector:
    """Frees what nothing refers to."""

    def __init__(self) -> None:
        self._loaded = 0

    def collect(self) -> None:
        """Forget visitors who have gone, and collect if anything may be garbage."""
        gone = streamlit_compat.forget_sessions()
        if not gone and not any(gc.get_count()[1:]):
            return
        if gone or len(sys.modules) != self._loaded:
            # Objects of the last time, such as a visitor's, may be garbage by now. What
            # is alive now, such as newly opened pages and data, is exempt from later
            # collections.
            self._loaded = len(sys.modules)
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        else:
            gc.collect()
        _of_the_library("malloc_trim", 0)


def _of_the_library(name: str, *arguments: int) -> None:
    """Call a function of the C library, where that has it."""
    with suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        getattr(ctypes.CDLL(None), name)(*arguments)
