"""The component's files, and plotly.js from the installed Plotly package."""

from importlib.util import find_spec
from pathlib import Path

from pages.ui import streamlit_compat

NAME = "rankscope.live"
HERE = Path(__file__).parent


def serve() -> bool:
    """Let the server serve both folders; whether it does."""
    return streamlit_compat.serve_folders(
        "rankscope",
        {"plotly": (_plotly_folder(), "package_data"), "live": (HERE, "assets")},
    )


def mount() -> str:
    """Return what finds the component's script beside its style sheet."""
    return (HERE / "assets" / "mount.js").read_text("utf-8")


def _plotly_folder() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "Plotly is not installed; run `pip install -r requirements.txt`."
        )
    return Path(spec.origin).parent
