"""The app and its server: ``streamlit run server.py``.

It answers to the hosts in ``server.allowedHosts`` alone, and its pages to themselves.
Each browser is a visitor of its own; ``/healthz`` says how the server is.
"""

import streamlit as st

from pages.ui.serving import parts

app = st.App("app.py", **parts.begin())
