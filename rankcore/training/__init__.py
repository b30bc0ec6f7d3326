"""Steps, the training loop that drives them, and the history of a run.

Names are loaded on first use, so that ``rankscope --help`` loads no arrays.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankcore.training.run import (
        DIVERGED,
        History,
        Record,
        Run,
        Stop,
        columns,
        drive,
        every,
        train_briefly,
        warm_start,
    )

__all__ = [
    "DIVERGED",
    "History",
    "Record",
    "Run",
    "Stop",
    "columns",
    "drive",
    "every",
    "train_briefly",
    "warm_start",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from rankcore.training import run

        return getattr(run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
