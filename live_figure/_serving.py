"""Serving of the component's files, and of the installed Plotly's plotly.js."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "live_figure"
NAME = f"{PACKAGE}.live"
HERE = Path(__file__).parent


def serve() -> bool:
    """Let the server serve both folders; return whether it does."""
    return _serve_folders(
        {"plotly": (_plotly(), "package_data"), "live": (HERE, "assets")}
    )


def mount() -> str:
    """Return a function that locates the component's script next to its style sheet."""
    return (HERE / "assets" / "mount.js").read_text("utf-8")


def _plotly() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("Plotly is not installed; run `pip install plotly`.")
    return Path(spec.origin).parent


def _serve_folders(folders: Mapping[str, tuple[Path, str]]) -> bool:
    """Let the server serve folders of components; return whether it does.

    Streamlit serves the folders that installed packages declare. Plotly declares none,
    and an app may contain this package without installing it
    (https://github.com/streamlit/component-template/issues/120).

    Parameters
    ----------
    folders : dict
        Component → root folder, and the served folder within it.
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
            if manager.get_component_asset_root(f"{PACKAGE}.{name}") is None:
                component = ComponentConfig(name=name, asset_dir=folder)
                manager.register_from_manifest(
                    ComponentManifest(
                        name=PACKAGE, version="0", components=[component]
                    ),
                    root,
                )
    except (ImportError, AttributeError, TypeError):
        return False
    return True
