"""Time from Stop, pressed at a random moment of a background run, to the run's end.

A limit of 50 ms replaces the peer. Kernels are loaded before, and runs that have
already ended when Stop is pressed do not count.
"""

import time
from collections.abc import Iterator

import numpy as np
from _rows import Row, show

from rankcore import RankingDataset, get_algorithm, list_algorithms, load_dataset
from rankcore.studies.jobs import JobRegistry
from rankcore.training import Stop, drive

PRESSES = 9
LATEST_SECONDS = 0.3
ALLOWED = 0.050
ENDLESS = Stop(max_iterations=10**9)
LARGE = ("RSRank", "ApproxNDCG", "LambdaRank", "RankSVM", "ConeRank", "SVMMAP")


def rows() -> Iterator[Row]:
    bundled = load_dataset("mslr10k-sample").train
    for name in list_algorithms():
        yield from _row(name, bundled, "bundled")
    large = _made(queries=1000)
    for name in LARGE:
        yield from _row(name, large, "100,000 documents")


def _made(queries: int, documents: int = 100, features: int = 136) -> RankingDataset:
    rng = np.random.default_rng(0)
    n = queries * documents
    return RankingDataset.from_arrays(
        rng.random((n, features)),
        rng.integers(0, 5, n),
        np.repeat(np.arange(queries), documents),
    )


def _row(name: str, data: RankingDataset, how: str) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    _until_stopped(name, data, LATEST_SECONDS)
    pressed = rng.uniform(0.0, LATEST_SECONDS, PRESSES)
    waits = [_until_stopped(name, data, seconds) for seconds in pressed]
    waits = [wait for wait in waits if wait is not None]
    if waits:
        note = f"longest of {len(waits)}: {1e3 * max(waits):.0f} ms"
        median = float(np.median(waits))
        yield Row(f"{name}, {how}", "allowed", median, ALLOWED, 1.0, note)


def _until_stopped(name: str, data: RankingDataset, after: float) -> float | None:
    """Return the seconds from Stop to the end of a run; None if it had ended."""
    run = drive(get_algorithm(name)(), data, stop=ENDLESS)
    job = JobRegistry().submit(run, title=name, play=True)
    if job.wait(after):
        return None
    began = time.perf_counter()
    job.steer().stop()
    job.wait()
    return time.perf_counter() - began


if __name__ == "__main__":
    show(rows())
