"""Whether a job has moved on, for a browser that shows it: ``GET /news``."""

import asyncio
import time
import zlib
from math import inf
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from rankcore.studies.jobs import ACTIVE, Job

PATH = "/news"
# An answer waits for news so long, and looks for it so often.
WAIT_SECONDS, POLL_SECONDS = 2.0, 0.03


def digest(job: Job) -> str:
    """Return what a picture of a job shows, as a digest."""
    # The state comes first: at the end, there is nothing new after it.
    state, run = job.state, job.run
    study = [getattr(run, name, None) for name in ("iterations", "share", "doing")]
    shown = state, run.done, *study, job.note
    return f"{zlib.crc32(repr(shown).encode()):08x}"


def after(job: Job, shown: str, seconds: float, findings: float = inf) -> str:
    """Where a browser asks for news of a job.

    There is some as soon as it has ended or paused, has so many ``findings`` (of a run:
    records), or ``seconds`` have passed, unless all is as when `digest` gave ``shown``.
    """
    by = time.monotonic() + seconds
    query = {"job": job.id, "seen": shown, "by": by, "findings": findings}
    return f"{PATH}?{urlencode(query)}"


async def answer(request: Request) -> JSONResponse:
    """Whether there is news, as JSON, as soon as there is some; for a job that is not
    in memory, there is."""
    query = request.query_params
    job, shown = registry().get(query.get("job")), query.get("seen")
    try:
        by, findings = float(query.get("by", 0)), float(query.get("findings", 0))
    except ValueError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    began = time.monotonic()
    while not (is_new := job is None or _is_news(job, shown, by, findings)):
        late = time.monotonic() > began + WAIT_SECONDS
        if late or await request.is_disconnected():
            break
        await asyncio.sleep(POLL_SECONDS)
    return JSONResponse({"news": is_new}, headers={"Cache-Control": "no-store"})


def _is_news(job: Job, shown: str | None, by: float, findings: float) -> bool:
    enough = job.run.done >= findings or time.monotonic() >= by
    return (enough or job.state not in ACTIVE) and digest(job) != shown
