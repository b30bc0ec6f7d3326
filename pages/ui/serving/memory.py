"""Garbage is collected in the background, and not after each run of a page.

Streamlit collects after each run, which looks at all that is loaded, and holds all
visitors meanwhile. Here a thread does it from time to time, and what is loaded for good
is left out.
"""

import gc
import sys
import threading
from collections.abc import Callable

from pages.ui import streamlit_compat

EVERY_SECONDS = 20.0
# New objects before Python itself looks at the young ones; at all it does not look.
_YOUNG, _MIDDLE, _OLD = 20_000, 20, 1_000_000


def begin() -> None:
    """Collect in the background from now on."""
    streamlit_compat.leave_collecting()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    threading.Thread(target=_collect, name="collections", daemon=True).start()


def _collect() -> None:
    loaded, wait = 0, threading.Event()
    trim = _trimming()
    while not wait.wait(EVERY_SECONDS):
        if not any(gc.get_count()[1:]):
            continue
        if len(sys.modules) != loaded:
            # Pages have been opened for the first time. What is alive now, with the
            # data, is looked at once more, and by no later collection.
            loaded = len(sys.modules)
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        else:
            gc.collect()
        trim()


def _trimming() -> Callable[[], object]:
    """Return what gives free memory back to the system, where that can be asked for."""
    try:
        import ctypes

        trim = ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError, TypeError):
        return lambda: None
    return lambda: trim(0)
