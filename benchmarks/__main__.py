"""``python -m benchmarks``: print every target beside its peer.

Rows come from the function ``rows`` of each file in this folder; arguments select
files. Each file also runs by itself, as in ``python benchmarks/measures.py``.
"""

import importlib
import pkgutil
import sys
from pathlib import Path

HERE = str(Path(__file__).parent)


def main(wanted: list[str]) -> None:
    sys.path.insert(0, HERE)
    names = [module.name for module in pkgutil.iter_modules([HERE])]
    files = [name for name in names if not name.startswith("_")]
    unknown = set(wanted) - set(files)
    if unknown:
        sys.exit(
            f"No such benchmark: {', '.join(unknown)}. There are {', '.join(files)}."
        )
    for name in wanted or files:
        print(f"\n{name.replace('_', ' ')}", flush=True)
        importlib.import_module("_rows").show(importlib.import_module(name).rows())


if __name__ == "__main__":
    main(sys.argv[1:])
