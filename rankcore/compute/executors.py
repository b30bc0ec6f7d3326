"""Where the sums over the blocks of a data set are computed.

Every executor computes the same parts and adds them in the same order, see
`rankcore.base.blocks`: the model is the same to the last bit for each of them, and for
any number of workers. Data of a single block, which is all but large data, are computed
in the thread that asks for them.

Without an executor that is given, see `using`, larger data are shared among threads:
as many as there are cores, or at most as many as the environment variable
RANKSCOPE_THREADS says.
"""

import importlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rankcore.base.cores import allowed_threads
from rankcore.compute.interface import Executor, Placed, Serial
from rankcore.compute.threads import Threads

if TYPE_CHECKING:
    from rankcore.compute.dask import Dask
    from rankcore.compute.processes import Processes

__all__ = [
    "Dask", "Executor", "Placed", "Processes", "Serial", "Threads", "parse", "using",
]  # fmt: skip

SCHEDULER_VARIABLE = "RANKSCOPE_SCHEDULER"
_SCHEMES = ("tcp://", "tls://")
_ELSEWHERE = {
    "Dask": "rankcore.compute.dask",
    "Processes": "rankcore.compute.processes",
}


def __getattr__(name: str) -> Any:
    """Load executors of other processes on first use; few programs need them."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ELSEWHERE[name]), name)


_EXECUTOR: ContextVar[Executor | None] = ContextVar("executor", default=None)
_DEFAULT: dict[int, Threads] = {}
_MAKING = threading.Lock()


@contextmanager
def using(executor: Executor | None) -> Iterator[None]:
    """Place the losses that are made in the ``with`` block in ``executor``; None: where
    they would be placed without it."""
    if executor is None:
        yield
        return
    token = _EXECUTOR.set(executor)
    try:
        yield
    finally:
        _EXECUTOR.reset(token)


def place(parts: Sequence[Any], *, local: bool = False) -> Placed:
    """Place the parts of a loss in the executor in use, or in the default one.

    Parameters
    ----------
    parts : sequence
        One for each block.
    local : bool
        Only in this process, for parts that are asked once.
    """
    executor = _EXECUTOR.get()
    if executor is None or (local and not executor.is_here):
        # It is known beforehand that nothing is gained by sharing a single block.
        executor = _shared_by_all() if len(parts) > 1 else Serial()
    return executor.place(parts)


def _shared_by_all() -> Threads:
    """Return the threads of this process that all share which are given no executor."""
    workers = allowed_threads()
    with _MAKING:
        if workers not in _DEFAULT:
            _DEFAULT[workers] = Threads(workers)
        return _DEFAULT[workers]


def parse(text: str) -> Executor:
    """Make an executor from its name, such as ``"threads"`` or ``"processes:4"``, or
    from the address of a Dask scheduler, such as ``"tcp://127.0.0.1:8786"``.

    ``"dask"`` stands for the address in the environment variable RANKSCOPE_SCHEDULER.

    Raises
    ------
    ValueError
        If there is none of that name, the number of workers is not one, or there is no
        such scheduler.
    """
    if text.strip().lower() == "dask":
        text = os.environ.get(SCHEDULER_VARIABLE, "")
        if not text.strip().startswith(_SCHEMES):
            raise ValueError(
                f"The environment variable {SCHEDULER_VARIABLE} is {text!r}; set it to "
                "the address of a Dask scheduler, such as tcp://127.0.0.1:8786."
            )
    if text.strip().startswith(_SCHEMES):
        from rankcore.compute.dask import Dask

        return Dask(text.strip())
    name, colon, number = text.strip().lower().partition(":")
    if name == "serial" and not colon:
        return Serial()
    if name not in ("threads", "processes") or (
        colon and not (number.isascii() and number.isdigit())
    ):
        raise ValueError(
            f"There is no executor {text!r}; use serial, threads or processes, the "
            "latter two with a number of workers if you like, such as threads:2, or "
            "the address of a Dask scheduler, such as tcp://127.0.0.1:8786."
        )
    workers = int(number) if colon else None
    if name == "threads":
        return Threads(workers)
    from rankcore.compute.processes import Processes

    return Processes(workers)
