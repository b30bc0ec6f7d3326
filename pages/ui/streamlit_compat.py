"""The one place that reaches below Streamlit's public interface.

Each function says which behaviour of Streamlit it works around, checks that what it
needs is there, and does without it where it is not: then it returns False, and the
caller takes Streamlit's own way.
"""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st


def enter_through_app() -> bool:
    """Let every link enter through ``app.py``; start again where one has not.

    An app beside a folder ``pages`` counts as one of Streamlit's older kind until its
    first ``st.navigation``, so the first link to a page runs that page alone
    (https://github.com/streamlit/streamlit/issues/9992). Without this the page is
    drawn without navigation until the visitor's first action, or, where it is called
    by the page only and not at the server's start, with a wider sidebar.
    """
    try:
        from streamlit.runtime.pages_manager import PagesManager
    except ImportError:
        return False
    skipped = getattr(PagesManager, "uses_pages_directory", False)
    PagesManager.uses_pages_directory = False
    if skipped:
        st.rerun()
    return True


def serve_folders(package: str, folders: Mapping[str, tuple[Path, str]]) -> bool:
    """Let the server serve folders for components; whether it does.

    Streamlit serves the folders that installed packages announce, and this app is run
    from its folder without being installed
    (https://github.com/streamlit/component-template/issues/120). Without this, figures
    are drawn by ``st.plotly_chart``.

    Parameters
    ----------
    package : str
    folders : dict
        Component → root folder, and the folder in it that is served.
    """
    try:
        from streamlit.components.v2.get_bidi_component_manager import (
            get_bidi_component_manager,
        )
        from streamlit.components.v2.manifest_scanner import (
            ComponentConfig,
            ComponentManifest,
        )

        manager = get_bidi_component_manager()
        for name, (root, folder) in folders.items():
            if manager.get_component_asset_root(f"{package}.{name}") is None:
                component = ComponentConfig(name=name, asset_dir=folder)
                manager.register_from_manifest(
                    ComponentManifest(
                        name=package, version="0", components=[component]
                    ),
                    root,
                )
    except (ImportError, AttributeError, TypeError):
        return False
    return True


def draws_a_page() -> bool:
    """Whether the caller draws a page, and so has a session.

    What a page shares with commands and with threads asks. Streamlit answers there with
    a warning a line, and a session that nobody else sees.
    """
    try:
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        return get_script_run_ctx(suppress_warning=True) is not None
    except (ImportError, TypeError):
        return False
