"""A time limit on requests whose body does not arrive."""

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.serving import limits

REQUEST_TIMEOUT = 408


class SlowBodies:
    """ASGI middleware that gives up requests whose body stops arriving."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        more, answered = True, False

        async def within_time() -> Message:
            nonlocal more
            # After the body, an app waits until the client has disconnected.
            limit = limits.REQUEST_SECONDS.value if more else None
            try:
                message = await asyncio.wait_for(receive(), limit)
            except TimeoutError:
                raise _LateError from None
            more = message["type"] == "http.request" and message.get("more_body", False)
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, within_time, noted)
        except _LateError:
            if not answered:
                text = "The request was not completed in time."
                late = PlainTextResponse(text, REQUEST_TIMEOUT, {"Connection": "close"})
                await late(scope, receive, send)


class _LateError(Exception):
    """No part of the body has arrived for too long."""
