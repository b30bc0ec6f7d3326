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
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rankcore.base.cancellation import cancel_point, cancel_points
from rankcore.compute.interface import (
    Executor,
    Here,
    Placed,
    Serial,
    allowed_threads,
    checked_workers,
)

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
    """Load executors of other processes on first use: hardly anybody needs them."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ELSEWHERE[name]), name)


class Threads(Executor):
    """Threads of this process; the kernels run beside each other.

    The thread that asks takes blocks as well, so losses that share an executor each
    have a thread of their own, and take turns with the others.

    Parameters
    ----------
    workers : int, optional
        Threads, the one that asks included, at least 1; by default `allowed_threads`.

    Raises
    ------
    ValueError
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = checked_workers(
            allowed_threads() if workers is None else workers
        )
        self._helpers = ThreadPoolExecutor(max(self.workers - 1, 1), "blocks")
        self._runs = _Runs(self.workers, "runs")

    def runs(self) -> ThreadPoolExecutor:
        return self._runs

    def place(self, parts: Sequence[Any]) -> Placed:
        if self.workers == 1 or len(parts) == 1:
            return Here(parts)
        return _Shared(parts, self._helpers, self.workers - 1)

    def close(self) -> None:
        self._runs.shutdown(cancel_futures=True)
        self._helpers.shutdown()

    def __repr__(self) -> str:
        return f"Threads({self.workers})"


class _ClosedError(BaseException):
    """The executor is closed; no error that a run could have."""


class _Runs(ThreadPoolExecutor):
    """Threads whose runs end at their next cancel point when they are shut down."""

    _closed = False

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        return super().submit(self._run, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _run(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with cancel_points(self._check):
            return fn(*args, **kwargs)

    def _check(self) -> None:
        if self._closed:
            raise _ClosedError


class _Shared(Placed):
    """Parts that the thread which asks and its helpers take one after the other."""

    def __init__(
        self, parts: Sequence[Any], helpers: ThreadPoolExecutor, count: int
    ) -> None:
        self._parts = list(parts)
        self._helpers = helpers
        self._count = min(count, len(parts) - 1)
        self._begun: set[str] = set()

    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        results: list[Any] = [None] * len(self._parts)
        left = deque(range(len(self._parts)))

        def take() -> bool:
            """Compute the next block, if there is one left."""
            try:
                number = left.popleft()
            except IndexError:
                return False
            mine = () if per_part is None else per_part[number]
            results[number] = getattr(self._parts[number], method)(*arguments, *mine)
            return True

        if method not in self._begun:
            # Kernels are compiled, and that is told, in the thread that asks.
            take()
            self._begun.add(method)
        _together(take, left, self._helpers, self._count)
        return results


def _together(
    take: Callable[[], bool],
    waiting: deque[int],
    helpers: ThreadPoolExecutor,
    count: int,
) -> None:
    """Call ``take`` here and in helpers until nothing is left, or one of them fails."""

    def help_out() -> None:
        try:
            while take():
                pass
        except BaseException:
            waiting.clear()
            raise

    futures = [helpers.submit(help_out) for _ in range(count)]
    try:
        while take():
            cancel_point()
    finally:
        # After an exception no other block begins, and none is under way any more.
        waiting.clear()
        begun = [future for future in futures if not future.cancel()]
        errors = [future.exception() for future in begun]
    for error in errors:
        if error is not None:
            raise error


_GIVEN: ContextVar[Executor | None] = ContextVar("executor", default=None)
_DEFAULT: dict[int, Threads] = {}
_MAKING = threading.Lock()


@contextmanager
def using(executor: Executor | None) -> Iterator[None]:
    """Place the losses that are made in the ``with`` block in ``executor``; None: where
    they would be placed without it."""
    if executor is None:
        yield
        return
    token = _GIVEN.set(executor)
    try:
        yield
    finally:
        _GIVEN.reset(token)


def place(parts: Sequence[Any], *, local: bool = False) -> Placed:
    """Place the parts of a loss in the executor in use, or in the default one.

    Parameters
    ----------
    parts : sequence
        One for each block.
    local : bool
        Only in this process, for parts that are asked once.
    """
    executor = _GIVEN.get()
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
