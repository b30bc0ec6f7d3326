"""Handling of signals: a signal ends the server within seconds.

Uvicorn alone waits until every request is answered, for ever if one never ends.
"""

import os
import signal
import time
from _thread import start_new_thread
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

GRACE_SECONDS = 4.0


@asynccontextmanager
async def promptly(app: Any) -> AsyncIterator[None]:
    """Watch for signals that Uvicorn handles, as long as the app is served."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            _watch(number)
    except ValueError:
        # Signals can be watched only from the main thread, in which servers run.
        pass
    yield


def _watch(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return

    def end(received: int, frame: FrameType | None) -> None:
        start_new_thread(_end_late, (received,))
        before(received, frame)

    signal.signal(number, end)


def _end_late(number: int) -> None:
    time.sleep(GRACE_SECONDS)
    os._exit(128 + number)
