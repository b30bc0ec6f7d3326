"""The anonymous visitor of a page, identified by a cookie.

The server itself sets the cookie, with the page's first answer: the browser has it
before it opens the WebSocket, so a visitor is known from the first connection on. A
component of the page could set one by a script only, which other scripts can read and
which is known from the next connection on; this one no script can read.

The cookie is signed, so that the server takes only those that it has given; over HTTPS
its name keeps other hosts of the domain from setting it. One from before cookies were
signed is taken if runs are kept of its visitor, and signed.

What is stored and logged is a digest, from which nobody can make the cookie. A client
that keeps no cookies is a visitor of its own as long as its session lasts.
"""

import hmac
import re
import secrets
import sys
from collections.abc import Mapping
from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.serving import secret
from rankcore.studies import owners
from rankcore.views import past

COOKIE = "rankscope_visitor"
SECURE_COOKIE = f"__Host-{COOKIE}"
# As long as browsers keep one; each visit renews it.
KEPT_SECONDS = 400 * 24 * 3600
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_WITHOUT_COOKIE = "visitor without a cookie"


def current() -> str:
    """Return the visitor who looks at this page, 32 hexadecimal digits; empty where
    none is drawn."""
    # Views and their exports do without Streamlit, and then no page is drawn.
    if "streamlit" not in sys.modules:
        return ""
    import streamlit as st

    from pages.ui import streamlit_compat

    if not streamlit_compat.draws_a_page():
        return ""
    token = token_of(st.context.cookies)
    if not token:
        token = st.session_state.get(_WITHOUT_COOKIE) or _new_token()
        st.session_state[_WITHOUT_COOKIE] = token
    return digest(token)


def owner() -> str:
    """Return whose runs may be seen and changed here: this visitor's; empty, which is
    everybody's, where all browsers are one person's."""
    who = current()
    if not who:
        return ""
    import streamlit as st

    address, hosts = map(st.get_option, ("server.address", "server.allowedHosts"))
    return "" if owners.one_person(address, hosts, st.context.headers) else who


def token_of(cookies: Mapping[str, str]) -> str:
    """Return the token of the cookie of this server; empty if there is none."""
    for name in (SECURE_COOKIE, COOKIE):
        # A page that is drawn without a browser has no texts here.
        token, _, signed = str(cookies.get(name, "")).partition(".")
        if not _TOKEN.fullmatch(token):
            continue
        if hmac.compare_digest(signed.encode(), secret.signature(token).encode()):
            return token
        if not signed and past.has_visitor(digest(token)):
            return token
    return ""


def digest(token: str) -> str:
    """Return what is known of a visitor beside the cookie."""
    return blake2b(token.encode(), digest_size=16, person=b"rankscope").hexdigest()


class Visitors:
    """ASGI middleware that gives each browser its cookie, and renews it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = token_of(HTTPConnection(scope).cookies) or _new_token()

        async def reply(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", _cookie(token, scope["scheme"]))
                # No cache between may give one visitor's cookie to another.
                headers["Cache-Control"] = "no-cache, private"
            await send(message)

        await self._app(scope, receive, reply)


def _is_page(message: Message) -> bool:
    kind = Headers(raw=message["headers"]).get("content-type", "")
    return kind.startswith("text/html")


def _cookie(token: str, scheme: str) -> str:
    safe = scheme == "https"
    name, secure = (SECURE_COOKIE, "; Secure") if safe else (COOKIE, "")
    return (
        f"{name}={token}.{secret.signature(token)}; Max-Age={KEPT_SECONDS}; Path=/; "
        f"HttpOnly; SameSite=Lax{secure}"
    )


def _new_token() -> str:
    return secrets.token_urlsafe(32)
