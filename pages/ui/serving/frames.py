"""Figures that reach the browser before their page does.

Server and browser need longer for a page than for a figure. Figures of a running job
arrive between two draws, by ``GET /frames``; figures after a slider or a point was
moved arrive before their draw, by ``GET /frames/next``.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary, WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from pages.ui.serving import visitor
from rankcore.studies.jobs import ACTIVE, Job

PATH, NEXT = "/frames", "/frames/next"
# Longest time a page waits until its browser has drawn figures that precede it.
PATIENCE_SECONDS = 0.2
Draw = Callable[[Mapping[str, Any]], Any]
_VIEWERS: WeakKeyDictionary[Job, dict[str, Callable[[Job], Any]]] = WeakKeyDictionary()
_NEXT: WeakValueDictionary[str, Draw] = WeakValueDictionary()
_DRAWING: dict[str, asyncio.Future[None]] = {}


def follow(job: Job, draw: Callable[[Job], Any], viewer: str) -> str:
    """Return the path at which a viewer's browser requests figures of a job."""
    _VIEWERS.setdefault(job, {})[viewer] = draw
    return f"{PATH}?{urlencode({'job': job.id, 'viewer': viewer})}"


async def answer(request: Request) -> JSONResponse:
    """Return the figures as JSON; null where the job does not go on."""
    query = request.query_params
    job, figures = registry().get(query.get("job")), None
    if job is not None and job.state in ACTIVE:
        draw = _VIEWERS.get(job, {}).get(query.get("viewer", ""))
        figures = None if draw is None else await asyncio.to_thread(draw, job)
    return JSONResponse({"figures": figures}, headers={"Cache-Control": "no-store"})


def next_path(viewer: str) -> str:
    """Return the path at which a viewer's browser requests figures after a change."""
    return f"{NEXT}?{urlencode({'viewer': viewer})}"


def offer(viewer: str, draw: Draw) -> None:
    """Offer figures after a change to a browser while the caller keeps ``draw``."""
    _NEXT[viewer] = draw


def drawing(cookies: Mapping[str, str]) -> asyncio.Future[None] | None:
    """Return a future that ends once a browser has drawn the requested figures; None if
    there are none. Messages of its page would delay them."""
    return _DRAWING.get(visitor.token_of(cookies))


async def answer_next(request: Request) -> JSONResponse:
    """Return the figures as JSON; null if they have to wait for their page, or if the
    browser only reports that it has drawn the previous ones."""
    query, figures = request.query_params, None
    draw = _NEXT.get(query.get("viewer", ""))
    try:
        report = json.loads(query.get("report", ""))
    except (RecursionError, ValueError) as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    end = _begin_drawing(visitor.token_of(request.cookies))
    if draw is not None and isinstance(report, dict) and report:
        figures = await asyncio.to_thread(draw, report)
    if figures is None:
        end()
    return JSONResponse({"figures": figures}, headers={"Cache-Control": "no-store"})


def _begin_drawing(token: str) -> Callable[[], None]:
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def end() -> None:
        future.cancel()
        if _DRAWING.get(token) is future:
            del _DRAWING[token]

    if token:
        if token in _DRAWING:
            _DRAWING[token].cancel()
        _DRAWING[token] = future
        loop.call_later(PATIENCE_SECONDS, end)
    return end
