"""The rate at which messages of one page reach Streamlit.

Streamlit starts a run of the page for each request in a new thread, and a pressed
button is lost if the next request arrives before that thread has started. So a request
waits until the previous one has started or timed out. Meanwhile a later request
replaces it, with the values of both, unless a button is pressed in it. All wait a
little while the browser draws figures that it requested before their page.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui import streamlit_compat
from pages.ui.serving import frames, limits, log

# Seconds between two requests. Sliders send a value every 200 ms.
GAP_SECONDS = 0.05
# Longest wait for the start of the previous request, if a button was pressed in it.
PATIENCE_SECONDS = 1.0
# Beyond these messages or bytes, the socket is not read, so that the sender waits.
_WAITING, _WAITING_BYTES = 64, 2**24
# The rate is counted in parts of the tolerated time; a burst falls into at most two.
_PARTS = 3
POLICY_VIOLATION = 1008


class RequestPace:
    """ASGI middleware that forwards the latest request of each WebSocket, and closes a
    socket that sends too much for too long."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        cookies = HTTPConnection(scope).cookies
        line = _Line(receive, send, partial(frames.drawing, cookies))
        try:
            await self._app(scope, line.receive, line.send)
        finally:
            line.end()


class _Line:
    """One WebSocket."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        drawing: Callable[[], asyncio.Future[None] | None],
    ) -> None:
        self._receive, self._send, self._drawing = receive, send, drawing
        self._waiting: deque[tuple[Message, streamlit_compat.Rerun | None]] = deque()
        self._next: asyncio.Task[Message] | None = None
        self._rate = Rate()
        # When the last request was forwarded, and since when others have waited.
        self._passed, self._since = -PATIENCE_SECONDS, 0.0
        self._start: asyncio.Future[None] | None = None
        self._closed = False

    async def receive(self) -> Message:
        """Return the next message that is due."""
        while True:
            now = time.monotonic()
            due = self._due() if self._waiting else None
            drawing = self._drawing() if due else None
            if due and drawing is not None and due <= now:
                # Successive drawings could keep a page waiting for ever.
                due = max(due, self._since) + frames.PATIENCE_SECONDS
            if due is not None and due <= now:
                return self._pass_on(now)
            if self._next is None and self._has_room():
                self._next = asyncio.ensure_future(self._receive())
            await asyncio.wait(
                [t for t in (self._next, self._start, drawing) if t is not None]
                or [asyncio.ensure_future(asyncio.sleep(GAP_SECONDS))],
                timeout=None if due is None else due - now,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if self._start is not None and self._start.done():
                self._start = None
            if self._next is not None and self._next.done():
                message, self._next = self._next.result(), None
                if self._rate.exceeded(time.monotonic()):
                    return await self._close("Too many messages")
                if not self._take(message):
                    return await self._close("No message of a page")

    async def send(self, message: Message) -> None:
        """Forward the app's messages, as long as the socket is open."""
        if self._closed:
            return
        start, content = self._start, message.get("bytes")
        if start and not start.done() and streamlit_compat.begins_a_run(content):
            start.set_result(None)
        await self._send(message)

    def end(self) -> None:
        """Stop reading."""
        if self._next is not None:
            self._next.cancel()

    def _has_room(self) -> bool:
        size = sum(len(message.get("bytes") or b"") for message, _ in self._waiting)
        return len(self._waiting) < _WAITING and size < _WAITING_BYTES

    def _due(self) -> float:
        _, rerun = self._waiting[0]
        if rerun is None:
            return 0.0
        pending = self._start is not None and not self._start.done()
        return self._passed + (PATIENCE_SECONDS if pending else GAP_SECONDS)

    def _pass_on(self, now: float) -> Message:
        message, rerun = self._waiting.popleft()
        if rerun is not None:
            self._passed, self._start = now, None
            if rerun.pressed:
                self._start = asyncio.get_running_loop().create_future()
        return message

    def _take(self, message: Message) -> bool:
        """Queue a message; return whether it may be one of a page."""
        content = message.get("bytes")
        if message["type"] != "websocket.receive":
            # Once the page has been left, its requests are of no use.
            self._waiting.clear()
            self._waiting.append((message, None))
            return True
        try:
            if content is None or streamlit_compat.is_foreign(content):
                return content is not None
        except ValueError:
            return False
        rerun = streamlit_compat.rerun(content)
        if not self._waiting:
            self._since = time.monotonic()
        before = self._waiting[-1][1] if self._waiting else None
        if rerun is not None and before is not None and rerun.replaces(before):
            rerun = rerun.with_values_of(before)
            message = {**message, "bytes": rerun.content}
            self._waiting.pop()
        self._waiting.append((message, rerun))
        return True

    async def _close(self, reason: str) -> Message:
        log.event("closed", error=reason)
        self._closed = True
        end = {"code": POLICY_VIOLATION, "reason": reason}
        await self._send({"type": "websocket.close", **end})
        return {"type": "websocket.disconnect", **end}


class Rate:
    """A test whether messages have come too fast for long, not only in a burst."""

    def __init__(self) -> None:
        self._part = limits.MESSAGE_SECONDS / _PARTS
        self._counts: deque[int] = deque([0], maxlen=_PARTS)
        self._at = 0

    def exceeded(self, now: float) -> bool:
        """Count a message; return whether every part of the time has had too many."""
        at = int(now / self._part)
        self._counts.extend([0] * min(at - self._at, _PARTS))
        self._at = at
        self._counts[-1] += 1
        allowed = limits.MESSAGES.value * self._part
        return len(self._counts) == _PARTS and min(self._counts) > allowed
