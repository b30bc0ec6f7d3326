"""Who looks at a page: an anonymous visitor, known by a cookie.

The server itself sets the cookie, with the page's first answer: the browser has it
before it opens the WebSocket, so a visitor is known from the first connection on. A
component of the page could set one by a script only, which other scripts can read and
which is known from the next connection on; this one no script can read.

What is stored and logged is a digest, from which nobody can make the cookie. A client
that keeps no cookies is a visitor of its own as long as its session lasts.
"""

import re
import secrets
import sys
from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "rankscope_visitor"
# As long as browsers keep one; each visit renews it.
KEPT_SECONDS = 400 * 24 * 3600
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_WITHOUT_COOKIE = "visitor without a cookie"


def current() -> str:
    """The visitor who looks at this page, 32 hexadecimal digits; empty where none is
    drawn."""
    # Views and their exports do without Streamlit, and then no page is drawn.
    if "streamlit" not in sys.modules:
        return ""
    import streamlit as st

    from pages.ui import streamlit_compat

    if not streamlit_compat.draws_a_page():
        return ""
    token = str(st.context.cookies.get(COOKIE, ""))
    if not _TOKEN.fullmatch(token):
        token = st.session_state.setdefault(_WITHOUT_COOKIE, _new_token())
    return digest(token)


def digest(token: str) -> str:
    """What is known of a visitor beside the cookie."""
    return blake2b(token.encode(), digest_size=16, person=b"rankscope").hexdigest()


class Visitors:
    """ASGI middleware that gives each browser its cookie, and renews it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = HTTPConnection(scope).cookies.get(COOKIE, "")
        if not _TOKEN.fullmatch(token):
            token = _new_token()

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", _cookie(token, scope["scheme"]))
                # No cache between may give one visitor's cookie to another.
                headers["Cache-Control"] = "no-cache, private"
            await send(message)

        await self._app(scope, receive, named)


def _is_page(message: Message) -> bool:
    return (
        Headers(raw=message["headers"]).get("content-type", "").startswith("text/html")
    )


def _cookie(token: str, scheme: str) -> str:
    secure = "; Secure" if scheme == "https" else ""
    return (
        f"{COOKIE}={token}; Max-Age={KEPT_SECONDS}; Path=/; HttpOnly; SameSite=Lax"
        f"{secure}"
    )


def _new_token() -> str:
    return secrets.token_urlsafe(32)
