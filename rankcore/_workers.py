"""Work in several processes, which end with the one that gave it."""

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
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from math import inf
from multiprocessing import resource_tracker
from typing import Any, Self, TypeVar

from rankcore import _placing
from rankcore._cancellation import cancel_point
from rankcore.errors import LostWorkerError

Result = TypeVar("Result")
# Called with the numbers of the tasks that wait, in their order; gives the place there
# of the one to begin next.
Pick = Callable[[Sequence[int]], int]

# Starting a process takes seconds.
PAYS_AFTER_SECONDS = 12.0
# The first results are waited for; a process that begins would delay them.
FIRST_SECONDS = 0.75
_POLL_SECONDS = 0.1
# The priority of processes in the background.
NICE = 10

# Pieces of work whose shared arguments a process keeps.
KEPT = 2
_kept: dict[str, tuple[Any, ...]] = {}
_MISSING = "the shared arguments are not in this process"


class _Room:
    """How many processes all pieces of work together may have."""

    def __init__(self) -> None:
        self._taken = 0
        self._lock = threading.Lock()

    def take(self, wanted: int) -> bool:
        """Take one process, if any is left of one for each core; a single piece of work
        can have all that it wants."""
        with self._lock:
            left = self._taken < max(_placing.allowed_threads(), wanted)
            self._taken += left
        return left

    def give_back(self) -> None:
        with self._lock:
            self._taken -= 1


_room = _Room()


