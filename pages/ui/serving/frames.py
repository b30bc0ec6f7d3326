"""Figures of a study that goes on, between two draws of its page: ``GET /frames``.

A draw of the page takes the server longer than the rest of a frame, and a study that
trains models in the same process would wait for it.
"""

from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui import glossary
from pages.ui.components import live
from pages.ui.panels.job_panel import ACTIVE
from pages.ui.registry import registry
from rankcore.plot.palette import Palette, palette
from rankcore.studies.jobs import Job
from rankcore.views import Panel, Work

PATH = "/frames"
_WORKS: WeakKeyDictionary[Job, Work] = WeakKeyDictionary()


def follow(job: Job, work: Work, colours: Palette, large: bool) -> str:
    """Return where a browser asks for the figures of a study as they are now."""
    _WORKS[job] = work
    asked = {"job": job.id, "colours": colours.kind, "large": int(large)}
    return f"{PATH}?{urlencode(asked)}"


async def answer(request: Request) -> JSONResponse:
    """Return the figures as JSON, by the keys of their panels; null where the study
    does not go on."""
    asked = request.query_params
    job = registry().get(asked.get("job"))
    work = None if job is None else _WORKS.get(job)
    figures = None
    if job is not None and job.state in ACTIVE and work is not None and work.frames:
        panels = work.frames(job.run, palette(asked.get("colours", "light")))
        large = asked.get("large") == "1"
        figures = {panel.key: _figure(panel, large) for panel in panels}
    return JSONResponse({"figures": figures}, headers={"Cache-Control": "no-store"})


def _figure(panel: Panel, large: bool) -> dict[str, Any]:
    heading = glossary.heading(panel.title, panel.note)
    return {"heading": heading, "content": live.drawn(panel.picture, large)}
