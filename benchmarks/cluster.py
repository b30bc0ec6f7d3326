"""Dask with two workers on this machine: steps, large data, sweeps, killed workers.

    python benchmarks/cluster.py [QUERIES] [KILLS]

Wall-clock time, alternating with one process and one thread. The default is 7,600
queries of 120 documents, 0.9 GB on disk that workers map, and 20 kills; results are
compared bit by bit with those of one process.
"""

import hashlib
import itertools
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from _cluster import Cluster, cluster, wait_for
from _rows import Figure, gain, show
from blocks import FEATURES, LOSSES, write

from rankcore import RankingDataset, RSRank, load_dataset
from rankcore.compute.executors import Dask, Executor, Serial, using
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop, drive

QUERIES, KILLS, TURNS, STEPS = 7600, 20, 5, 300
# 48 configurations.
OVER = {
    "g": [0.0, 1.0, 10.0, 50.0],
    "truncation_interval": [1, 5, 10],
    "learning_rate": [0.001, 0.01, 0.1, 1.0],
}
# Iterations of runs whose worker is killed, and of runs of the sweep.
ITERATIONS, SWEPT = 60, 200


def steps(dask: Dask) -> Iterator[Figure]:
    """Yield steps that send coefficients and receive one gradient per block."""
    w = np.ones(FEATURES)
    placed = dask.place([np.arange(FEATURES, dtype=np.float64)] * 16)
    placed.call("__mul__", w)
    seconds = []
    for _ in range(STEPS):
        began = time.perf_counter()
        placed.call("__mul__", w)
        seconds.append(1e3 * (time.perf_counter() - began))
    yield Figure(
        "A step, beside its work: median", statistics.median(seconds), 10, "ms"
    )


def large(dask: Dask, folder: Path, queries: int) -> Iterator[Figure]:
    """Yield passes over data that workers map."""
    dataset = _mapped(folder, queries)
    w = np.random.default_rng(1).standard_normal(FEATURES) / 4.0
    for name, make in LOSSES.items():
        seconds: dict[str, list[float]] = {"one": [], "two": []}
        outcomes = {}
        losses = {}
        for key, executor in (("one", Serial()), ("two", dask)):
            with using(executor):
                losses[key] = make(dataset)
            losses[key](w)
        for _ in range(TURNS):
            for key, loss in losses.items():
                began = time.perf_counter()
                outcomes[key] = loss(w)
                seconds[key].append(time.perf_counter() - began)
        ratios = [a / b for a, b in zip(seconds["one"], seconds["two"], strict=True)]
        yield gain(
            f"{name}, {dataset.n_documents:,} × {FEATURES}, 2 workers",
            statistics.median(seconds["two"]),
            statistics.median(ratios),
            1.2,
        )
        one, two = (np.append(gradient, value) for value, gradient in outcomes.values())
        yield _differing(name, one.view(np.int64) != two.view(np.int64))


def _mapped(folder: Path, queries: int) -> RankingDataset:
    """Return the requested number of queries, with features in a memory map."""
    write(folder, queries, ["float64"])
    X = np.load(folder / "float64.npy", mmap_mode="r")
    y, qid = np.load(folder / "y.npy"), np.load(folder / "qid.npy")
    return RankingDataset.from_arrays(X, y, qid, copy=False)


def configurations(dask: Dask) -> Iterator[Figure]:
    """Yield a sweep on workers that have already loaded code and data."""
    train, valid, _ = load_dataset("mslr10k-sample")
    stop = Stop(max_iterations=SWEPT)

    def swept(executor: Dask | None) -> tuple[float, dict[object, object]]:
        began = time.perf_counter()
        results = sweep("RSRank", train, valid, OVER, executor=executor, stop=stop)
        rows = {row.cell: (row.coef.tobytes(), row.valid) for row in results}
        return time.perf_counter() - began, rows

    swept(dask)
    here, there = swept(None), swept(dask)
    job = f"Sweep of {len(there[1])}, 2 warm workers"
    yield gain(job, there[0], here[0] / there[0], 1.5)
    yield _differing(job, [there[1][cell] != row for cell, row in here[1].items()])


def kills(
    running: Cluster, dask: Dask, folder: Path, queries: int, count: int
) -> Iterator[Figure]:
    """Yield runs during which a worker is killed; another one starts before the next
    run."""
    dataset = _mapped(folder, max(queries // 8, 1))
    chance = random.Random(0)

    def run(
        then: Callable[[], None] = lambda: None, executor: Executor = dask
    ) -> tuple[float, float, str]:
        """Return the seconds of a run and of its longest step, and its digest."""
        digest, times = hashlib.blake2b(), [time.perf_counter()]
        then()
        stop = Stop(max_iterations=ITERATIONS)
        for record in drive(
            RSRank(), dataset, stop=stop, measures=(), executor=executor
        ):
            digest.update(record.coef.tobytes())
            times.append(time.perf_counter())
        longest = max(b - a for a, b in itertools.pairwise(times))
        return times[-1] - times[0], longest, digest.hexdigest()

    expected = run(executor=Serial())[-1]
    run()
    plain = [run()[:2] for _ in range(3)]
    usual, step = map(statistics.median, zip(*plain, strict=True))
    # Each row is a 1, in as many blocks as the passes over such data have.
    ones = dask.place(np.array_split(np.ones(dataset.n_documents), 8))
    added, longer, others, lost = [], [], [], 0.0
    for _ in range(count):
        oldest = running.workers.pop(0)
        timer = threading.Timer(usual * chance.uniform(0.1, 0.8), oldest.kill)
        seconds, longest, digest = run(timer.start)
        timer.join()
        oldest.wait()
        added.append(seconds - usual)
        longer.append(longest - step)
        others.append(digest != expected)
        lost += abs(sum(ones.call("sum")) - dataset.n_documents)
        running.add()
        wait_for(dask, 2)
    job = f"A worker killed in {count} runs of {usual:.1f} s"
    yield Figure(f"{job}: median added", statistics.median(added), 2.0, "s")
    yield Figure(f"{job}: most added", max(added), 2.0, "s")
    yield Figure(f"{job}: most to a step", max(longer), 2.0, "s")
    yield _differing(job, others)
    yield Figure(f"{job}: rows lost or twice", lost, 0)


def _differing(job: str, differ: Iterable[bool]) -> Figure:
    """Yield the number of results that differ in any bit from those of one process."""
    return Figure(f"{job}: not the same bits", float(np.sum(differ)), 0)


def rows(queries: int = QUERIES, count: int = KILLS) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="rankscope-") as folder,
        cluster(2) as (running, dask),
    ):
        yield from steps(dask)
        yield from large(dask, Path(folder), queries)
        yield from configurations(dask)
        yield from kills(running, dask, Path(folder), queries, count)


if __name__ == "__main__":
    show(rows(*map(int, sys.argv[1:3])))
