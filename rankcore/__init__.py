"""RankScope's computation package: learning to rank by direct optimisation of measures.

Public names are loaded on first use, so that importing the package alone stays fast;
not even ``typing`` is needed, which takes most of the time of the rest.
"""

from __future__ import annotations

import gc
import importlib

from rankcore import _old_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"
_old_paths.install()

_HOMES = {
    "RankingDataset": "dataset",
    "DataError": "errors",
    "DataWarning": "errors",
    "MissingQueryWarning": "errors",
    "read_feature_log": "readers",
    "read_letor": "readers",
    "read_table": "readers",
    "load_folds": "readers",
    "load_partitions": "partitions",
    "load_dataset": "catalogue",
    "list_datasets": "catalogue",
    "list_algorithms": "algorithms",
    "get_algorithm": "algorithms",
    "Ranker": "algorithms",
    "LinearRanker": "algorithms",
    "Step": "algorithms",
    "Steps": "algorithms",
    "cancel_point": "_cancellation",
    "drive": "training",
    "Stop": "training",
    "History": "training",
    "save_model": "models",
    "load_model": "models",
    "export": "exports",
}
_MODULES = {
    *_HOMES.values(),
    "hyperparameters",
    "measures",
    "charts",
    "insight",
    "plot",
    "topics",
    "jobs",
    "paths",
    "reduction",
    "statistics",
    "store",
    "sweeps",
}

__all__ = [*_HOMES, "measures"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Load a public name, or an algorithm by its name, on first use.

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
    if name in _HOMES:
        return getattr(importlib.import_module(f"rankcore.{_HOMES[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"rankcore.{name}")
    if name[:1].isupper():
        return getattr(importlib.import_module("rankcore.algorithms"), name)
    raise AttributeError(f"module 'rankcore' has no attribute {name!r}")
