"""Security headers of every answer."""

import os
import re

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Origins of pages that may embed the app, separated by blanks.
VARIABLE = "RANKSCOPE_EMBEDDED_BY"
ORIGIN = re.compile(r"https?://(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?")
# Streamlit's figures about the process, which are not public.
_UNSERVED = "/_stcore/metrics"


class Answers:
    """ASGI middleware that keeps other pages from embedding the app, browsers from
    guessing file types, and links from being sent to other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = headers(os.environ.get(VARIABLE, ""))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        unserved = scope["path"].rstrip("/") == _UNSERVED
        app = PlainTextResponse("Not served here", 404) if unserved else self._app
        await app(scope, receive, safe)


def headers(embedding: str) -> dict[str, str]:
    """Return the headers of every answer. ``embedding`` has the origins that may embed
    the app, separated by blanks; raises ValueError for an invalid origin."""
    origins = embedding.split()
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{origin!r} is not an origin: write https://courses.example.org, "
                "without a path."
            )
    return {
        "Content-Security-Policy": " ".join(["frame-ancestors 'self'", *origins]),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }
