"""The anonymous visitor of a page, identified by a cookie.

The server itself sets the cookie, with the page's first answer: the browser has it
before it opens the WebSocket, so a visitor is known from the first connection on. No
script can read it. A component of the page could only set one that scripts can read and
that is known from the next connection on.

The cookie is signed, so that the server accepts only its own; over HTTPS its name keeps
other hosts of the domain from setting it.

An older, unsigned cookie is accepted if its visitor has stored runs, and then signed.
Only a digest is stored and logged, from which nobody can make the cookie. A client
without cookies is a separate visitor for the length of its session.
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
# The longest time that browsers keep a cookie; each visit renews it.
KEPT_SECONDS = 400 * 24 * 3600
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_WITHOUT_COOKIE = "visitor without a cookie"


def current() -> str:
    """Return the visitor of this page, 32 hexadecimal digits; empty if no page is
    drawn."""
    # Views and their exports work without Streamlit, when no page is drawn.
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
    """Return the owner of the runs that may be seen and changed here: this visitor;
    empty, for all runs, if all browsers belong to one person."""
    who = current()
    if not who:
        return ""
    import streamlit as st

    address, hosts = map(st.get_option, ("server.address", "server.allowedHosts"))
    return "" if owners.one_person(address, hosts, st.context.headers) else who


def token_of(cookies: Mapping[str, str]) -> str:
    """Return the token of the cookie of this server; empty if there is none."""
    for name in (SECURE_COOKIE, COOKIE):
        # A page drawn without a browser has no text here.
        token, _, signed = str(cookies.get(name, "")).partition(".")
        if not _TOKEN.fullmatch(token):
            continue
        if hmac.compare_digest(signed.encode(), secret.signature(token).encode()):
            return token
        if not signed and past.has_visitor(digest(token)):
            return token
    return ""


def digest(token: str) -> str:
    """Return the digest of a visitor's token, which replaces it outside the cookie."""
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
                # No intermediate cache may give one visitor's cookie to another.
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
