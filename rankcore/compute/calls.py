"""Calls of a function for each task: in this process, an executor, or processes."""

import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import suppress
from math import inf
from typing import Any, Generic, Self, TypeVar

from rankcore.base.cancellation import cancel_point
from rankcore.base.errors import LostWorkerError
from rankcore.compute import interface
from rankcore.compute.processes import Pool, without_interrupts

Result = TypeVar("Result")
# Called with the numbers of the waiting tasks, in order; returns the position of the
# next one to begin.
Pick = Callable[[Sequence[int]], int]
# Returns the result of a task, by number, that ends its process at every attempt.
Lost = Callable[[int, LostWorkerError], Result]

# A cluster's client stops reconnecting before this time.
_CONNECTING_SECONDS = 60.0

# Number of calls whose shared arguments a process keeps.
MOST_CONTEXTS = 2
_contexts: dict[str, tuple[Any, ...]] = {}


class Incomplete:
    """The result of a call in a process without the shared arguments."""


class Worker:
    """An executor or separate process that receives calls.

    Attributes
    ----------
    pool : concurrent.futures.Executor
    calls : int
        Number of unfinished calls sent to it.
    able : bool
        Whether any call has returned a result.
    """

    def __init__(
        self,
        pool: Executor,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        key: str = "",
    ) -> None:
        self.pool, self.calls, self.able = pool, 0, False
        self.function, self._shared = function, shared
        self._key = key or uuid.uuid4().hex

    def takes(self, most: float) -> bool:
        """Return whether it accepts a call, given the maximum at a time."""
        return self.calls < most

    def send(self, task: tuple[Any, ...], whole: bool = False) -> Future[Any]:
        """Send a call, ``whole`` with shared arguments if the process lacks them."""
        self.calls += 1
        sent = (self._shared,) if whole or not self._shared else ()
        # It may start a process.
        with without_interrupts():
            return self.pool.submit(_call, self._key, sent, self.function, task)

    def receive(self, future: Future[Any]) -> Any:
        """Return the result of an ended call."""
        self.calls -= 1
        result = future.result()
        self.able = self.able or result is not Incomplete
        return result

    def renew(self) -> None:
        """Note that its process is lost; pools start others themselves."""


