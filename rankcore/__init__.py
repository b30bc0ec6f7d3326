"""RankScope's computation package: learning to rank by direct optimisation of measures.

Public names are loaded on first use, so that importing the package alone stays fast;
not even ``typing`` is needed, which takes most of the time of the rest.
"""

from __future__ import annotations

import gc
import importlib

from rankcore import _old_paths
from rankcore.base.version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_old_paths.install()

HOMES = {
    "RankingDataset": "data.dataset",
    "DataError": "base.errors",
    "DataWarning": "base.errors",
    "MissingQueryWarning": "base.errors",
    "read_feature_log": "data.readers",
    "read_letor": "data.readers",
    "read_table": "data.readers",
    "load_folds": "data.readers",
    "load_partitions": "data.partitions",
    "load_dataset": "data.catalogue",
    "list_datasets": "data.catalogue",
    "list_algorithms": "algorithms",
    "get_algorithm": "algorithms",
    "Ranker": "algorithms",
    "LinearRanker": "algorithms",
    "Step": "algorithms",
    "Steps": "algorithms",
    "cancel_point": "base.cancellation",
    "drive": "training",
    "Stop": "training",
    "History": "training",
    "save_model": "studies.models",
    "load_model": "studies.models",
    "export": "studies.exports",
    "register": "studies.extensions",
}
PUBLIC = [*HOMES, "measures"]
ROOMS = {
    "algorithms",
    "base",
    "compute",
    "data",
    "mathematics",
    "measures",
    "plot",
    "reports",
    "studies",
    "topics",
    "training",
    "views",
}


def __getattr__(name: str) -> Any:
    """Load a public name, or an algorithm by its name, on first use.

    ``__all__`` is made when it is asked for, as by ``from rankcore import *``: it names
    the algorithms there are.

    The garbage collector pauses meanwhile: it would take an eighth of the time, and
    what modules make as they load is there to stay.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        return _loaded(name)
    finally:
        if collected:
            gc.enable()


def _loaded(name: str) -> Any:
    if name == "__all__":
        algorithms = importlib.import_module("rankcore.algorithms")
        return [*PUBLIC, *algorithms.list_algorithms()]
    if name in HOMES:
        return getattr(importlib.import_module(f"rankcore.{HOMES[name]}"), name)
    if name in ROOMS or name in _old_paths.OLD:
        return importlib.import_module(f"rankcore.{name}")
    if name[:1].isupper():
        try:
            return getattr(importlib.import_module("rankcore.algorithms"), name)
        except AttributeError as error:
            raise AttributeError(_unknown(name, __dir__())) from error
    # Looking a name up loads nothing where no algorithm can be meant.
    raise AttributeError(_unknown(name, [*PUBLIC, *ROOMS]))


def _unknown(name: str, names: list[str]) -> str:
    """Say that there is no such name, and which of these may be meant."""
    import difflib

    folded = {public.lower(): public for public in names}
    close = difflib.get_close_matches(name.lower(), folded, n=1)
    hint = f". Did you mean {folded[close[0]]!r}?" if close else ""
    return f"module 'rankcore' has no attribute {name!r}{hint}"


def __dir__() -> list[str]:
    """Return the public names, the algorithms that can be trained among them."""
    return sorted({*_loaded("__all__"), *ROOMS, "__version__"})
