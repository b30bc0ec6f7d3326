"""The documents of the project, and the blocks of code in them."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
HOOK = runpy.run_path(str(ROOT / "docs" / "hook.py"))
BESIDE = [ROOT / name for name in HOOK["BESIDE"]]
DOCUMENTS = [README, *BESIDE, *sorted(DOCS.rglob("*.md"))]
# A block of `py` and of `bash` needs what only the reader has, such as a cluster.
LANGUAGES = {"", "bash", "json", "py", "python", "sh", "toml"}


def blocks(language: str, *paths: Path) -> list[tuple[str, str]]:
    """Blocks of a language with where they are: ``README.md, block 2``."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.DOTALL | re.MULTILINE)
    return [
        (f"{path.relative_to(ROOT)}, block {number}", result[1])
        for path in paths or DOCUMENTS
        for number, result in enumerate(pattern.finditer(path.read_text("utf-8")), 1)
    ]


def prose(path: Path) -> str:
    """The text of a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.M)
