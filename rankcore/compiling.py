"""Who is told that kernels are compiled: it takes seconds, once on a machine."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PATIENCE_SECONDS = 1.0

_LOG = logging.getLogger("rankcore")
_subject: ContextVar[str] = ContextVar("subject", default="RankScope")
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


class Notice:
    """Says what is compiled once that has taken long, in one line for each subject: to
    the log, and on standard error where a person reads it.

    Numba compiles in one thread at a time, which is the one that calls these.
    """

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._depth = 0
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """The compilation of a kernel begins, or of one that it calls."""
        self._depth += 1
        to_tell, subject = _to_tell.get(), _subject.get()
        if to_tell is not None:
            while to_tell:
                to_tell.pop()()
        elif self._depth == 1 and subject not in self._said:
            self._timer = threading.Timer(PATIENCE_SECONDS, self._say, [subject])
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """That compilation has ended."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()

    def _say(self, subject: str) -> None:
        self._said.add(subject)
        line = f"Compiling the kernels of {subject}: some seconds, once on this machine"
        _LOG.info(line)
        if _is_read():
            print(f"rankscope: {line}", file=sys.stderr)  # noqa: T201


def _is_read() -> bool:
    """Whether standard error is a terminal, or shown below the cell of a notebook."""
    stream = sys.stderr
    notebook = type(stream).__module__.partition(".")[0] == "ipykernel"
    return stream is not None and (notebook or stream.isatty())


NOTICE = Notice()
