"""Turns of jobs, shared fairly among their owners."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

# A job yields to others after this time, so that all make progress.
SLICE_SECONDS = 0.1
# While pages are drawn, a job works for the first time and rests for the second, so
# that both make progress.
WORK_SECONDS, REST_SECONDS = 0.03, 0.15


class Way:
    """Gives the drawing of pages priority over jobs."""

    def __init__(self) -> None:
        self._drawings = 0
        self._lock = threading.Lock()
        self._free = threading.Event()
        self._free.set()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Let jobs rest during the ``with`` block, which draws a page."""
        with self._lock:
            self._drawings += 1
            self._free.clear()
        try:
            yield
        finally:
            with self._lock:
                self._drawings -= 1
                if not self._drawings:
                    self._free.set()

    def rest(self) -> None:
        """Wait, for a limited time, until no page is being drawn."""
        self._free.wait(REST_SECONDS)


# All threads of this process share it.
WAY = Way()


class Owned(Protocol):
    """A job that takes turns.

    Attributes
    ----------
    owner : str or None
        None also counts as one owner.
    """

    owner: str | None


class Turns:
    """A limited number of places that jobs take in turn.

    A free place goes to the owner with the fewest places, among several to the one who
    has used the least time since arriving, and among that owner's jobs to the one that
    has waited longest. So an owner of many jobs gets no more than an owner of one, if
    both could use more.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(
        self, places: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._free = places
        self._clock = clock
        self._changed = threading.Condition()
        # The time at which each job got its place.
        self._since: dict[Owned, float] = {}
        # Waiting jobs, in order of arrival.
        self._waiting: dict[Owned, None] = {}
        # Seconds used by owners who have a place or wait for one.
        self._seconds: dict[str | None, float] = {}

    def take(self, job: Owned, timeout: float) -> bool:
        """Wait for a place; return whether the job has one.

        A job without a place after ``timeout`` seconds stays in the queue until it
        calls `leave`.
        """
        with self._changed:
            if job not in self._since and job not in self._waiting:
                # A new owner starts at the least time of all, so that earlier absence
                # gives no credit.
                least = min(self._seconds.values(), default=0.0)
                self._seconds.setdefault(job.owner, least)
                self._waiting[job] = None
                self._grant()
            return self._changed.wait_for(lambda: job in self._since, timeout)

    def leave(self, job: Owned) -> None:
        """Release a job's place, or remove it from the queue."""
        with self._changed:
            self._waiting.pop(job, None)
            self._give_up(job)
            if all(
                other.owner != job.owner for other in (*self._since, *self._waiting)
            ):
                self._seconds.pop(job.owner, None)
            self._grant()

    def give_way(self, job: Owned) -> bool:
        """Yield the place of a job whose turn is over; return whether it continues at
        once."""
        with self._changed:
            if self._clock() - self._since[job] > SLICE_SECONDS:
                self._give_up(job)
                self._waiting[job] = None
                self._grant()
            return job in self._since

    def _give_up(self, job: Owned) -> None:
        since = self._since.pop(job, None)
        if since is not None:
            self._seconds[job.owner] += self._clock() - since
            self._free += 1

    def _grant(self) -> None:
        """Assign free places to waiting jobs."""
        while self._free and self._waiting:
            held = Counter(job.owner for job in self._since)
            chosen = min(
                self._waiting,
                key=lambda job: (held[job.owner], self._seconds[job.owner]),
            )
            del self._waiting[chosen]
            self._since[chosen] = self._clock()
            self._free -= 1
        self._changed.notify_all()
