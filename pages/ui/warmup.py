"""Warm-up: compile in the background, once a process, and say so while it lasts."""

import gc
import threading

import streamlit as st

from pages.ui import timer
from pages.ui.shared import ALGORITHM

FRAGMENT = "warmup"
POLL_SECONDS = 1.0


class Warmup:
    """One background compilation and what it is doing now.

    Attributes
    ----------
    doing : str
        The step under way, as a phrase.
    finished : bool
    """

    def __init__(self) -> None:
        self.doing = "the measures"
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

            # The others are ready when they are chosen: from the cache of kernels that
            # takes a moment, and this would keep a visitor's page waiting.
            parts = ["the measures", ALGORITHM.default]
            warm_up(self._progress, parts=parts)
        finally:
            gc.collect()
            # What is loaded by now stays: collections after each run skip it.
            gc.freeze()
            self.finished = True

    def _progress(self, doing: str, done: int, total: int) -> None:
        self.doing = f"{doing} ({done + 1} of {total})"


# Not in Streamlit's cache, which every client may clear for all.
_WARMUP = Warmup()


def warmup() -> Warmup:
    """This process's warm-up."""
    return _WARMUP


@st.fragment(key=FRAGMENT)
def note() -> None:
    """Say that the first training is being prepared; nothing once it is."""
    state = warmup()
    if state.finished:
        return
    state.look()
    st.caption(":material/bolt: Preparing…", help=f"Loading {state.doing}.")
    timer.after(POLL_SECONDS, "warmup_timer", lambda: st.rerun(FRAGMENT))
