"""The first page sent, with the style of all pages and the scripts of figures.

Streamlit draws a style sent by a script like any other element, after those before it,
and the elements drawn until then would jump.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import live_figure
from pages.ui.assets import ASSETS
from pages.ui.serving.newcomers import is_page

SHEETS = (ASSETS / "frame.css", ASSETS / "home.css")
# Streamlit's style is in the head; at equal specificity the later rule wins.
_BODY = b"<body>"
# Unless told, Streamlit first looks for its server below the page's own address.
_ADDRESS = (
    '<script>window.__streamlit ??= { BACKEND_BASE_URL: new URL(".", location).href }'
    "</script>"
)
# A cached copy may hold the style of another version, and a compressed page hides its
# body.
_LEFT_OUT = (b"accept-encoding", b"if-modified-since", b"if-none-match", b"range")


def style() -> str:
    """Return the style of all pages, as HTML."""
    return f"<style>{''.join(sheet.read_text('utf-8') for sheet in SHEETS)}</style>"


def sent() -> bool:
    """Whether this server's pages contain the style; otherwise their scripts send
    it."""
    return EarlyStyle.begun


class EarlyStyle:
    """ASGI middleware that writes the style of all pages into each."""

    begun = False

    def __init__(self, app: ASGIApp) -> None:
        EarlyStyle.begun = True
        self._app = app
        self._style = (_ADDRESS + live_figure.early() + style()).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_page(scope):
            await self._app(scope, receive, send)
            return
        rows = [row for row in scope["headers"] if row[0] not in _LEFT_OUT]
        heads: list[Message] = []
        body = bytearray()

        async def styled(message: Message) -> None:
            if message["type"] == "http.response.start":
                heads.append(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                whole = bytes(body).replace(_BODY, _BODY + self._style, 1)
                self._describe(heads[0], len(whole) - len(body))
                await send(heads[0])
                await send({**message, "body": whole})

        await self._app({**scope, "headers": rows}, receive, styled)

    def _describe(self, head: Message, more: int) -> None:
        """Correct the head of an answer whose body has become longer."""
        headers = MutableHeaders(scope=head)
        if more and "content-length" in headers:
            headers["content-length"] = str(int(headers["content-length"]) + more)
            for name in ("accept-ranges", "etag", "last-modified"):
                del headers[name]
