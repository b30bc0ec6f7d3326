"""Work in several processes, which end with the one that gave it."""

import functools
import multiprocessing
import os
import signal
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from rankcore.base import cores
from rankcore.base.cancellation import cancel_point, cancel_points_of_process
from rankcore.base.errors import LostWorkerError
from rankcore.compute import interface

Result = TypeVar("Result")
# Called with the numbers of the tasks that wait, in their order; gives the place there
# of the one to begin next.
Pick = Callable[[Sequence[int]], int]

_POLL_SECONDS = 0.1
# A client of a cluster gives up connecting again before.
_CONNECTING_SECONDS = 60.0
# The priority of processes in the background, where the system knows no idle ones.
NICE = 10

# How long processes in the background stand still for a visitor who has acted; then
# they work at least as long.
GIVEN_SECONDS = 0.25
_spawned = multiprocessing.get_context("spawn")

# Pieces of work whose shared arguments a process keeps.
MOST_CONTEXTS = 2
_contexts: dict[str, tuple[Any, ...]] = {}
_MISSING = "the shared arguments are not in this process"


class Pool(Executor):
    """Processes that stay for several pieces of work; others begin when one is lost.

    The work that was under way then ends with `concurrent.futures.BrokenExecutor`.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    share, background
        As of `processes`.
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
        """End the processes at once, whatever they do."""
        # Python 3.14 has ``terminate_workers`` for this.
        for process in list((self._processes._processes or {}).values()):
            process.terminate()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._processes.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def processes(workers: int, share: int = 0, background: bool = False) -> Iterator[Pool]:
    """Provide processes that end with the block.

    They end at once, whatever they do, if the block is left by an exception.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    share : int
        How many share the threads that are allowed; by default these.
    background : bool
        Whether they run at low priority, so that others come first.
    """
    pool = Pool(workers, share, background)
    try:
        yield pool
    except BaseException:
        pool.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare(threads: int, go_on: Any) -> None:
    """Let large data in this process use its share of the cores, and end it with the
    one that gave it work, however that ends.

    In the background it has a low priority, and stands still until ``go_on``.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ[cores.VARIABLE] = str(threads)
    if go_on is not None:
        lower_priority()
        cancel_points_of_process(functools.partial(_stand_still, go_on))


def _stand_still(go_on: Any) -> None:
    while (left := go_on.value - time.monotonic()) > 0.0:
        time.sleep(left)


@functools.cache
def _go_on() -> Any:
    """When processes in the background may go on, on the clock that those of a machine
    share."""
    return _spawned.RawValue("d", 0.0)


def give_way() -> None:
    """Let processes in the background stand still for a moment: a visitor has acted."""
    go_on, now = _go_on(), time.monotonic()
    if now > go_on.value + GIVEN_SECONDS:
        go_on.value = now + GIVEN_SECONDS


def _end_with_parent() -> None:
    """End with the parent: a killed process sends nothing, and work would wait on."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def lower_priority() -> None:
    """Let every other process go before this one from now on; no effect where the
    system has no priorities."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    elif hasattr(os, "nice"):
        os.nice(NICE)


def as_ready(
    workers: int,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
) -> Generator[tuple[int, Result], None, None]:
    """Call a function in processes of its own; yield results as they are ready.

    Parameters
    ----------
    workers : int
    function, tasks
        As for `results`.

    Yields
    ------
    number, result : int, object
        As `results`. When the iterator is closed or a task fails, the processes are
        ended, at once.
    """
    with processes(workers) as executor:
        yield from results(executor, function, tasks)


def runs_of(
    executor: Executor | interface.Executor | None,
) -> tuple[Executor | None, Callable[[], float]]:
    """Where runs are trained, and how many of them may be given at a time.

    Parameters
    ----------
    executor : concurrent.futures.Executor or rankcore.compute.executors.Executor,
    optional
    """
    if not isinstance(executor, interface.Executor):
        return executor, lambda: inf
    return executor.runs(), executor.runs_at_once


