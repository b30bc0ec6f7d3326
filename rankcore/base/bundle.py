"""Location of the app and the bundled data."""

from pathlib import Path


def folder() -> Path:
    """Return the folder of ``app.py``, ``pages`` and ``data``.

    In a checkout it is the folder around the package; an installed package contains a
    copy.
    """
    package = Path(__file__).parents[1]
    inside = package / "bundle"
    return inside if inside.is_dir() else package.parent
