"""The one place that reaches below Streamlit's public interface.

Each function says which behaviour of Streamlit it works around, checks that what it
needs is there, and does without it where it is not.
"""

import streamlit as st


def enter_through_app() -> None:
    """Start again through ``app.py`` if the server's first link skipped it.

    An app beside a folder ``pages`` counts as one of Streamlit's older kind until its
    first ``st.navigation``, so the first link to a page runs that page alone
    (https://github.com/streamlit/streamlit/issues/9992). Without this the page is
    drawn without navigation until the visitor's first action.
    """
    try:
        from streamlit.runtime.pages_manager import PagesManager
    except ImportError:
        return
    if getattr(PagesManager, "uses_pages_directory", False):
        PagesManager.uses_pages_directory = False
        st.rerun()
