"""Cancel points: places within an iteration where training may pause or stop.

A driver that pauses calls `rest`; training may then lend resources that others could
use, see `lent_at_rest`.

An iteration over large data can take seconds. An algorithm calls `cancel_point` between
the chunks of a long iteration; a driver that wants to pause or stop there registers a
callback with `cancel_points`. Without a callback, a cancel point does nothing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rankcore.base.compiling import NOTICE


class _Registered:
    """The callback of the cancel points, and the seconds it has taken so far."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.seconds = 0.0
        self.lenders: list[Callable[[], None]] = []


_REGISTERED: ContextVar[_Registered | None] = ContextVar("registered", default=None)


@contextmanager
def cancel_points(callback: Callable[[], None]) -> Iterator[None]:
    """Call ``callback`` at each cancel point within the ``with`` block.

    Parameters
    ----------
    callback : callable
        It may block, which pauses training, or raise, which aborts the iteration.
    """
    token = _REGISTERED.set(_Registered(callback))
    try:
        yield
    finally:
        _REGISTERED.reset(token)


def cancel_points_of_process(callback: Callable[[], None]) -> None:
    """Set the callback of `cancel_points` for all calls in a worker's process."""
    _REGISTERED.set(_Registered(callback))


def exit_of(error: BaseException) -> BaseException | None:
    """Return the exit or the Ctrl-C that caused an error, or None.

    If a signal ends the process within compiled code, it arrives as a SystemError; an
    aborted computation is not a failed one.
    """
    cause: BaseException | None = error
    while isinstance(cause, Exception):
        cause = cause.__cause__ or cause.__context__
    return cause


def cancel_point() -> None:
    """Mark a place within an iteration where training may pause or stop."""
    registered = _REGISTERED.get()
    if registered is not None:
        began = time.perf_counter()
        registered.callback()
        registered.seconds += time.perf_counter() - began


@contextmanager
def lent_at_rest(lend: Callable[[], None]) -> Iterator[None]:
    """Call ``lend`` whenever training rests within the ``with`` block.

    Parameters
    ----------
    lend : callable
        Releases resources for others; training reacquires them itself.
    """
    registered = _REGISTERED.get()
    if registered is None:
        yield
        return
    registered.lenders.append(lend)
    try:
        yield
    finally:
        registered.lenders.remove(lend)


def rest() -> None:
    """Announce that training is about to rest, for example because it is paused."""
    registered = _REGISTERED.get()
    for lend in () if registered is None else registered.lenders:
        lend()


def training_seconds() -> float:
    """Read a clock, in seconds, that stops within the callback, and while this thread
    compiles kernels, which happens once per machine."""
    registered = _REGISTERED.get()
    paused = 0.0 if registered is None else registered.seconds
    return time.perf_counter() - paused - NOTICE.seconds_here()
