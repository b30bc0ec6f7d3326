"""Rows of benchmarks: jobs timed in turn with a peer, and values with limits."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

TURN_SECONDS = 0.02


@dataclass(frozen=True)
class Row:
    """A job timed here and with a peer.

    Attributes
    ----------
    job, peer : str
        The job, and the other package that does it.
    ours_seconds, peer_seconds : float or None
        Median process CPU time; None for a peer that is not installed.
    target_ratio : float
        Smallest acceptable peer_seconds / ours_seconds.
    note : str
    """

    job: str
    peer: str
    ours_seconds: float
    peer_seconds: float | None
    target_ratio: float
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Speed relative to the peer; None if it is not installed."""
        if self.peer_seconds is None:
            return None
        return self.peer_seconds / self.ours_seconds

    def __str__(self) -> str:
        ours = f"{1e3 * self.ours_seconds:10.3f} ms"
        if self.ratio is None:
            return f"{self.job:44} {ours}   {self.peer}: not installed"
        verdict = "met" if self.ratio >= self.target_ratio else "MISSED"
        return (
            f"{self.job:44} {ours}   {self.peer:12} {1e3 * self.peer_seconds:10.3f} ms"
            f"   {self.ratio:7.1f}x   target {self.target_ratio:g}x {verdict}"
            f"{'   ' if self.note else ''}{self.note}"
        )


@dataclass(frozen=True)
class Figure:
    """A value with its upper or lower limit.

    Attributes
    ----------
    job : str
    value, limit : float
    unit : str
    least : bool
        Whether the limit is a lower one.
    note : str
    """

    job: str
    value: float
    limit: float
    unit: str = ""
    least: bool = False
    note: str = ""

    def __str__(self) -> str:
        met = self.value >= self.limit if self.least else self.value <= self.limit
        return (
            f"{self.job:52} {self.value:9.4g} {self.unit:4}   "
            f"target at {'least' if self.least else 'most'} {self.limit:g} "
            f"{'met' if met else 'MISSED'}{'   ' if self.note else ''}{self.note}"
        )


def gain(job: str, seconds: float, ratio: float, target: float) -> Figure:
    """Return the speed of a job relative to another one, from their seconds."""
    return Figure(job, ratio, target, "x", True, f"{1e3 * seconds:.2f} ms")


def interleaved(
    ours: Callable[[], object], peer: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Return the median CPU seconds of two alternating calls, after a warm-up.

    Alternation exposes both to the same load on a shared machine; a turn lasts some
    milliseconds, so that neither the clock nor the cache matters.
    """
    jobs = [(job, calls_in_a_turn(job)) for job in (ours, peer)]
    turns = [[_seconds(job, calls) for job, calls in jobs] for _ in range(repeats)]
    our_seconds, theirs = zip(*turns, strict=True)
    return statistics.median(our_seconds), statistics.median(theirs)


def seconds_of(job: Callable[[], object], repeats: int) -> float:
    """Return the median process CPU seconds of a call, after a warm-up call."""
    calls = calls_in_a_turn(job)
    return statistics.median(_seconds(job, calls) for _ in range(repeats))


def calls_in_a_turn(job: Callable[[], object]) -> int:
    """Warm up a job and return the number of its calls per turn."""
    job()
    return 1 + int(TURN_SECONDS / max(_seconds(job, 1), 1e-6))


def output(code: str, *words: object) -> str:
    """Return the output of code in a new process with these arguments."""
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def process_seconds(arguments: Iterable[str]) -> float:
    """Return the CPU seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(rows: Iterable[object]) -> None:
    """Print rows as they arrive."""
    for row in rows:
        print(row, flush=True)


def _seconds(job: Callable[[], object], calls: int) -> float:
    began = time.process_time()
    for _ in range(calls):
        job()
    return (time.process_time() - began) / calls
