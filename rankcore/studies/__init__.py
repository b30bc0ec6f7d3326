"""Sweeps, searches, paths and jobs, with the run store, model files and exports.

Names are loaded on first use, so that ``rankscope --help`` does not import NumPy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankcore.studies.study import Findings, Progress, Study

__all__ = ["Findings", "Progress", "Study"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from rankcore.studies import study

        return getattr(study, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
