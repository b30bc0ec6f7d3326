"""Hook of Hatch: the description and the addresses of the package.

Where a workflow of GitHub builds it, which tells the address of the repository, links
and pictures of README lead there, so that they work on a package index.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|mailto:|#)([^)\s]+)(\))")
PICTURES = (".png", ".webp")


def absolute(text: str, address: str, ref: str) -> str:
    """Turn the relative links of Markdown into those of a repository on GitHub."""

    def changed(link: re.Match[str]) -> str:
        kind = "raw" if link[2].endswith(PICTURES) else "blob"
        return f"{link[1]}{address}/{kind}/{ref}/{link[2]}{link[3]}"

    return LINK.sub(changed, text)


class Metadata(MetadataHookInterface):
    """Adds the description and, if they are known, the addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill the fields that pyproject.toml calls dynamic."""
        text = Path(self.root, "README.md").read_text("utf-8")
        if repository := os.environ.get("GITHUB_REPOSITORY"):
            address = f"{os.environ['GITHUB_SERVER_URL']}/{repository}"
            ref = os.environ["GITHUB_REF_NAME"]
            text = absolute(text, address, ref)
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/blob/{ref}/docs/index.md",
                "Changes": f"{address}/blob/{ref}/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