class Pool(Executor):
    """Processes that stay for several pieces of work; others begin when one is lost.

    The work that was under way then ends with `concurrent.futures.BrokenExecutor`.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    background : bool
        As of `processes`.
    """

    def __init__(self, workers: int, background: bool = False) -> None:
        self.workers = workers
        self._background = background
        self._renewing = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._processes = ProcessPoolExecutor(
            self.workers,
            multiprocessing.get_context("spawn"),
            initializer=_prepare,
            initargs=(
                max(_placing.allowed_threads() // self.workers, 1),
                self._background,
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
def processes(workers: int, background: bool = False) -> Iterator[Pool]:
    """Processes that end with the block.

    They end at once, whatever they do, if the block is left by an exception.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1.
    background : bool
        Whether they leave the cores to every other process that can use them.
    """
    pool = Pool(workers, background)
    try:
        yield pool
    except BaseException:
        pool.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare(threads: int, background: bool) -> None:
    """Let large data in this process use its share of the cores."""
    os.environ[_placing.VARIABLE] = str(threads)
    if background:
        lower_priority()


def lower_priority() -> None:
    """Leave the cores to every other process that can use them, from now on; where the
    system knows no priorities, nothing changes."""
    if hasattr(os, "nice"):
        os.nice(NICE)


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


def runs_of(
    executor: Executor | _placing.Executor | None,
) -> tuple[Executor | None, Callable[[], float]]:
    """Where runs are trained, and how many of them may be given at a time.

    Parameters
    ----------
    executor : concurrent.futures.Executor or rankcore.executors.Executor, optional
    """
    if not isinstance(executor, _placing.Executor):
        return executor, lambda: inf
    return executor.runs(), executor.runs_at_once


def results(
    executor: Executor | _placing.Executor | None,
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
    executor : concurrent.futures.Executor or rankcore.executors.Executor, optional
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
    given = list(tasks)
    pool, at_once = runs_of(executor)
    left = deque(range(len(given)))
    if pool is None:
        while left:
            number = _taken(left, pick)
            yield number, function(*shared, *given[number])
        return
    submit = _submitting(pool, function, shared, key)
    deadly: tuple[type[Exception], ...] = ()
    if isinstance(executor, _placing.Executor):
        deadly = executor.deadly
    losses: tuple[type[Exception], ...] = (BrokenExecutor, *deadly)
    # Nothing to share is sent at once; data only to a process that asks for it.
    futures: dict[Future[Any], int] = {}
    try:
        while left or futures:
            while left and len(futures) < at_once():
                number = _taken(left, pick)
                futures[submit(given[number], not shared)] = number
            for future in _ended(futures, at_once):
                number = futures.pop(future)
                try:
                    result = future.result()
                except losses as error:
                    again = None if isinstance(error, deadly) else function
                    yield number, _alone(again, shared, given[number], number, lost)
                    continue
                if _is_missing(result):
                    futures[submit(given[number], True)] = number
                else:
                    yield number, result
    finally:
        for future in futures:
            future.cancel()


def _taken(waiting: deque[int], pick: Pick | None) -> int:
    """The task to begin next, taken from those that wait."""
    at = 0 if pick is None else pick(waiting)
    number = waiting[at]
    del waiting[at]
    return number


def _alone(
    function: Callable[..., Result] | None,
    shared: tuple[Any, ...],
    task: tuple[Any, ...],
    number: int,
    lost: Callable[[int, LostWorkerError], Result] | None,
) -> Result:
    """Call a function in a process of its own, since that of the task was lost: other
    tasks may have ended it. Without a function, the task is known to have done so."""
    if function is not None:
        with processes(1) as own, suppress(BrokenExecutor):
            with without_interrupts():
                future = own.submit(function, *shared, *task)
            (ended,) = _ended([future])
            return ended.result()
    error = LostWorkerError(
        "The process that trained ended unexpectedly, each time it was tried, perhaps "
        "for want of memory. Use less data, or fewer processes."
    )
    if lost is None:
        raise error
    return lost(number, error)


@dataclass(eq=False)
class _Process:
    """A process that `Sharing` has begun.

    Attributes
    ----------
    submit : callable
        Sends it a task, with the shared arguments or without.
    ready : Future
        Ends when it has imported what a call needs.
    able : bool
        Whether it has made a call.
    calls : int
        Those that it has been given and has not made.
    """

    submit: Callable[[tuple[Any, ...], bool], Future[Any]]
    ready: Future[Any]
    able: bool = False
    calls: int = 0


class Sharing:
    """Calls of a function that are made here and, once that pays, in processes instead.

    A process is begun when the calls to come will take more than ``pays_after`` seconds
    without it, half of them at a time, and stays until the block ends; all end at once
    if it is left by an exception. When each of them has made a call, this process makes
    none any more, so that it answers as soon as if there were no work.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1; fewer or none while others have theirs, see
        `_Room`.
    function, shared
        As for `results`.
    total : int
        How many calls there will be in all.
    pays_after : float, optional
        By default `PAYS_AFTER_SECONDS`.
    """

    def __init__(
        self,
        workers: int,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        total: int,
        pays_after: float | None = None,
    ) -> None:
        self._workers = workers
        self._function = function
        self._shared = shared
        self._left = total
        self._pays_after = PAYS_AFTER_SECONDS if pays_after is None else pays_after
        self._open = ExitStack()
        self._processes: list[_Process] = []
        # Calls made here without the first, which may have loaded kernels.
        self._made, self._seconds = -1, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def results(
        self,
        tasks: Iterable[tuple[Any, ...]],
        lost: Callable[[int, LostWorkerError], Any] | None = None,
        pick: Pick | None = None,
    ) -> Generator[tuple[int, Any], None, None]:
        """Call the function for each task; yield what it gives as soon as it is ready.

        Parameters
        ----------
        tasks, lost, pick
            As for the function `results`.

        Yields
        ------
        number, result : int, object
            As `results`.

        Raises
        ------
        LostWorkerError
            As `results`.
        """
        given = list(tasks)
        waiting = deque(range(len(given)))
        futures: dict[Future[Any], tuple[int, _Process]] = {}
        try:
            while waiting or futures:
                self._begin_what_pays()
                for process in self._processes:
                    while self._takes(process, len(waiting)):
                        number = _taken(waiting, pick)
                        future = process.submit(given[number], not self._shared)
                        futures[future] = number, process
                        process.calls += 1
                helps = waiting and self._able < self._workers
                if helps:
                    number = _taken(waiting, pick)
                    yield number, self._here(given[number])
                ended = filter(Future.done, list(futures))
                for future in ended if helps else _ended(futures):
                    number, process = futures.pop(future)
                    result = self._reached(future, given[number], number, lost)
                    if _is_missing(result):
                        again = process.submit(given[number], True)
                        futures[again] = number, process
                    else:
                        process.calls -= 1
                        process.able = True
                        self._left -= 1
                        yield number, result
        finally:
            for future in futures:
                future.cancel()

    @property
    def _able(self) -> int:
        """How many processes have made a call."""
        return sum(process.able for process in self._processes)

    def _takes(self, process: _Process, waiting: int) -> bool:
        """Whether a process is given one of the tasks that wait: it has one, and while
        there are enough for all, another to go on with."""
        most = 1 + (process.able and waiting > len(self._processes))
        return waiting > 0 and process.ready.done() and process.calls < most

    def _begin_what_pays(self) -> None:
        if self._made < 1 or self._seconds < min(self._pays_after, FIRST_SECONDS):
            return
        begun = len(self._processes)
        if begun - self._able >= max(self._workers // 2, 1) or begun >= self._workers:
            return
        to_come = self._seconds / self._made * self._left
        pays = to_come / (1 + begun) > self._pays_after
        if pays and _room.take(self._workers):
            self._open.callback(_room.give_back)
            self._processes.append(self._process())

    def _process(self) -> _Process:
        # Pages answer while it trains.
        executor = self._open.enter_context(processes(1, background=True))
        submit = _submitting(executor, self._function, self._shared)
        with without_interrupts():
            # It imports the function's module to know it.
            return _Process(submit, executor.submit(callable, self._function))

    def _here(self, task: tuple[Any, ...]) -> Any:
        began = time.monotonic()
        result = self._function(*self._shared, *task)
        self._left -= 1
        self._made += 1
        if self._made > 0:
            self._seconds += time.monotonic() - began
        return result

    def _reached(
        self,
        future: Future[Any],
        task: tuple[Any, ...],
        number: int,
        lost: Callable[[int, LostWorkerError], Any] | None,
    ) -> Any:
        try:
            return future.result()
        except BrokenExecutor:
            return _alone(self._function, self._shared, task, number, lost)


def shared_out(
    workers: int,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    shared: tuple[Any, ...] = (),
    lost: Callable[[int, LostWorkerError], Result] | None = None,
    pays_after: float | None = None,
    pick: Pick | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Call a function for each task as `Sharing` does; all tasks are known.

    Parameters
    ----------
    workers, function, shared, pays_after
        As of `Sharing`.
    tasks, lost, pick
        As for `results`.

    Yields
    ------
    number, result : int, object
        As `results`.
    """
    given = list(tasks)
    with Sharing(workers, function, shared, len(given), pays_after) as sharing:
        yield from sharing.results(given, lost, pick)


def _submitting(
    executor: Executor,
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    key: str = "",
) -> Callable[[tuple[Any, ...], bool], Future[Any]]:
    """What sends a task to an executor, with the shared arguments or without."""
    key = key or uuid.uuid4().hex

    def submit(task: tuple[Any, ...], sends: bool) -> Future[Any]:
        # It may begin a process.
        with without_interrupts():
            return executor.submit(
                _call, key, (shared,) if sends else (), function, task
            )

    return submit


def _is_missing(result: Any) -> bool:
    return isinstance(result, str) and result == _MISSING


def _ended(
    futures: Iterable[Future[Any]], each: Callable[[], object] = lambda: None
) -> Iterator[Future[Any]]:
    """The next ones that have ended; waiting for them is a cancel point, and calls
    ``each`` now and then."""
    while not (found := wait(futures, _POLL_SECONDS, FIRST_COMPLETED).done):
        cancel_point()
        each()
    yield from found


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
