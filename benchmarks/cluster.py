"""Dask with two workers on this machine: steps, large data, sweeps, killed workers.

    python benchmarks/cluster.py [QUERIES] [KILLS]

Wall-clock time, in turn with one process and one thread. By default 7,600 queries of
120 documents, 0.9 GB on disk that workers map, and 20 kills; models are compared to the
last bit.
"""

import hashlib
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from _cluster import Cluster, cluster, wait_for
from _rows import show
from blocks import FEATURES, LENGTH, LOSSES, Figure, Gain

from rankcore import RankingDataset, RSRank, load_dataset
from rankcore.executors import Dask, Serial, using
from rankcore.sweeps import sweep
from rankcore.training import Stop, drive

QUERIES, KILLS, TURNS, STEPS = 7600, 20, 5, 300
# 48 configurations.
OVER = {
    "g": [0.0, 1.0, 10.0, 50.0],
    "truncation_interval": [1, 5, 10],
    "learning_rate": [0.001, 0.01, 0.1, 1.0],
}
# Of runs whose worker is killed, and of those of the sweep.
ITERATIONS, SWEPT = 60, 200


def steps(dask: Dask) -> Iterator[Figure]:
    """Steps in which coefficients go out, and a gradient a block comes back."""
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


def large(dask: Dask, folder: Path, queries: int) -> Iterator[Gain]:
    """Passes over data that workers map."""
    dataset = _mapped(folder, queries)
    w = np.random.default_rng(1).standard_normal(FEATURES) / 4.0
    for name, make in LOSSES.items():
        seconds: dict[str, list[float]] = {"one": [], "two": []}
        found = {}
        losses = {}
        for key, executor in (("one", Serial()), ("two", dask)):
            with using(executor):
                losses[key] = make(dataset)
            losses[key](w)
        for _ in range(TURNS):
            for key, loss in losses.items():
                began = time.perf_counter()
                found[key] = loss(w)
                seconds[key].append(time.perf_counter() - began)
        _same(found["one"][1].tobytes(), found["two"][1].tobytes(), name)
        ratios = [a / b for a, b in zip(seconds["one"], seconds["two"], strict=True)]
        yield Gain(
            f"{name}, {dataset.n_documents:,} × {FEATURES}, 2 workers",
            statistics.median(seconds["two"]),
            statistics.median(ratios),
            1.2,
        )


def _mapped(folder: Path, queries: int) -> RankingDataset:
    """As many queries as asked for, their features in a memory map."""
    rng, n = np.random.default_rng(0), queries * LENGTH
    file = folder / "X.npy"
    X = np.lib.format.open_memmap(file, "w+", np.float64, (n, FEATURES))
    truth, y = rng.standard_normal(FEATURES), np.empty(n, dtype=np.int64)
    cuts = FEATURES**0.5 * np.array([0.1, 0.3, 0.5, 0.7]) + 0.5 * truth.sum()
    for begin in range(0, n, 100 * LENGTH):
        rows = X[begin : begin + 100 * LENGTH]
        rows[:] = rng.random(rows.shape)
        y[begin : begin + len(rows)] = np.searchsorted(cuts, rows @ truth)
    X.flush()
    mapped = np.load(file, mmap_mode="r")
    qid = np.repeat(np.arange(queries), LENGTH)
    return RankingDataset.from_arrays(mapped, y, qid, copy=False)


def configurations(dask: Dask) -> Iterator[Gain]:
    """A sweep on workers that have loaded code and data before."""
    train, valid, _ = load_dataset("mslr10k-sample")
    stop = Stop(max_iterations=SWEPT)

    def swept(executor: Dask | None) -> tuple[float, dict[object, object]]:
        began = time.perf_counter()
        found = sweep("RSRank", train, valid, OVER, executor=executor, stop=stop)
        rows = {row.cell: (row.coef.tobytes(), row.valid) for row in found}
        return time.perf_counter() - began, rows

    swept(dask)
    here, there = swept(None), swept(dask)
    _same(here[1], there[1], "The sweep")
    job = f"Sweep of {len(there[1])}, 2 warm workers"
    yield Gain(job, there[0], here[0] / there[0], 1.5)


def kills(
    running: Cluster, dask: Dask, folder: Path, queries: int, count: int
) -> Iterator[Figure]:
    """Runs in whose middle a worker is killed; another one starts before the next."""
    dataset = _mapped(folder, max(queries // 8, 1))
    chance = random.Random(0)

    def run(then: Callable[[float], None] = lambda _: None) -> tuple[float, str]:
        digest, began = hashlib.blake2b(), time.perf_counter()
        then(began)
        stop = Stop(max_iterations=ITERATIONS)
        for record in drive(RSRank(), dataset, stop=stop, measures=(), executor=dask):
            digest.update(record.coef.tobytes())
        return time.perf_counter() - began, digest.hexdigest()

    run()
    plain = [run() for _ in range(3)]
    usual = statistics.median(seconds for seconds, _ in plain)
    added = []
    for _ in range(count):
        oldest = running.workers.pop(0)
        timer = threading.Timer(usual * chance.uniform(0.1, 0.8), oldest.kill)
        seconds, digest = run(lambda _, timer=timer: timer.start())
        timer.join()
        oldest.wait()
        _same(digest, plain[0][1], "A run whose worker was killed")
        added.append(seconds - usual)
        running.add()
        wait_for(dask, 2)
    job = f"A worker killed in {count} runs of {usual:.1f} s"
    yield Figure(f"{job}: median added", statistics.median(added), 2.0, "s")
    yield Figure(f"{job}: most added", max(added), 2.0, "s")


def _same(one: object, other: object, what: str) -> None:
    if one != other:
        raise SystemExit(f"{what}: the result is not the same to the last bit.")


def rows(queries: int = QUERIES, count: int = KILLS) -> Iterator[Gain | Figure]:
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
