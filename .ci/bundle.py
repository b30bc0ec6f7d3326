"""Build hook: a wheel carries the app and the bundled data inside the package."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PARTS = ("app.py", "pages", "data", ".streamlit")


class Bundle(BuildHookInterface):
    """Adds the files to a wheel; an editable install finds them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            files = {part: f"rankcore/bundle/{part}" for part in PARTS}
            build_data["force_include"].update(files)
