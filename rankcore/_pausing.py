"""Places within a pass over the data where training may be paused or stopped.

A pass over much data can take seconds. Algorithms call `may_pause` between the parts of
a long one; it does nothing unless whoever trains has said what to do there.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class _Asked:
    """What is done between two parts of a pass, and the seconds it has taken."""

    def __init__(self, between: Callable[[], None]) -> None:
        self.between = between
        self.seconds = 0.0


_ASKED: ContextVar[_Asked | None] = ContextVar("asked", default=None)


@contextmanager
def pausing(between: Callable[[], None]) -> Iterator[None]:
    """Call ``between`` between the parts of every pass that is taken inside.

    It may wait, or raise to break the pass off.
    """
    token = _ASKED.set(_Asked(between))
    try:
        yield
    finally:
        _ASKED.reset(token)


def may_pause() -> None:
    """Mark a place within a pass where it does no harm to wait or to end."""
    asked = _ASKED.get()
    if asked is not None:
        began = time.perf_counter()
        asked.between()
        asked.seconds += time.perf_counter() - began


def training_seconds() -> float:
    """The reading of a clock that stands still between the parts of a pass."""
    asked = _ASKED.get()
    return time.perf_counter() - (0.0 if asked is None else asked.seconds)
