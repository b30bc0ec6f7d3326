"""The cost of recording a run: training with the run store and without.

The data have the shapes of the bundled set and of one fold of OHSUMED and MQ2008. A run
without recording and one with it form a pair, in alternating order. The cost is the
median of the differences, with its interval, because consecutive runs differ by more
than that: in CPU seconds of the whole process, including the store's thread, and in
wall-clock seconds. Recording may take 3% of a run, or 5 ms. OpenBLAS is limited to one
thread, because others wait in a loop, whose CPU time would count. The last rows are
stored sizes: ten thousand runs may take a gigabyte.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from _rows import Figure, show
from numpy.typing import NDArray
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from rankcore import RankingDataset, get_algorithm
from rankcore.studies.store import Store, open_store
from rankcore.training import Run, drive

Floats = NDArray[np.float64]

SHARE, LEAST_SECONDS = 0.03, 0.005
PAIRS, CONFIDENCE = 30, 0.95
# Number of queries, documents per query, features.
SHAPES = {"planted": (60, 20, 30), "OHSUMED fold": (63, 152, 45)}
SHAPES |= {"MQ2008 fold": (471, 20, 46)}
RUNS = (("RSRank", 100), ("RSRank", 1000), ("ListNet", 300), ("RankBoost", 100))
COUNTED, MOST_RUNS = 20, 10_000


def cost(job: str, alone: Floats, recorded: Floats) -> Figure:
    """Return the cost of recording: CPU seconds, then wall-clock seconds."""
    usual = float(np.median(alone[:, 0]))
    extra, on_clock = np.median(recorded - alone, axis=0)
    low, high = _interval(recorded[:, 0] - alone[:, 0])
    note = (
        f"{1e3 * low:+.1f} to {1e3 * high:+.1f}; {extra / usual:+.1%} of "
        f"{1e3 * usual:.1f} ms alone; {1e3 * on_clock:+.1f} ms on the clock"
    )
    allowed = max(LEAST_SECONDS, SHARE * usual)
    return Figure(f"{job}, recording", 1e3 * extra, 1e3 * allowed, "ms", note=note)


def _interval(differences: Floats) -> tuple[float, float]:
    """Return an interval of the median of all pairs, by the sign test."""
    beyond = int(binom.ppf((1 - CONFIDENCE) / 2, len(differences), 0.5))
    ordered = np.sort(differences)
    return float(ordered[beyond - 1]), float(ordered[-beyond])


def space(job: str, size: float) -> Figure:
    """Return the gigabytes of ten thousand runs of this size."""
    note, whole = f"{size / 1e3:.1f} kB a run", MOST_RUNS * size / 1e9
    return Figure(f"{job}, {MOST_RUNS:,} runs", whole, 1, "GB", note=note)


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


def rows() -> Iterator[Figure]:
    with threadpool_limits(1, "blas"):
        yield from _stored_figures()


def _stored_figures() -> Iterator[Figure]:
    sizes = {}
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
                    sizes[job] = (store.size() - before) / COUNTED
    sizes["all of these"] = statistics.mean(sizes.values())
    for job, size in sizes.items():
        yield space(job, size)


def _recorded(run: Run, store: Store) -> None:
    with store.recording(run):
        alone(run)


def _compared(job: str, make: Callable[[], Run], store: Store) -> Figure:
    """Time pairs of runs, after a warm-up pair."""
    ways: list[Callable[[Run], None]] = [alone, partial(_recorded, store=store)]
    times = np.empty((PAIRS + 1, len(ways), 2))
    for pair in range(PAIRS + 1):
        for way in (0, 1) if pair % 2 else (1, 0):
            times[pair, way] = seconds(make, ways[way])
    return cost(job, *times[1:].swapaxes(0, 1))


if __name__ == "__main__":
    show(rows())
