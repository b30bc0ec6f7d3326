"""Progress of compiling kernels, for the note in the sidebar: ``GET /preparing``."""

from starlette.requests import Request
from starlette.responses import JSONResponse

from rankcore.topics import warmup
from rankcore.views import past

PATH = "/preparing"


def begin() -> None:
    """Start to prepare, before the first request."""
    warmup.BACKGROUND.begin()


def look() -> str:
    """Start to prepare, and return the progress as text; empty once it is done."""
    state = warmup.BACKGROUND
    if state.finished:
        return ""
    state.look(past.store)
    if state.count:
        return f"Compiling kernel {state.ready + 1} of {state.count}"
    return "Preparing…"


def answer(request: Request) -> JSONResponse:
    """Return the progress as JSON; a browser asks once it has drawn a page."""
    return JSONResponse({"text": look()}, headers={"Cache-Control": "no-store"})
