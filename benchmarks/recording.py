"""What it costs to keep a run: training that the store records beside training alone.

The data have the shapes of the bundled set and of one fold of OHSUMED and MQ2008. A row
has the processor's seconds of the whole process, the store's thread with it, and the
seconds on the clock; recording may take 3 % of a run, or 5 ms. OpenBLAS has one thread
meanwhile: another one waits in a loop, which would count for as long as a run takes.
The last rows are the size of what is kept: ten thousand runs may take a gigabyte.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from _rows import show
from threadpoolctl import threadpool_limits

from rankcore import RankingDataset, get_algorithm
from rankcore.store import Store, open_store
from rankcore.training import Run, drive

SHARE, LEAST_SECONDS = 0.03, 0.005
REPEATS = 7
# Queries, documents of each, features.
SHAPES = {"planted": (60, 20, 30), "OHSUMED fold": (63, 152, 45)}
SHAPES |= {"MQ2008 fold": (471, 20, 46)}
RUNS = (("RSRank", 100), ("RSRank", 1000), ("ListNet", 300), ("RankBoost", 100))
COUNTED, MOST_RUNS, MOST_BYTES = 20, 10_000, 1e9


@dataclass(frozen=True)
class Kept:
    """A run trained alone and recorded, seconds of the processor and of the clock."""

    job: str
    alone: tuple[float, float]
    recorded: tuple[float, float]

    def __str__(self) -> str:
        extra = self.recorded[0] - self.alone[0]
        allowed = max(LEAST_SECONDS, SHARE * self.alone[0])
        verdict = "met" if extra <= allowed else "MISSED"
        on_clock = 1e3 * (self.recorded[1] - self.alone[1])
        return (
            f"{self.job:32} alone {1e3 * self.alone[0]:9.1f} ms   "
            f"recording {1e3 * extra:+8.1f} ms ({extra / self.alone[0]:+6.1%}), "
            f"{on_clock:+8.1f} ms on the clock   target 3 % or 5 ms {verdict}"
        )


@dataclass(frozen=True)
class Size:
    """The bytes of a kept run, and what ten thousand of them take."""

    job: str
    size: float

    def __str__(self) -> str:
        whole = MOST_RUNS * self.size
        verdict = "met" if whole <= MOST_BYTES else "MISSED"
        return (
            f"{self.job:32} {self.size / 1e3:9.1f} kB a run   {MOST_RUNS:,} runs "
            f"{whole / 1e9:6.2f} GB   target 1 GB {verdict}"
        )


def data(shape: tuple[int, int, int]) -> RankingDataset:
    queries, documents, features = shape
    rng = np.random.default_rng(0)
    X = rng.random((queries * documents, features))
    y = np.floor(3 * np.clip(X[:, 0] + 0.2 * rng.normal(size=len(X)), 0, 0.99))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), documents))


def seconds(
    make: Callable[[], Run], train: Callable[[Run], None]
) -> tuple[float, float]:
    run = make()
    clock, spent = time.perf_counter(), time.process_time()
    train(run)
    return time.process_time() - spent, time.perf_counter() - clock


def alone(run: Run) -> None:
    for _ in run:
        pass


def rows() -> Iterator[Kept | Size]:
    with threadpool_limits(1, "blas"):
        yield from _kept()


def _kept() -> Iterator[Kept | Size]:
    sizes = []
    for name, shape in SHAPES.items():
        train, valid = data(shape), data(shape)
        for algorithm, iterations in RUNS:
            job = f"{name}: {algorithm} x {iterations}"
            learner = get_algorithm(algorithm)(max_iter=iterations)
            make = partial(drive, learner, train, valid)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "runs.sqlite")
                with open_store(f"sqlite:///{file}") as store:
                    yield _compared(job, make, store)
                    before = store.size()
                    for _ in range(COUNTED):
                        _recorded(make(), store)
                    sizes.append(Size(job, (store.size() - before) / COUNTED))
    yield from sizes
    yield Size("all of these", statistics.mean(size.size for size in sizes))


def _recorded(run: Run, store: Store) -> None:
    with store.recording(run):
        alone(run)


def _compared(job: str, make: Callable[[], Run], store: Store) -> Kept:
    """In turn, after one of each that does not count."""
    turns = [
        (seconds(make, alone), seconds(make, lambda run: _recorded(run, store)))
        for _ in range(REPEATS + 1)
    ][1:]
    by_way = [
        tuple(statistics.median(times) for times in zip(*way, strict=True))
        for way in zip(*turns, strict=True)
    ]
    return Kept(job, *by_way)


if __name__ == "__main__":
    show(rows())
