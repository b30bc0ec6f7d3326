"""The stub of the package's public names: `make stub` writes it.

Public names are loaded on first use, which no type checker follows; the stub imports
them all.
"""

from pathlib import Path

import rankcore
from rankcore import algorithms

STUB = Path(rankcore.__file__).with_suffix(".pyi")
HEAD = """\
# ruff: noqa: I001, RUF022
\"\"\"Public names for type checkers and editors; `make stub` writes them.\"\"\"

"""


def text() -> str:
    """Return the stub: public names, algorithms, and rooms of the package."""
    homes = {name: f"rankcore.{home}" for name, home in rankcore.HOMES.items()}
    homes |= {
        name: algorithms.get_algorithm(name, installed=False).__module__
        for name in algorithms.list_algorithms(installed=False)
    }
    names = sorted(homes, key=lambda name: (homes[name], name.lower()))
    rooms = [
        f"from rankcore import {room} as {room}" for room in sorted(rankcore.ROOMS)
    ]
    lines = [f"from {homes[name]} import {name} as {name}" for name in names]
    listed = "".join(f'    "{name}",\n' for name in sorted([*names, "measures"]))
    rest = f"\n__version__: str\n__all__ = [\n{listed}]\n"
    return HEAD + "\n".join([*rooms, *lines]) + "\n" + rest


if __name__ == "__main__":
    STUB.write_text(text(), "utf-8")
