"""Work in several processes, which end with the one that gave it."""

import multiprocessing
import os
import signal
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

Result = TypeVar("Result")

# Pieces of work whose shared arguments a process keeps.
KEPT = 2
_kept: dict[str, tuple[Any, ...]] = {}
_MISSING = "the shared arguments are not in this process"


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that stay for several pieces of work, and end with the block.

    They end at once, whatever they do, if the block is left by an exception.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    """
    from rankcore._placing import allowed_threads

    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),
        initializer=_limit_threads,
        initargs=(max(allowed_threads() // workers, 1),),
    )
    try:
        yield executor
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _limit_threads(count: int) -> None:
    """Let large data in this process use its share of the cores."""
    from rankcore._placing import VARIABLE

    os.environ[VARIABLE] = str(count)


def as_ready(
    workers: int,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    shared: tuple[Any, ...] = (),
) -> Generator[tuple[int, Result], None, None]:
    """Call a function in processes of its own; yield results as they are ready.

    Parameters
    ----------
    workers : int
    function, tasks, shared
        As for `results`.

    Yields
    ------
    number, result : int, object
        As `results`. When the iterator is closed or a task fails, the processes are
        ended, at once.
    """
    with processes(workers) as executor:
        yield from results(executor, function, tasks, shared)


def results(
    executor: Executor | None,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    shared: tuple[Any, ...] = (),
) -> Generator[tuple[int, Result], None, None]:
    """Call a function for each task; yield what it gives as soon as it is ready.

    Parameters
    ----------
    executor : concurrent.futures.Executor or None
        Where the calls are made; None: here, one after the other. Other processes must
        be able to receive the function, its arguments and its results.
    function : callable
        Called with ``shared`` and a task's own arguments after it.
    tasks : iterable of tuple
        The own arguments of each call.
    shared : tuple
        Arguments of all calls, such as data; sent to each process once.

    Yields
    ------
    number, result : int, object
        The number of the task, from 0, and what it gave. When the iterator is closed
        or a task fails, calls that have not begun are cancelled.
    """
    given = list(tasks)
    if executor is None:
        for number, task in enumerate(given):
            yield number, function(*shared, *task)
        return
    key = uuid.uuid4().hex

    def submit(number: int, *sent: tuple[Any, ...]) -> Future[Any]:
        # It may begin a process.
        with without_interrupts():
            return executor.submit(_call, key, sent, function, given[number])

    # Nothing to share is sent at once; data only to a process that asks for it.
    first = () if shared else (shared,)
    futures = {submit(number, *first): number for number in range(len(given))}
    try:
        while futures:
            future = next(as_completed(futures))
            number = futures.pop(future)
            result = future.result()
            if isinstance(result, str) and result == _MISSING:
                futures[submit(number, shared)] = number
            else:
                yield number, result
    finally:
        for future in futures:
            future.cancel()


def _call(
    key: str,
    sent: tuple[tuple[Any, ...], ...],
    function: Callable[..., Any],
    task: tuple[Any, ...],
) -> Any:
    """Call a function in a process, which asks for shared arguments it has not got."""
    if sent:
        _kept[key] = sent[0]
        for oldest in list(_kept)[:-KEPT]:
            del _kept[oldest]
    if key not in _kept:
        return _MISSING
    return function(*_kept[key], *task)


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
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
