"""Ctrl-C, SIGTERM and SIGHUP: each ends a command with a one-line message.

Only modules that Python loads at startup are imported, to install handlers first.
"""

import atexit
import os
import signal
import sys
import time
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

# Time for closing files; a command still running afterwards is ended.
GRACE_SECONDS = 5

_received: list[int] = []
_WORDS = {
    getattr(signal, name): word
    for name, word in {
        "SIGINT": "interrupted",
        "SIGTERM": "terminated",
        # Windows has no SIGHUP.
        "SIGHUP": "hung up",
    }.items()
    if hasattr(signal, name)
}


def begin() -> None:
    """Install signal handlers that end the command."""
    sys.unraisablehook = _leave_where_nothing_can_be_raised
    watch_signals(_leave)
    # By then the work is done and the exit code is fixed.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def watch_signals(leave: Callable[[int, FrameType | None], None]) -> None:
    """Call ``leave`` upon Ctrl-C, SIGTERM and SIGHUP, unless they are ignored."""
    for number in _WORDS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)


def exit_code() -> int | None:
    """Return the exit code after a signal has ended the command and been reported; None
    if no signal has."""
    return 128 + _received[0] if _received else None


def leave_at_once(number: int, frame: FrameType | None) -> None:
    """Exit with a one-line message, without cleaning up."""
    _say_why(number)
    os._exit(128 + number)


def _leave(number: int, frame: FrameType | None) -> None:
    """Exit with a one-line message; open and temporary files are cleaned up."""
    _received.append(number)
    signal.signal(number, _insist)
    _say_why(number)
    # Some C code clears all errors, and may clear this one. An alarm would change the
    # exit code, and the interrupted code may hold locks that threading.Thread needs.
    start_new_thread(_leave_late, (number,))
    cancellation = sys.modules.get("rankcore.base.cancellation")
    if cancellation is not None:
        cancellation.cancel_points_of_process(partial(sys.exit, 128 + number))
    raise SystemExit(128 + number)


def _leave_late(number: int) -> None:
    time.sleep(GRACE_SECONDS)
    os._exit(128 + number)


def _say_why(number: int) -> None:
    # Printing may have been interrupted, so this bypasses the stream.
    line = f"rankscope: {_WORDS[signal.Signals(number)]}.\n".encode()
    # The terminal may be gone.
    with suppress(OSError):
        os.write(2, line)


def _insist(number: int, frame: FrameType | None) -> None:
    """Exit on the second signal, without waiting for the cleanup."""
    os._exit(128 + number)


def _leave_where_nothing_can_be_raised(error: "sys.UnraisableHookArgs") -> None:
    """Exit even where Python would only print the error, such as in a finaliser."""
    if isinstance(error.exc_value, SystemExit):
        os._exit(int(str(error.exc_value)))
    sys.__unraisablehook__(error)