def results(
    executor: Executor | interface.Executor | None,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    shared: tuple[Any, ...] = (),
    lost: Callable[[int, LostWorkerError], Result] | None = None,
    key: str = "",
    pick: Pick | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Call a function for each task; yield what it gives as soon as it is ready.

    Parameters
    ----------
    executor : concurrent.futures.Executor or rankcore.compute.executors.Executor,
    optional
        Where the calls are made; None: here, one after the other. Other processes must
        be able to receive the function, its arguments and its results.
    function : callable
        Called with ``shared`` and a task's own arguments after it.
    tasks : iterable of tuple
        The own arguments of each call.
    shared : tuple
        Arguments of all calls, such as data; sent to each process once.
    lost : callable
        Gives the result of a task, by its number, that ends its process each time it
        is called; by default that is an error.
    key : str
        A unique name of the shared arguments, where several calls of this function
        share them: a process that has them is not sent them again.
    pick : callable, optional
        Which task is begun next, see `Pick`; by default the first.

    Yields
    ------
    number, result : int, object
        The number of the task, from 0, and what it gave. When the iterator is closed
        or a task fails, calls that have not begun are cancelled.

    Raises
    ------
    LostWorkerError
        If a task ends its process, and another one in which it is called alone.
    """
    jobs = list(tasks)
    pool, at_once = runs_of(executor)
    left = deque(range(len(jobs)))
    if pool is None:
        while left:
            number = take_next(left, pick)
            yield number, function(*shared, *jobs[number])
        return
    submit = submitting(pool, function, shared, key)
    deadly: tuple[type[Exception], ...] = ()
    if isinstance(executor, interface.Executor):
        deadly = executor.deadly
    losses: tuple[type[Exception], ...] = (BrokenExecutor, *deadly)
    # Nothing to share is sent at once; data only to a process that asks for it.
    futures: dict[Future[Any], int] = {}
    try:
        while left or futures:
            while left and len(futures) < at_once():
                number = take_next(left, pick)
                futures[submit(jobs[number], not shared)] = number
            for future in next_ended(futures, each=at_once):
                number = futures.pop(future)
                try:
                    result = future.result()
                except losses as error:
                    again = None if isinstance(error, deadly) else function
                    yield number, call_alone(again, shared, jobs[number], number, lost)
                    continue
                except CancelledError:
                    # Not here: of a cluster that is lost, which says so when its
                    # client has given up connecting again.
                    until = time.monotonic() + _CONNECTING_SECONDS
                    while time.monotonic() < until:
                        at_once()
                        cancel_point()
                        time.sleep(_POLL_SECONDS)
                    raise
                if is_missing(result):
                    futures[submit(jobs[number], True)] = number
                else:
                    yield number, result
    finally:
        for future in futures:
            future.cancel()


def take_next(waiting: deque[int], pick: Pick | None) -> int:
    """Return the task to begin next, taken from those that wait."""
    at = 0 if pick is None else pick(waiting)
    number = waiting[at]
    del waiting[at]
    return number


def call_alone(
    function: Callable[..., Result] | None,
    shared: tuple[Any, ...],
    task: tuple[Any, ...],
    number: int,
    lost: Callable[[int, LostWorkerError], Result] | None,
    share: int = 0,
    background: bool = False,
) -> Result:
    """Call a function in a process of its own, since that of the task was lost: other
    tasks may have ended it. Without a function, the task is known to have done so.
    ``share`` and ``background`` as of `processes`."""
    if function is not None:
        with processes(1, share, background) as pool, suppress(BrokenExecutor):
            with without_interrupts():
                future = pool.submit(function, *shared, *task)
            (ended,) = next_ended([future])
            return ended.result()
    error = LostWorkerError(
        "The process that trained ended unexpectedly, each time it was tried, perhaps "
        "for want of memory. Use less data, or fewer processes."
    )
    if lost is None:
        raise error
    return lost(number, error)


def submitting(
    executor: Executor,
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    key: str = "",
) -> Callable[[tuple[Any, ...], bool], Future[Any]]:
    """Return what sends a task to an executor, with the shared arguments or without."""
    key = key or uuid.uuid4().hex

    def submit(task: tuple[Any, ...], sends: bool) -> Future[Any]:
        # It may begin a process.
        with without_interrupts():
            return executor.submit(
                _call, key, (shared,) if sends else (), function, task
            )

    return submit


def is_missing(result: Any) -> bool:
    """Return whether a process lacked the shared arguments of a call."""
    return isinstance(result, str) and result == _MISSING


def next_ended(
    futures: Iterable[Future[Any]],
    seconds: float = _POLL_SECONDS,
    each: Callable[[], object] = lambda: None,
) -> Iterator[Future[Any]]:
    """Yield the next ones that have ended. Waiting has a cancel point, and calls
    ``each``, after so many seconds."""
    while not (ended := wait(futures, seconds, FIRST_COMPLETED).done):
        cancel_point()
        each()
    yield from ended


def _call(
    key: str,
    sent: tuple[tuple[Any, ...], ...],
    function: Callable[..., Any],
    task: tuple[Any, ...],
) -> Any:
    """Call a function in a process, which asks for shared arguments it has not got."""
    if sent:
        _contexts[key] = sent[0]
        for oldest in list(_contexts)[:-MOST_CONTEXTS]:
            del _contexts[oldest]
    if key not in _contexts:
        return _MISSING
    return function(*_contexts[key], *task)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes that never see Ctrl-C, which a terminal sends to them as well.

    They inherit the signals that are blocked; one that comes meanwhile comes later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Beginning with the first process, it would unblock them.
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
    """Handle signals after the block: one that is blocked in this thread another may
    take, and Python then handles it here. A process half begun would tell of it."""
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
