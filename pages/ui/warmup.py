"""Warm-up: compile in the background, once a process, and say so while it lasts."""

import gc
import threading

import streamlit as st

FIRST_PAINT_SECONDS = 1.0


class Warmup:
    """One background compilation and what it is doing now.

    Attributes
    ----------
    doing : str
        The step under way, as a phrase.
    finished : bool
    """

    def __init__(self) -> None:
        self.doing = "loading"
        self.finished = False
        thread = threading.Timer(FIRST_PAINT_SECONDS, self._run)
        thread.daemon = True
        thread.start()

    def _run(self) -> None:
        try:
            from rankcore.warmup import warm_up

            warm_up(self._progress)
        finally:
            self.finished = True
            gc.collect()
            # What is loaded by now stays: collections after each run skip it.
            gc.freeze()

    def _progress(self, doing: str, done: int, total: int) -> None:
        self.doing = f"{doing} ({done + 1} of {total})"


@st.cache_resource(show_spinner=False)
def start() -> Warmup:
    """This process's warm-up, begun after the first picture has been drawn."""
    return Warmup()


def note() -> None:
    """While the warm-up lasts, say what it is doing; afterwards nothing."""
    if not start().finished:
        _running_note()


@st.fragment(run_every=1.0)
def _running_note() -> None:
    warmup = start()
    if warmup.finished:
        st.rerun()
    st.caption(f":material/bolt: Warming up: {warmup.doing}")
