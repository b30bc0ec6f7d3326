"""The app and its server: ``streamlit run server.py``.

It answers to the hosts in ``server.allowedHosts`` alone, and its pages to themselves.
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from pages.ui import streamlit_compat
from pages.ui.serving.same_origin import SameOrigin
from rankcore.warmup import BACKGROUND

streamlit_compat.enter_through_app()
BACKGROUND.begin()
hosts = Middleware(
    TrustedHostMiddleware,
    allowed_hosts=st.get_option("server.allowedHosts") or ["*"],
    www_redirect=False,
)
app = st.App("app.py", middleware=[hosts, Middleware(SameOrigin)])
