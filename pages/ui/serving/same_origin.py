"""Refusal of WebSockets from pages of other origins.

Streamlit compares a foreign origin with the machine's external address, which it asks
for on the internet (https://github.com/streamlit/streamlit/issues/7721). Refusing the
origin before Streamlit sees it keeps every request on the machine.
"""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

POLICY_VIOLATION = 1008


class SameOrigin:
    """ASGI middleware that refuses WebSockets opened by pages of another origin.

    A client without an origin, such as a program, is not a page in a browser and
    passes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not _is_own(Headers(scope=scope)):
            refuse = WebSocketClose(POLICY_VIOLATION, "Foreign origin")
            await refuse(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_own(headers: Headers) -> bool:
    origin, host = headers.get("origin"), headers.get("host")
    return origin is None or origin in (f"http://{host}", f"https://{host}")
