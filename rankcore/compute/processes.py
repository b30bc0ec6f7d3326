"""A pool of processes for whole runs, which always end with this process."""

import functools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from rankcore.base import cores
from rankcore.base.cancellation import cancel_points_of_process
from rankcore.compute.threads import Threads

# Priority of background processes on systems without idle priority.
NICE = 10

# How long background processes pause after a visitor's action; then they work at least
# as long.
GIVEN_SECONDS = 0.25
_spawned = multiprocessing.get_context("spawn")


class Pool(Executor):
    """Processes kept for several pieces of work; a lost one is replaced.

    Work in progress then ends with `concurrent.futures.BrokenExecutor`. The processes
    end with the ``with`` block, at once after an exception.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    share : int
        Number of processes that share the allowed threads; by default ``workers``.
    background : bool
        Whether they run at low priority.
    """

    def __init__(self, workers: int, share: int = 0, background: bool = False) -> None:
        self.workers = workers
        self._share = share or workers
        self._background = background
        self._renewing = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._processes = ProcessPoolExecutor(
            self.workers,
            _spawned,
            initializer=_prepare,
            initargs=(
                max(cores.allowed_threads() // self._share, 1),
                _go_on() if self._background else None,
            ),
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        with self._renewing:
            try:
                return self._processes.submit(fn, *args, **kwargs)
            except BrokenExecutor:
                self._begin()
                return self._processes.submit(fn, *args, **kwargs)

    def terminate(self) -> None:
        """End the processes at once, even during work."""
        # Python 3.14 has ``terminate_workers`` for this.
        for process in list((self._processes._processes or {}).values()):
            process.terminate()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._processes.shutdown(wait, cancel_futures=cancel_futures)

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if kind is not None:
            self.terminate()
        self.shutdown(cancel_futures=True)


class Processes(Threads):
    """Processes of this machine that train whole runs; the blocks of a run trained in
    this process are computed by the same number of threads.

    They map data of `rankcore.load_partitions`; other data are copied to each. As with
    all processes that Python spawns, a script must train under ``if __name__ ==
    "__main__":``.

    Parameters
    ----------
    workers : int, optional
        Number of processes, at least 1; by default `allowed_threads`.

    Raises
    ------
    ValueError
        If ``workers`` is below 1.
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._pool: Pool | None = None

    def runs(self) -> Pool:
        self._pool = self._pool or Pool(self.workers)
        return self._pool

    def __exit__(self, *error: Any) -> None:
        # After an exception, unfinished runs are not awaited.
        if self._pool is not None:
            self._pool.__exit__(*error)
        self.close()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        super().close()

    def __repr__(self) -> str:
        return f"Processes({self.workers})"


def _prepare(threads: int, go_on: Any) -> None:
    """Limit this process to its share of the cores for large data, and end it with its
    parent.

    In the background it has low priority, and pauses until ``go_on``.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ[cores.VARIABLE] = str(threads)
    if go_on is not None:
        lower_priority()
        cancel_points_of_process(functools.partial(_stand_still, go_on))


def _end_with_parent() -> None:
    """End with the parent: a killed one sends nothing, and this would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def lower_priority() -> None:
    """Give this process the lowest priority; no effect on systems without
    priorities."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    elif hasattr(os, "nice"):
        os.nice(NICE)


def _stand_still(go_on: Any) -> None:
    while (left := go_on.value - time.monotonic()) > 0.0:
        time.sleep(left)


@functools.cache
def _go_on() -> Any:
    """Return when background processes may continue, on a clock shared by all processes
    of a machine."""
    return _spawned.RawValue("d", 0.0)


def give_way() -> None:
    """Pause background processes briefly after a visitor's action."""
    go_on, now = _go_on(), time.monotonic()
    if now > go_on.value + GIVEN_SECONDS:
        go_on.value = now + GIVEN_SECONDS


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Shield processes started in the block from Ctrl-C of a terminal.

    They inherit the blocked signals; a signal during the block is delivered afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started with the first process, it would unblock them.
    resource_tracker.ensure_running()
    ends = [getattr(signal, n, None) for n in ("SIGINT", "SIGTERM", "SIGHUP")]
    with _handled_later(*filter(None, ends)):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handled_later(*numbers: signal.Signals) -> Iterator[None]:
    """Handle signals after the block: another thread may receive one blocked in this
    thread, and Python then handles it here, during the start of a process."""
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        python_handled = (
            number for number in numbers if signal.getsignal(number) is not None
        )
        before = {
            n: signal.signal(n, lambda n, _: came.append(n)) for n in python_handled
        }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)
