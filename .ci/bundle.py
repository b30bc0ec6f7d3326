"""Build hook: a wheel carries the app and the bundled data inside the package."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PARTS = ("app.py", "server.py", "live_figure", "pages", ".streamlit")
DATA = Path(__file__).parents[1] / "data"
# What a user has downloaded is not ours to pass on.
DOWNLOADS = "letor"


class Bundle(BuildHookInterface):
    """Adds the files to a wheel; an editable install finds them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            bundled = {one.name for one in DATA.iterdir()} - {DOWNLOADS}
            parts = [*PARTS, *(f"data/{name}" for name in sorted(bundled))]
            files = {part: f"rankcore/bundle/{part}" for part in parts}
            build_data["force_include"].update(files)
