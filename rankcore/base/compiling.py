"""Notices that kernels are being compiled, which takes seconds once on a machine."""

import logging
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PATIENCE_SECONDS = 1.0
DURATION = "5 to 20 seconds"

_LOG = logging.getLogger("rankcore")
_subject: ContextVar[str] = ContextVar("subject", default="this computation")
_to_tell: ContextVar[list[Callable[[], object]] | None] = ContextVar(
    "to tell", default=None
)


@contextmanager
def kernels_of(subject: str) -> Iterator[None]:
    """Say that kernels which are compiled meanwhile are those of ``subject``."""
    token = _subject.set(subject)
    try:
        yield
    finally:
        _subject.reset(token)


@contextmanager
def telling(tell: Callable[[], object]) -> Iterator[None]:
    """Call ``tell``, at most once, when this thread has to compile a kernel; nothing
    else is said then."""
    token = _to_tell.set([tell])
    try:
        yield
    finally:
        _to_tell.reset(token)


class CompilationNotice:
    """Says what is compiled once that has taken long, in one line for each subject, to
    the log: without a handler of its own, Python writes it to standard error.

    Numba compiles in one thread at a time, which is the one that calls these.

    Attributes
    ----------
    to_people_only : bool
        Whether standard error is left alone where it is a file, such as a command's.
    """

    to_people_only = False

    def __init__(self) -> None:
        self._subjects: set[str] = set()
        self._depth = 0
        self._here = threading.local()
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Note that the compilation of a kernel begins, or of one that it calls."""
        self._depth += 1
        if self._depth == 1:
            self._here.began = time.perf_counter()
        to_tell, subject = _to_tell.get(), _subject.get()
        if to_tell is not None:
            while to_tell:
                to_tell.pop()()
        elif self._depth == 1 and subject not in self._subjects:
            self._timer = threading.Timer(PATIENCE_SECONDS, self._say, [subject])
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Note that this compilation has ended."""
        self._depth -= 1
        if self._depth == 0:
            spent = time.perf_counter() - self._here.began
            self._here.seconds = self.seconds_here() + spent
            if self._timer is not None:
                self._timer.cancel()

    def seconds_here(self) -> float:
        """Return the seconds that this thread has compiled so far."""
        seconds: float = getattr(self._here, "seconds", 0.0)
        return seconds

    def _say(self, subject: str) -> None:
        self._subjects.add(subject)
        line = f"RankScope compiles the kernels of {subject}: {DURATION}, only once"
        read = _is_read() or not self.to_people_only
        # Only the first of several processes reports it.
        if read and multiprocessing.parent_process() is None:
            _LOG.warning(line)
        else:
            _LOG.info(line)


def _is_read() -> bool:
    """Whether standard error is a terminal, or shown below the cell of a notebook."""
    stream = sys.stderr
    notebook = type(stream).__module__.partition(".")[0] == "ipykernel"
    return stream is not None and (notebook or stream.isatty())


NOTICE = CompilationNotice()