class Calls(Generic[Result]):
    """Calls of a function, once for each task.

    Parameters
    ----------
    function : callable
        Called with ``shared`` followed by a task's own arguments.
    shared : tuple
        Arguments common to all calls, such as data; sent once to each process.
    executor : concurrent.futures.Executor or rankcore.compute.executors.Executor,
    optional
        Executor of the calls; None: this process, one after the other. The function,
        its arguments and its results must be picklable for other processes.
    key : str
        A unique name of the shared arguments if several `Calls` of this function share
        them: they are not sent again to a process that has them.

    Attributes
    ----------
    workers : list of Worker
    ended : int
        Number of ended calls.
    """

    poll_seconds = 0.1

    def __init__(
        self,
        function: Callable[..., Result],
        shared: tuple[Any, ...] = (),
        executor: Executor | interface.Executor | None = None,
        key: str = "",
    ) -> None:
        self.function, self.shared, self.ended = function, shared, 0
        self._deadly: tuple[type[Exception], ...] = ()
        self._at_once: Callable[[], float] = lambda: inf
        if isinstance(executor, interface.Executor):
            self._deadly, self._at_once = executor.deadly, executor.runs_at_once
            executor = executor.runs()
        self.workers: Sequence[Worker] = []
        if executor is not None:
            self.workers = [Worker(executor, function, shared, key)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        """End the workers started for the calls."""

    def results(
        self,
        tasks: Iterable[tuple[Any, ...]],
        lost: Lost[Result] | None = None,
        pick: Pick | None = None,
    ) -> Generator[tuple[int, Result], None, None]:
        """Call the function for each task; yield each result when it is ready.

        Parameters
        ----------
        tasks : iterable of tuple
            Individual arguments of each call.
        lost : callable, optional
            Returns the result of a task, by number, that ends its process at every
            attempt; by default an error is raised.
        pick : callable, optional
            Chooses the next task, see `Pick`; by default the first.

        Yields
        ------
        number, result : int, object
            The number of the task, from 0, and its result. When the iterator is closed
            or a task fails, waiting calls are cancelled.

        Raises
        ------
        LostWorkerError
            If a task ends its process, and also a second one in which it runs alone.
        """
        jobs = list(tasks)
        waiting = deque(range(len(jobs)))
        calls: dict[Future[Any], tuple[int, Worker]] = {}

        def next_number() -> int:
            at = 0 if pick is None else pick(waiting)
            number = waiting[at]
            del waiting[at]
            return number

        try:
            while waiting or calls:
                self._look()
                for worker in self.workers:
                    while waiting and self._takes(worker, len(waiting)):
                        number = next_number()
                        calls[worker.send(jobs[number])] = number, worker
                helps = bool(waiting) and self._helps
                if helps:
                    number = next_number()
                    result = self._here(jobs[number])
                    self.ended += 1
                    yield number, result
                for future in _ended(calls, 0.0 if helps else self.poll_seconds):
                    number, worker = calls.pop(future)
                    result = self._received(future, worker, jobs[number], number, lost)
                    if result is Incomplete:
                        again = worker.send(jobs[number], whole=True)
                        calls[again] = number, worker
                    else:
                        self.ended += 1
                        yield number, result
        finally:
            for future, (_, worker) in calls.items():
                future.cancel()
                worker.calls -= 1

    @property
    def _helps(self) -> bool:
        """Return whether this process makes calls."""
        return not self.workers

    def _here(self, task: tuple[Any, ...]) -> Result:
        return self.function(*self.shared, *task)

    def _look(self) -> None:
        """Update the list of workers."""
        self._capacity = self._at_once()

    def _takes(self, worker: Worker, waiting: int) -> bool:
        """Return whether to send a worker one of the waiting tasks."""
        return worker.takes(self._capacity)

    def _spare(self) -> Pool:
        """Return a process for calls whose process was lost."""
        return Pool(1)

    def _received(
        self,
        future: Future[Any],
        worker: Worker,
        task: tuple[Any, ...],
        number: int,
        lost: Lost[Result] | None,
    ) -> Any:
        """Return the result of a call, or `Incomplete`. A call whose process was lost
        is repeated alone, because another task may have ended the process."""
        try:
            return worker.receive(future)
        except self._deadly:
            pass
        except BrokenExecutor:
            worker.renew()
            with self._spare() as pool, suppress(BrokenExecutor):
                call = Worker(pool, self.function, self.shared).send(task, whole=True)
                while not _ended([call], self.poll_seconds):
                    pass
                return call.result()
        except CancelledError:
            # Not for a lost cluster, whose client raises an error after it stops
            # reconnecting.
            until = time.monotonic() + _CONNECTING_SECONDS
            while time.monotonic() < until:
                self._look()
                cancel_point()
                time.sleep(self.poll_seconds)
            raise
        error = LostWorkerError(
            "The training process ended unexpectedly at every attempt, possibly "
            "because memory ran out. Use less data, or fewer processes."
        )
        if lost is None:
            raise error
        return lost(number, error)


def results(
    executor: Executor | interface.Executor | None,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    shared: tuple[Any, ...] = (),
    key: str = "",
    **how: Any,
) -> Generator[tuple[int, Result], None, None]:
    """Call a function for each task; parameters, results and errors are those of
    `Calls` and its `results`."""
    yield from Calls(function, shared, executor, key).results(tasks, **how)


def as_ready(
    workers: int, function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
) -> Generator[tuple[int, Result], None, None]:
    """Yield `results` from new processes, which end at once when the iterator is closed
    or a task fails."""
    with Pool(workers) as pool:
        yield from results(pool, function, tasks)


def _ended(futures: Iterable[Future[Any]], seconds: float) -> set[Future[Any]]:
    """Return the ended calls after at most some seconds; waiting has a cancel point."""
    ended = wait(futures, seconds, FIRST_COMPLETED).done
    if seconds and not ended:
        cancel_point()
    return ended


def _call(
    key: str,
    sent: tuple[tuple[Any, ...], ...],
    function: Callable[..., Any],
    task: tuple[Any, ...],
) -> Any:
    """Call a function in a process, which requests missing shared arguments."""
    if sent:
        _contexts[key] = sent[0]
        for oldest in list(_contexts)[:-MOST_CONTEXTS]:
            del _contexts[oldest]
    if key not in _contexts:
        return Incomplete
    return function(*_contexts[key], *task)
