"""The health of the server, for monitoring: ``GET /healthz``."""

from starlette.requests import Request
from starlette.responses import JSONResponse

from pages.ui.registry import registry
from pages.ui.serving.newcomers import VISITS
from rankcore.base.version import __version__
from rankcore.views import past

PATH = "/healthz"


def answer(request: Request) -> JSONResponse:
    """Return the state as JSON, with status 200 as long as pages can be served.

    ``runs`` is ``"kept"``, or ``"not kept"`` if the app works but loses runs when its
    process ends. The reason is left out, as it may name hosts and folders.
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
