"""Serving the component's files, and plotly.js from the installed Plotly package.

Streamlit serves folders of components that installed packages announce. This app is run
from its folder, without being installed, so it announces its own when it is loaded.
"""

from importlib.util import find_spec
from pathlib import Path

from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.components.v2.get_bidi_component_manager import (
    get_bidi_component_manager,
)
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

NAME = "rankscope.live"
HERE = Path(__file__).parent


def serve() -> None:
    """Announce both folders to the running server, unless it knows them."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:
        _announce(manager, "plotly", "package_data", _plotly_folder())
        _announce(manager, "live", "assets", HERE)


def mount() -> str:
    """What finds the component's script beside its style sheet."""
    return (HERE / "assets" / "mount.js").read_text("utf-8")


def _announce(
    manager: BidiComponentManager, name: str, folder: str, root: Path
) -> None:
    component = ComponentConfig(name=name, asset_dir=folder)
    manager.register_from_manifest(
        ComponentManifest(name="rankscope", version="0", components=[component]), root
    )


def _plotly_folder() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "Plotly is not installed; run `pip install -r requirements.txt`."
        )
    return Path(spec.origin).parent
