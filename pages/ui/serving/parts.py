"""The app's own parts of its server, for each file that starts it."""

from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route

from pages.ui import frame, streamlit_compat
from pages.ui.catalogue import pages
from pages.ui.serving import (
    ending,
    frames,
    health,
    limits,
    log,
    memory,
    news,
    preparing,
)
from pages.ui.serving.answers import Answers
from pages.ui.serving.early_style import EarlyStyle
from pages.ui.serving.newcomers import Newcomers
from pages.ui.serving.pace import RequestPace
from pages.ui.serving.same_origin import SameOrigin
from pages.ui.serving.slow_bodies import SlowBodies
from pages.ui.serving.visitor import Visitors

# Loaded before the first request, since the first page would wait for them.
LOADED = [frame, *(page.views for page in pages().values())]


def begin() -> dict[str, Any]:
    """Start the app's background services, and return the parts of its ``st.App``."""
    streamlit_compat.enter_through_app()
    limits.check()
    streamlit_compat.limit_request_heads(limits.REQUEST_SECONDS.value)
    log.begin()
    memory.begin()
    preparing.begin()
    hosts = Middleware(
        TrustedHostMiddleware,
        allowed_hosts=st.get_option("server.allowedHosts") or ["*"],
        www_redirect=False,
    )
    return {
        "routes": [
            Route(health.PATH, health.answer),
            Route(frames.PATH, frames.answer),
            Route(frames.NEXT, frames.answer_next),
            Route(news.PATH, news.answer),
            Route(preparing.PATH, preparing.answer),
        ],
        "middleware": [
            Middleware(log.Requests),
            Middleware(Answers),
            hosts,
            Middleware(SameOrigin),
            Middleware(SlowBodies),
            Middleware(Newcomers),
            Middleware(Visitors),
            Middleware(RequestPace),
            Middleware(EarlyStyle),
        ],
        "lifespan": ending.promptly,
        "on_script_error": log.fault,
    }
