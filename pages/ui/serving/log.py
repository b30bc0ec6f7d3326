"""The server's log, one JSON object per line, if it is switched on.

``RANKSCOPE_LOG`` names a file, or ``-`` for standard error; without it nothing is
written. A line has ``time`` (UTC), ``event`` and, where known, ``request`` (the
answer's X-Request-ID), ``visitor`` (the beginning of a digest), the action,
``seconds``, and ``error``. URLs are not logged, as anybody could open them.
"""

import json
import logging
import os
import re
import secrets
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.serving import visitor
from rankcore.studies.jobs import Job

VARIABLE = "RANKSCOPE_LOG"
REQUEST = "X-Request-ID"
# Routine requests of pages and of monitoring would hide the others.
UNTOLD = (
    "/static/", "/_stcore/health", "/_stcore/host-config", "/healthz", "/news",
    "/frames",
)  # fmt: skip
SHOWN_OF_VISITOR = 8
# Number of innermost stack frames logged for a fault.
_FRAMES = 8
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LOG, _STORE = map(logging.getLogger, ("rankscope.events", "rankscope.store"))


class _StoreHandler(logging.Handler):
    """Writes errors of the run store, with its address, which pages leave out."""

    def emit(self, record: logging.LogRecord) -> None:
        event("store", error=record.getMessage())


def begin() -> None:
    """Start to write events where the environment says; once per process. Raises
    OSError if the file cannot be written."""
    where = os.environ.get(VARIABLE, "")
    if not where or _LOG.handlers:
        return
    handler = (
        logging.StreamHandler(sys.stderr)
        if where == "-"
        else logging.FileHandler(where, encoding="utf-8")
    )
    _LOG.addHandler(handler)
    _STORE.addHandler(_StoreHandler())
    for logger in (_LOG, _STORE):
        logger.setLevel(logging.INFO)
        logger.propagate = False


def event(name: str, **details: Any) -> None:
    """Write an event, without values that are None."""
    if not _LOG.handlers:
        return
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    record = {"time": now, "event": name, **details}
    if "seconds" in details:
        record["seconds"] = round(details["seconds"], 4)
    _LOG.info(json.dumps({k: v for k, v in record.items() if v is not None}))


@contextmanager
def drawing(page: str, view: str) -> Iterator[None]:
    """Log the time that a view took to draw."""
    began = time.perf_counter()
    yield
    _by_visitor("drawn", page=page, view=view, seconds=time.perf_counter() - began)


def fault(error: Exception) -> None:
    """Log an error in a page, with its place; Streamlit shows it as usual."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames[-_FRAMES:]]
    _by_visitor("fault", error=f"{type(error).__name__}: {error}", where=where)


def job(ended: Job) -> None:
    """Log how a job ended."""
    event(
        "job ended",
        visitor=_short(ended.owner),
        job=ended.title,
        state=ended.state,
        seconds=ended.seconds,
        error=ended.error or ended.loss,
    )


def _by_visitor(name: str, **details: Any) -> None:
    if _LOG.handlers:
        request = st.context.headers.get(REQUEST)
        event(name, request=request, visitor=_short(visitor.current()), **details)


def _short(visitor: str | None) -> str | None:
    return None if visitor is None else visitor[:SHOWN_OF_VISITOR]


class Requests:
    """ASGI middleware that logs requests, and gives each an id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        header = Headers(scope=scope).get(REQUEST, "")
        key = header if _REQUEST_ID.fullmatch(header) else secrets.token_hex(8)
        MutableHeaders(scope=scope)[REQUEST] = key
        status: int | None = None
        error: str | None = None
        began = time.perf_counter()

        async def reply(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST] = key
            await send(message)

        try:
            await self._app(scope, receive, reply)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
            raise
        finally:
            if error is not None or not scope["path"].startswith(UNTOLD):
                event(
                    "request" if scope["type"] == "http" else "connection",
                    request=key,
                    visitor=_visitor(scope),
                    method=scope.get("method"),
                    path="/".join(scope["path"].split("/")[:3]),
                    status=status,
                    seconds=time.perf_counter() - began,
                    error=error,
                )


def _visitor(scope: Scope) -> str | None:
    token = visitor.token_of(HTTPConnection(scope).cookies)
    return _short(visitor.digest(token)) if token else None
