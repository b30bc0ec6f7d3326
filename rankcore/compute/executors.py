"""Executors of the sums over the blocks of a data set.

Every executor computes the same parts and adds them in the same order, see
`rankcore.base.blocks`: the model is identical to the last bit for every executor and
number of workers. Data of a single block, as all except large data are, are computed in
the calling thread.

Without a given executor, see `using`, larger data are shared among threads: one per
core, or at most the number in the environment variable RANKSCOPE_THREADS.
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
    """Load executors with other processes on first use; few programs need them."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ELSEWHERE[name]), name)


_EXECUTOR: ContextVar[Executor | None] = ContextVar("executor", default=None)
_DEFAULT: dict[int, Threads] = {}
_MAKING = threading.Lock()


@contextmanager
def using(executor: Executor | None) -> Iterator[None]:
    """Place the losses created in the ``with`` block in ``executor``; None leaves their
    place unchanged."""
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
        One part for each block.
    local : bool
        Use only this process, for parts that are called once.
    """
    executor = _EXECUTOR.get()
    if executor is None or (local and not executor.is_here):
        # Sharing a single block gains nothing.
        executor = _shared_by_all() if len(parts) > 1 else Serial()
    return executor.place(parts)


def _shared_by_all() -> Threads:
    """Return the threads of this process shared by all losses without executor."""
    workers = allowed_threads()
    with _MAKING:
        if workers not in _DEFAULT:
            _DEFAULT[workers] = Threads(workers)
        return _DEFAULT[workers]


def parse(text: str) -> Executor:
    """Return an executor by its name, such as ``"threads"`` or ``"processes:4"``, or
    from the address of a Dask scheduler, such as ``"tcp://127.0.0.1:8786"``.

    ``"dask"`` stands for the address in the environment variable RANKSCOPE_SCHEDULER.

    Raises
    ------
    ValueError
        If the name is unknown, the number of workers is invalid, or the scheduler does
        not exist.
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
            "latter two optionally with a number of workers, such as threads:2, or "
            "the address of a Dask scheduler, such as tcp://127.0.0.1:8786."
        )
    workers = int(number) if colon else None
    if name == "threads":
        return Threads(workers)
    from rankcore.compute.processes import Processes

    return Processes(workers)
