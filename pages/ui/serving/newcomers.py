"""A limit on simultaneous visitors, beyond which newcomers wait.

Present visitors stay, and may reload pages. A newcomer sees a page that says so and
tries again by itself.
"""

import time
from collections import Counter
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from pages.ui.serving import limits, log
from pages.ui.serving.visitor import digest, token_of

AGAIN_SECONDS = 10
# A visitor has no open socket between two pages.
STAY_SECONDS = 30.0
TRY_AGAIN_LATER = 1013
UNAVAILABLE = 503
_NO_PAGE = ("/_stcore/", "/static/", "/component/", "/media/")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{seconds}">
<title>RankScope is full</title>
<body style="font: 16px sans-serif; margin: 10vh auto; max-width: 36em; padding: 0 1em">
<h1 style="font-size: 22px">RankScope is full</h1>
<p>{sentence}</p>
"""


def sentence(count: int) -> str:
    """Return the message for newcomers."""
    people = "One person is" if count == 1 else f"{count} people are"
    them = "they leave" if count == 1 else "one of them leaves"
    return (
        f"{people} using it, and more would slow everybody down. This page opens by "
        f"itself as soon as {them}."
    )


class Visits:
    """The visitors who have pages open, timed by a clock in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sockets: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()
        self._left: dict[str, float] = {}

    def __len__(self) -> int:
        """Return the number of visitors."""
        self._forget()
        return len(self._sockets.keys() | self._left.keys())

    def lets_in(self, visitor: str | None) -> bool:
        """Whether a page may open for a visitor."""
        full = len(self) >= limits.VISITORS.value
        return not full or visitor in self._sockets or visitor in self._left

    def has_room(self, visitor: str | None, address: str | None) -> bool:
        """Whether one more socket may open."""
        most = limits.SOCKETS_PER_ADDRESS.value
        if most and address and self._addresses[address] >= most:
            return False
        most = limits.SOCKETS_PER_VISITOR * limits.VISITORS.value
        return self.lets_in(visitor) and self._sockets.total() < most

    def come(self, visitor: str, address: str | None) -> None:
        """Count a socket as it opens."""
        self._left.pop(visitor, None)
        self._sockets[visitor] += 1
        self._addresses[address or ""] += 1

    def leave(self, visitor: str, address: str | None, returns: bool = True) -> None:
        """Count a closed socket; ``returns`` says if its visitor can be recognised."""
        self._sockets = self._sockets - Counter([visitor])
        self._addresses = self._addresses - Counter([address or ""])
        if returns and visitor not in self._sockets:
            self._left[visitor] = self._clock() + STAY_SECONDS

    def _forget(self) -> None:
        now = self._clock()
        for visitor in [v for v, until in self._left.items() if until <= now]:
            del self._left[visitor]


# The visits of this process.
VISITS = Visits()


class Newcomers:
    """ASGI middleware that makes newcomers wait if there are too many visitors."""

    def __init__(self, app: ASGIApp, visits: Visits = VISITS) -> None:
        self._app, self._visits = app, visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif is_page(scope) and not self._visits.lets_in(_visitor(scope)):
            page = HTMLResponse(
                _PAGE.format(
                    seconds=AGAIN_SECONDS, sentence=sentence(len(self._visits))
                ),
                UNAVAILABLE,
                {"Retry-After": str(AGAIN_SECONDS), "Cache-Control": "no-store"},
            )
            await page(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        visitor = _visitor(scope)
        client = scope.get("client")
        address = client[0] if client else None
        if not self._visits.has_room(visitor, address):
            log.event("refused", error="too many visitors or pages")
            await WebSocketClose(TRY_AGAIN_LATER, "Full")(scope, receive, send)
            return
        # Without a cookie, each request counts as another visitor.
        key = visitor or f"{id(scope)}"
        self._visits.come(key, address)
        try:
            await self._app(scope, receive, send)
        finally:
            self._visits.leave(key, address, returns=visitor is not None)


def _visitor(scope: Scope) -> str | None:
    token = token_of(HTTPConnection(scope).cookies)
    return digest(token) if token else None


def is_page(scope: Scope) -> bool:
    """Whether a request is for a page rather than for a file that a page loads."""
    if scope["type"] != "http" or scope["path"].startswith(_NO_PAGE):
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")
