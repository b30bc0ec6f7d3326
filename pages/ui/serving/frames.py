"""Figures that reach the browser before their page does.

A draw of the page takes server and browser longer than a figure: those of a job that
goes on come between two draws, by ``GET /frames``, and those of a slider that is moved
before their draw, by ``GET /frames/next``.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from rankcore.studies.jobs import ACTIVE, Job

PATH, NEXT = "/frames", "/frames/next"
# So long a browser waits for a draw of its page, and a page for its browser.
WAIT_SECONDS, PATIENCE_SECONDS = 1.0, 0.1
_SEEN: WeakKeyDictionary[Job, dict[str, Callable[[Job], Any]]] = WeakKeyDictionary()
_AWAITED: dict[str, asyncio.Future[Any]] = {}
_SENT: dict[str, threading.Event] = {}


def follow(job: Job, draw: Callable[[Job], Any], viewer: str) -> str:
    """Return where a viewer's browser asks for what ``draw`` returns of a job."""
    _SEEN.setdefault(job, {})[viewer] = draw
    return f"{PATH}?{urlencode({'job': job.id, 'viewer': viewer})}"


async def answer(request: Request) -> JSONResponse:
    """Return the figures as JSON; null where the job does not go on."""
    asked = request.query_params
    job, figures = registry().get(asked.get("job")), None
    if job is not None and job.state in ACTIVE:
        draw = _SEEN.get(job, {}).get(asked.get("viewer", ""))
        figures = None if draw is None else await asyncio.to_thread(draw, job)
    return JSONResponse({"figures": figures}, headers={"Cache-Control": "no-store"})


def next_path(viewer: str) -> str:
    """Return where a viewer's browser asks for the figures of the next draw."""
    return f"{NEXT}?{urlencode({'viewer': viewer})}"


def send_ahead(viewer: str, figures: Callable[[], Any]) -> None:
    """Answer a viewer's browser, if it asks, with figures that are about to be drawn.

    The page waits until the browser asks for the next ones: beside messages of the page
    it would be late to draw these.
    """
    waiting = _AWAITED.pop(viewer, None)
    if waiting is None:
        return
    sent = _SENT[viewer] = threading.Event()
    waiting.get_loop().call_soon_threadsafe(_answer, waiting, figures())
    sent.wait(PATIENCE_SECONDS)
    _SENT.pop(viewer, None)


def _answer(waiting: asyncio.Future[Any], figures: Any) -> None:
    if not waiting.done():
        waiting.set_result(figures)


async def answer_next(request: Request) -> JSONResponse:
    """Return the figures of the next draw as JSON; null where there is none soon."""
    viewer = request.query_params.get("viewer", "")
    if (sent := _SENT.get(viewer)) is not None:
        sent.set()
    waiting = _AWAITED[viewer] = asyncio.get_running_loop().create_future()
    try:
        figures = await asyncio.wait_for(waiting, WAIT_SECONDS)
    except TimeoutError:
        figures = None
    finally:
        if _AWAITED.get(viewer) is waiting:
            del _AWAITED[viewer]
    return JSONResponse({"figures": figures}, headers={"Cache-Control": "no-store"})
