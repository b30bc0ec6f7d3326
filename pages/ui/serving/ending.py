"""A signal ends the server within seconds, whatever is under way.

Uvicorn waits for requests to be answered, for ever if one never comes to its end.
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
    """Watch for signals as long as the app is served; Uvicorn has taken them before."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            _watch(number)
    except ValueError:
        # A signal can be watched from the main thread only, where servers run.
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
