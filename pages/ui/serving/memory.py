"""Garbage collection in the background, rather than after each run of a page.

Streamlit collects after each run, which visits all objects and blocks all visitors
meanwhile. Here a thread collects from time to time, without permanent objects. It also
forgets visitors who have left, and returns free memory to the system.
"""

import gc
import sys
import threading
from contextlib import suppress

from pages.ui import streamlit_compat

EVERY_SECONDS = 20.0
# New objects before Python collects the youngest; full collections are practically off.
_YOUNG, _MIDDLE, _OLD = 20_000, 20, 1_000_000
# Memory pools for threads (M_ARENA_MAX of glibc's mallopt): pages are drawn in ever new
# threads, and a pool's free memory is of no use to the others.
_M_ARENA_MAX, _ARENAS = -8, 2


def begin() -> None:
    """Start to collect in the background."""
    streamlit_compat.leave_collecting()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    _of_the_library("mallopt", _M_ARENA_MAX, _ARENAS)
    threading.Thread(target=_collect, name="collections", daemon=True).start()


def _collect() -> None:
    wait, collector = threading.Event(), Collector()
    while not wait.wait(EVERY_SECONDS):
        collector.collect()


class Collector:
    """Frees objects that nothing refers to."""

    def __init__(self) -> None:
        self._loaded = 0

    def collect(self) -> None:
        """Forget visitors who have left, and collect if there may be garbage."""
        gone = streamlit_compat.forget_sessions()
        if not gone and not any(gc.get_count()[1:]):
            return
        if gone or len(sys.modules) != self._loaded:
            # Objects exempted last time, such as a visitor's, may be garbage by now.
            # What is alive now, such as newly opened pages and data, is exempt from
            # later collections.
            self._loaded = len(sys.modules)
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        else:
            gc.collect()
        _of_the_library("malloc_trim", 0)


def _of_the_library(name: str, *arguments: int) -> None:
    """Call a function of the C library, if it exists."""
    with suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        getattr(ctypes.CDLL(None), name)(*arguments)
