"""Whether the server works, for what watches it: ``GET /healthz``."""

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from pages.ui.serving.newcomers import VISITS
from rankcore.base.version import __version__
from rankcore.views import past

PATH = "/healthz"


def answer(request: Request) -> JSONResponse:
    """Return the state as JSON, with the status 200 as long as pages can be served.

    ``runs`` are ``"kept"``, or ``"not kept"`` where the app works but runs end with its
    process. Why is not said here, as it may name hosts and folders.
    """
    states = registry().states()
    state = {
        "status": "ok",
        "version": __version__,
        "runs": "kept" if past.works() else "not kept",
        "jobs": len(registry()),
        "running": states["running"] + states["queued"],
        "paused": states["paused"],
        "visitors": len(VISITS),
    }
    return JSONResponse(state, headers={"Cache-Control": "no-store"})
