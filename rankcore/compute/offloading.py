"""Work that starts in this process and moves to others once that saves time."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import Any, Self

from rankcore.base import cores
from rankcore.base.cancellation import lent_at_rest, training_seconds
from rankcore.compute import interface
from rankcore.compute.calls import Calls, Result, Worker
from rankcore.compute.processes import Pool, without_interrupts

# Starting a process takes seconds, so remaining calls must take longer than this.
PAYS_AFTER_SECONDS = 12.0
# No process starts earlier: it would delay the first results.
FIRST_SECONDS = 1.0

_TAKING = threading.Lock()
_PLACES: set["_Place"] = set()


class _Place:
    """A place for a process, from a pool shared by all work: one per core, or more if
    one piece of work requests more."""

    def take(self, wanted: int) -> bool:
        """Take the place if possible; return whether it is taken."""
        with _TAKING:
            if len(_PLACES) < max(cores.allowed_threads(), wanted):
                _PLACES.add(self)
            return self in _PLACES

    def give_back(self) -> None:
        with _TAKING:
            _PLACES.discard(self)


class _Process(Worker):
    """A process started by `Offload`; it receives calls while it has a place."""

    def __init__(self, place: _Place, *call: Any) -> None:
        super().__init__(*call)
        self.place = place
        self.renew()

    def renew(self) -> None:
        self.able = False
        with without_interrupts():
            # Unpickling the function imports its module.
            self._ready = self.pool.submit(callable, self.function)

    def takes(self, most: float) -> bool:
        started = self._ready.done() and self._ready.exception() is None
        return started and self.place in _PLACES and super().takes(most)


class Offload(Calls[Result]):
    """Calls of a function in this process and, once that pays, in others instead.

    A process starts when the remaining calls would take more than ``pays_after``
    seconds without it. At most half of ``most`` start at the same time. All end at once
    with the ``with`` block. When every process has returned a result, this one makes no
    further calls, so that it answers requests promptly. While the driver rests, see
    `rankcore.base.cancellation.rest`, other work may take the places of the processes,
    which finish their current calls and receive new ones when they have places again.

    Parameters
    ----------
    most : int
        Number of processes, at least 1; fewer while other work has their places.
    function, shared
        As for `rankcore.compute.calls.Calls`.
    total : int
        Total number of calls.
    pays_after : float, optional
        Seconds; by default `PAYS_AFTER_SECONDS`.
    """

    # A waiting study yields its turn between two cancel points.
    poll_seconds = 0.02

    def __init__(
        self,
        most: int,
        function: Callable[..., Result],
        shared: tuple[Any, ...],
        total: int,
        pays_after: float | None = None,
    ) -> None:
        super().__init__(function, shared)
        self.workers: list[_Process] = []
        self._most, self._total = most, total
        self._pays_after = PAYS_AFTER_SECONDS if pays_after is None else pays_after
        self._open = ExitStack()
        # Calls made here except the first, which may have loaded kernels.
        self._n_done, self._seconds = -1, 0.0

    def __enter__(self) -> Self:
        self._open.enter_context(lent_at_rest(self._lend))
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def _lend(self) -> None:
        for process in self.workers:
            process.place.give_back()

    @property
    def _able(self) -> int:
        """Number of processes that have a place and have returned a result."""
        return sum(one.able and one.place in _PLACES for one in self.workers)

    @property
    def _helps(self) -> bool:
        return self._able < self._most

    def _here(self, task: tuple[Any, ...]) -> Result:
        began = training_seconds()
        result = super()._here(task)
        self._n_done += 1
        if self._n_done > 0:
            self._seconds += training_seconds() - began
        return result

    def _takes(self, worker: Worker, waiting: int) -> bool:
        # A second one in advance while enough calls wait.
        return worker.takes(1 + (worker.able and waiting > len(self.workers)))

    def _look(self) -> None:
        for process in self.workers:
            process.place.take(self._most)
        while self._pays() and (place := _Place()).take(self._most):
            self._open.callback(place.give_back)
            pool = self._open.enter_context(self._spare())
            # Calls that are unfinished when the block ends are abandoned.
            self._open.callback(pool.terminate)
            self.workers.append(_Process(place, pool, self.function, self.shared))

    def _spare(self) -> Pool:
        return Pool(1, share=self._most, background=True)

    def _pays(self) -> bool:
        """Return whether another process would save enough time."""
        if self._n_done < 1 or self._seconds < min(self._pays_after, FIRST_SECONDS):
            return False
        n_processes = len(self.workers)
        most = min(self._able + max(self._most // 2, 1), self._most)
        to_come = self._seconds / self._n_done * (self._total - self.ended)
        return n_processes < most and to_come / (1 + n_processes) > self._pays_after


def calls_of(
    function: Callable[..., Result],
    shared: tuple[Any, ...],
    total: int,
    executor: Executor | interface.Executor | None = None,
    processes: int = 1,
) -> Calls[Result]:
    """Return the calls of a function in the executor, if given; otherwise in this
    process and, once that pays, in others, see `Offload`; or in this process only.

    Parameters
    ----------
    function, shared, total
        As for `Offload`.
    executor : concurrent.futures.Executor or Executor, optional
    processes : int
    """
    if executor is None and processes > 1:
        return Offload(processes, function, shared, total)
    return Calls(function, shared, executor)
