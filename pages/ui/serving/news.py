"""News about a job's progress, for a browser that shows it: ``GET /news``."""

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
# How long an answer waits for news, and the time between two checks.
WAIT_SECONDS, POLL_SECONDS = 2.0, 0.03


def digest(job: Job) -> str:
    """Return a digest of the state of a job that a picture shows."""
    # The state is read first, as nothing new comes after its end.
    state, run = job.state, job.run
    study = [getattr(run, name, None) for name in ("iterations", "share", "doing")]
    shown = state, run.done, *study, job.note
    return f"{zlib.crc32(repr(shown).encode()):08x}"


def after(job: Job, shown: str, seconds: float, findings: float = inf) -> str:
    """Return the path at which a browser asks for a job's news.

    There is news once the job has ended or paused, has this many ``findings`` (a run:
    records), or ``seconds`` have passed, unless its digest is still ``shown``.
    """
    by = time.monotonic() + seconds
    query = {"job": job.id, "seen": shown, "by": by, "findings": findings}
    return f"{PATH}?{urlencode(query)}"


async def answer(request: Request) -> JSONResponse:
    """Answer with JSON as soon as there is news; there is for a job that is not in
    memory."""
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
