"""Warm-up: compile in the background, once a process, and say so while it lasts."""

import gc
import threading

import streamlit as st

from pages.ui import timer
from pages.ui.shared import ALGORITHM

LOOK_SECONDS = 1.0


class Warmup:
    """One background compilation.

    Attributes
    ----------
    finished : bool
    """

    def __init__(self) -> None:
        self.finished = False
        self._looks = 0
        self._lock = threading.Lock()

    def look(self) -> None:
        """Begin at the second look: by then a browser has drawn the first page."""
        with self._lock:
            self._looks += 1
            if self._looks == 2:
                threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            from rankcore.warmup import warm_up

            # The other algorithms are loaded when they are chosen: from the cache of
            # kernels that takes a moment, and here it would delay a visitor's page.
            warm_up(parts=["the measures", ALGORITHM.default])
        finally:
            gc.collect()
            # Later collections skip what is loaded by now.
            gc.freeze()
            self.finished = True


# Not in Streamlit's cache, which every client may clear for all.
_WARMUP = Warmup()


def warmup() -> Warmup:
    """This process's warm-up."""
    return _WARMUP


@st.fragment
def note() -> None:
    """A line that the app is being prepared, for as long as it is."""
    state = warmup()
    if state.finished:
        return
    state.look()
    st.caption(":material/bolt: Preparing…")
    timer.after(LOOK_SECONDS, "warmup_timer")
