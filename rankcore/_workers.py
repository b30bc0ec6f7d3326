"""Work in several processes, which end with the one that gave it."""

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")


def as_ready(
    workers: int,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Generator[tuple[int, Result], None, None]:
    """Call a function in processes; yield results as they are ready.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    function : callable
        With its arguments and results it must be possible to send it to a process.
    tasks : iterable of tuple
        The arguments of each call.
    initializer, initargs
        What each process calls first, and with which arguments.

    Yields
    ------
    number, result : int, object
        The number of the task, from 0, and what it gave. When the iterator is closed
        or a task fails, the processes are ended, at once.
    """
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, context, initializer, initargs)
    others = set(multiprocessing.active_children())
    try:
        with _without_interrupts():
            futures = {
                executor.submit(function, *task): number
                for number, task in enumerate(tasks)
            }
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that never see Ctrl-C, which a terminal sends to them as well.

    They inherit the signals that are blocked; one that comes meanwhile comes later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
