"""Figures of a job that goes on, between two draws of its page: ``GET /frames``.

A draw of the page takes server and browser longer than a frame, and the job waits.
"""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from rankcore.studies.jobs import ACTIVE, Job

PATH = "/frames"
_SEEN: WeakKeyDictionary[Job, dict[str, Callable[[Job], Any]]] = WeakKeyDictionary()


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
