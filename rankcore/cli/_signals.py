"""Ctrl-C, SIGTERM and SIGHUP: each ends a command with one line.

Only what Python has at its start is imported, so that they are dealt with first.
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

# For closing what is open; a command that has not ended by then is ended.
GRACE_SECONDS = 5

_received: list[int] = []
_WORDS = {
    getattr(signal, name): word
    for name, word in {
        "SIGINT": "interrupted",
        "SIGTERM": "terminated",
        # Windows has none.
        "SIGHUP": "hung up",
    }.items()
    if hasattr(signal, name)
}


def begin() -> None:
    """Let signals end the command, from now until it ends."""
    sys.unraisablehook = _leave_where_nothing_can_be_raised
    watch_signals(_leave)
    # By then all is done, and how the command ends is decided.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def watch_signals(leave: Callable[[int, FrameType | None], None]) -> None:
    """Call ``leave`` upon Ctrl-C, SIGTERM and SIGHUP, unless they are ignored."""
    for number in _WORDS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)


def exit_code() -> int | None:
    """Return the exit code after a signal has ended the command and been reported;
    None where none has."""
    return 128 + _received[0] if _received else None


def leave_at_once(number: int, frame: FrameType | None) -> None:
    """Leave with one line, and do nothing else."""
    _say_why(number)
    os._exit(128 + number)


def _leave(number: int, frame: FrameType | None) -> None:
    """Leave with one line; what is open is closed and removed on the way out."""
    _received.append(number)
    signal.signal(number, _insist)
    _say_why(number)
    # Code that clears all errors, of which there is some in C, may clear this one. An
    # alarm would end a process that is leaving with another code, and the interrupted
    # code may hold the locks that threading.Thread needs.
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
    """Leave on the second signal, whatever is still being closed."""
    os._exit(128 + number)


def _leave_where_nothing_can_be_raised(error: "sys.UnraisableHookArgs") -> None:
    """Leave also where Python would only print the error, such as in a finaliser."""
    if isinstance(error.exc_value, SystemExit):
        os._exit(int(str(error.exc_value)))
    sys.__unraisablehook__(error)
