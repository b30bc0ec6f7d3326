"""Work that starts in this process and goes to others once that saves time."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self

from rankcore.base import cores
from rankcore.base.cancellation import lent_at_rest, training_seconds
from rankcore.base.errors import LostWorkerError
from rankcore.compute import interface
from rankcore.compute.workers import (
    Pick,
    Pool,
    call_alone,
    is_missing,
    next_ended,
    processes,
    results,
    submitting,
    take_next,
    without_interrupts,
)

# Starting a process takes seconds, so the remaining calls must take longer than this.
PAYS_AFTER_SECONDS = 12.0
# No process starts earlier: it would delay the first results.
FIRST_SECONDS = 1.0
# Between two cancel points while others work; a study that waits gives its turn away.
POLL_SECONDS = 0.02


class _Room:
    """Limits the number of processes of all pieces of work together."""

    def __init__(self) -> None:
        self._n_in_use = 0
        self._lock = threading.Lock()

    def take(self, wanted: int) -> bool:
        """Reserve a process if one is free. The limit is one for each core, or
        ``wanted`` where that is more."""
        with self._lock:
            left = self._n_in_use < max(cores.allowed_threads(), wanted)
            self._n_in_use += left
        return left

    def give_back(self) -> None:
        with self._lock:
            self._n_in_use -= 1


_room = _Room()


class _Place:
    """A place in `_room`, which can be given back and taken again."""

    def __init__(self) -> None:
        self.taken = False

    def take(self, wanted: int) -> bool:
        """Take it, if it is not taken and one is free; return whether it is taken."""
        self.taken = self.taken or _room.take(wanted)
        return self.taken

    def give_back(self) -> None:
        if self.taken:
            self.taken = False
            _room.give_back()


@dataclass(eq=False)
class _Process:
    """A process that `Offload` has started.

    While the work rests it has no place; what it is computing, it ends.

    Attributes
    ----------
    pool : Pool
        Of this process alone.
    submit : callable
        Sends it a task, with the shared arguments or without.
    ready : Future
        Ends when it has imported what a call needs.
    place : _Place
        Without it, it gets no calls.
    able : bool
        Whether it has returned a result.
    calls : int
        Number of calls submitted to it that have not ended.
    """

    pool: Pool
    submit: Callable[[tuple[Any, ...], bool], Future[Any]]
    ready: Future[Any]
    place: _Place
    able: bool = False
    calls: int = 0

    @property
    def takes_calls(self) -> bool:
        """Whether the process has a place and has started without an error."""
        ready = self.ready.done() and self.ready.exception() is None
        return self.place.taken and ready


class Offload:
    """Calls of a function that are made here and, once that pays, in processes instead.

    A process starts when the remaining calls would take more than ``pays_after``
    seconds without it. At most half of ``workers`` start at the same time. All end at
    once with the block. When every process has returned a result, this one makes no
    further calls, so that it answers requests promptly. While the driver rests, see
    `rankcore.base.cancellation.rest`, others may have the places of the processes;
    these get calls again once they have places again.

    Parameters
    ----------
    workers : int
        Number of processes, at least 1; fewer or none while others have theirs, see
        `_Room`.
    function, shared
        As of `rankcore.compute.workers.results`.
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
        self._n_done, self._seconds = -1, 0.0

    def __enter__(self) -> Self:
        self._open.enter_context(lent_at_rest(self._lend))
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
            As of `rankcore.compute.workers.results`.

        Yields
        ------
        number, result : int, object
            As there.

        Raises
        ------
        LostWorkerError
            As there.
        """
        jobs = list(tasks)
        waiting = deque(range(len(jobs)))
        futures: dict[Future[Any], tuple[int, _Process]] = {}
        try:
            while waiting or futures:
                self._begin_what_pays()
                for process in self._processes:
                    while self._takes(process, len(waiting)):
                        number = take_next(waiting, pick)
                        future = process.submit(jobs[number], not self._shared)
                        futures[future] = number, process
                        process.calls += 1
                helps = waiting and self._able < self._workers
                if helps:
                    number = take_next(waiting, pick)
                    yield number, self._here(jobs[number])
                ended = filter(Future.done, list(futures))
                for future in ended if helps else next_ended(futures, POLL_SECONDS):
                    number, process = futures.pop(future)
                    result = self._reached(future, process, jobs[number], number, lost)
                    if is_missing(result):
                        again = process.submit(jobs[number], True)
                        futures[again] = number, process
                    else:
                        process.calls -= 1
                        self._left -= 1
                        yield number, result
        finally:
            for future, (_, process) in futures.items():
                future.cancel()
                process.calls -= 1

    @property
    def _able(self) -> int:
        """How many processes have a place and have returned a result."""
        return sum(
            processes.able and processes.place.taken for processes in self._processes
        )

    def _takes(self, process: _Process, waiting: int) -> bool:
        """Whether to submit a waiting task to a process: one at a time, and a second in
        advance while enough wait."""
        most = 1 + (process.able and waiting > len(self._processes))
        return waiting > 0 and process.takes_calls and process.calls < most

    def _lend(self) -> None:
        for process in self._processes:
            process.place.give_back()

    def _begin_what_pays(self) -> None:
        for process in self._processes:
            process.place.take(self._workers)
        while self._pays() and (place := _Place()).take(self._workers):
            self._open.callback(place.give_back)
            self._processes.append(self._process(place))

    def _pays(self) -> bool:
        """Whether another process would shorten the calls to come by enough."""
        if self._n_done < 1 or self._seconds < min(self._pays_after, FIRST_SECONDS):
            return False
        n_processes = len(self._processes)
        most = min(self._able + max(self._workers // 2, 1), self._workers)
        to_come = self._seconds / self._n_done * self._left
        return n_processes < most and to_come / (1 + n_processes) > self._pays_after

    def _process(self, place: _Place) -> _Process:
        pool = self._open.enter_context(processes(1, self._workers, background=True))
        # Calls that are unfinished when the block ends are abandoned.
        self._open.callback(pool.terminate)
        submit = submitting(pool, self._function, self._shared)
        return _Process(pool, submit, self._readiness(pool), place)

    def _readiness(self, pool: Pool) -> Future[Any]:
        with without_interrupts():
            # Unpickling the function imports its module.
            return pool.submit(callable, self._function)

    def _here(self, task: tuple[Any, ...]) -> Any:
        began = training_seconds()
        result = self._function(*self._shared, *task)
        self._left -= 1
        self._n_done += 1
        if self._n_done > 0:
            self._seconds += training_seconds() - began
        return result

    def _reached(
        self,
        future: Future[Any],
        process: _Process,
        task: tuple[Any, ...],
        number: int,
        lost: Callable[[int, LostWorkerError], Any] | None,
    ) -> Any:
        try:
            result = future.result()
        except BrokenExecutor:
            # Another one takes its place.
            process.able, process.ready = False, self._readiness(process.pool)
            return call_alone(
                self._function, self._shared, task, number, lost, self._workers, True
            )
        process.able = process.able or not is_missing(result)
        return result


@contextmanager
def calling(
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    total: int,
    executor: Executor | interface.Executor | None = None,
    workers: int = 1,
) -> Iterator[Callable[..., Generator[tuple[int, Any], None, None]]]:
    """Choose where a function is called for each of some tasks.

    Parameters
    ----------
    function, shared, total
        As of `Offload`.
    executor : concurrent.futures.Executor or rankcore.compute.executors.Executor,
    optional
        Where the calls are made.
    workers : int
        Without an executor, calls are made here, and in so many processes once that
        pays, see `Offload`; with 1 all are made here.

    Yields
    ------
    callable
        Takes ``tasks``, ``lost`` and ``pick``, and yields numbers and results, as
        `rankcore.compute.workers.results`.
    """
    if executor is None and workers > 1:
        with Offload(workers, function, shared, total) as offload:
            yield offload.results
    else:
        yield lambda tasks, **how: results(executor, function, tasks, shared, **how)
