"""Ctrl-C that lets the current iteration finish."""

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupts:
    """A context in which the first Ctrl-C is only noted and the second one ends the
    command as usual. If Ctrl-C was ignored before, it stays ignored."""

    def __init__(self) -> None:
        self.noted = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        if not ignored and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted = True
        self._restore()

    def _restore(self) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None
