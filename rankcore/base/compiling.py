"""Notices that kernels are being compiled, which takes seconds, once per machine."""

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
    """Name ``subject`` as the subject of kernels that are compiled meanwhile."""
    token = _subject.set(subject)
    try:
        yield
    finally:
        _subject.reset(token)


@contextmanager
def telling(tell: Callable[[], object]) -> Iterator[None]:
    """Call ``tell``, at most once, when this thread compiles a kernel, instead of the
    log."""
    token = _to_tell.set([tell])
    try:
        yield
    finally:
        _to_tell.reset(token)


class CompilationNotice:
    """Logs slow compilations, one line for each subject; without a handler, Python
    writes the line to standard error.

    Numba compiles in one thread at a time, which calls these methods.

    Attributes
    ----------
    to_people_only : bool
        Whether to write nothing if standard error is a file, such as a command's.
    """

    to_people_only = False

    def __init__(self) -> None:
        self._subjects: set[str] = set()
        self._depth = 0
        self._here = threading.local()
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Record the start of the compilation of a kernel, or of one that it calls."""
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
        """Record the end of this compilation."""
        self._depth -= 1
        if self._depth == 0:
            spent = time.perf_counter() - self._here.began
            self._here.seconds = self.seconds_here() + spent
            if self._timer is not None:
                self._timer.cancel()

    def seconds_here(self) -> float:
        """Return the seconds that this thread has spent on compilation so far."""
        seconds: float = getattr(self._here, "seconds", 0.0)
        return seconds

    def _say(self, subject: str) -> None:
        self._subjects.add(subject)
        line = f"RankScope compiles the kernels of {subject}: {DURATION}, only once"
        read = _is_read() or not self.to_people_only
        # Only the first of several processes reports the compilation.
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
