"""Fits of every algorithm, digested, in memory filled with one byte after another.

Run as ``python -m tests.fits SIZE BYTE …`` it fits everything once for each byte, in
one process, and prints the digests as JSON. Where the allocator is not glibc's, memory
holds what the fits before have left there.
"""

import ctypes
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

import rankcore
from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.data.planted import planted
from rankcore.training import Run, Stop, drive

ROOT = Path(__file__).parents[1]
MEASURES = ("nDCG@10", "nDCG", "AP", "RR", "ERR", "P@5", "AUC", "MeanNDCG")
# GNU's malloc.h; blocks that a thread keeps at hand are not filled.
_M_PERTURB = -6
_NONE_AT_HAND = "glibc.malloc.tcache_count=0"


def mixed() -> RankingDataset:
    """Short lists after long ones, with ties, some labels rare or missing; the long
    ones are long enough for every way of computing there is."""
    rng = np.random.default_rng(3)
    lengths = (50, 4, 90, 1, 20, 150, 40, 12)
    query = np.repeat(np.arange(len(lengths)), lengths)
    X = rng.uniform(size=(len(query), 6)).round(3)
    truth = X @ np.array([3.0, -2.0, 1.0, 1.0, 0.5, 0.0])
    y = np.digitize(truth + rng.normal(scale=0.3, size=len(query)), [0.8, 1.6])
    y[query == 0] = np.minimum(y[query == 0], 1)
    y[query == 6] = 0
    return RankingDataset.from_arrays(X, y, query)


def presets(algorithm: type[Ranker]) -> Iterator[Ranker]:
    """The algorithm as it is, and with each of its presets."""
    yield algorithm()
    for settings in algorithm.presets.values():
        yield algorithm(**settings)


def variants(algorithm: type[Ranker]) -> Iterator[Ranker]:
    """Those, and with every value that the declaration of a hyperparameter names."""
    yield from presets(algorithm)
    for name, parameter in hyperparameters(algorithm).items():
        limits = [parameter.low, parameter.high]
        values = parameter.choices or [parameter.check(limit) for limit in limits]
        none = [None] if parameter.optional and name != "random_state" else []
        for value in (*values, *parameter.sweep, *parameter.special, *none):
            yield algorithm(**{name: value})


def digest(run: Run) -> str:
    """Of all that a run finds but the time it takes."""
    result = hashlib.blake2b(digest_size=8)
    for record in run:
        figures = {**record.to_row(), "seconds": None}
        result.update(repr(figures).encode())
        for array in (record.coef, *record.state.values()):
            result.update(np.ascontiguousarray(array).tobytes())
    return result.hexdigest()


def fits(size: str) -> dict[str, str]:
    """The digest of every run, by the printed form of what was fitted.

    Parameters
    ----------
    size : {"small", "varied", "large"}
        Presets on `mixed` lists, all variants on them, or presets on planted ones.
    """
    data = planted(n_queries=16) if size == "large" else mixed()
    models = variants if size == "varied" else presets
    passes = 5 if size == "large" else 3
    settings = {}
    for name in rankcore.list_algorithms():
        for model in models(rankcore.get_algorithm(name)):
            if not model.unsupported_reason(data):
                stop = Stop(max_iterations=passes)
                run = drive(model, data, stop=stop, measures=MEASURES)
                settings[repr(model)] = digest(run)
    return settings


def fill_memory_with(byte: int) -> None:
    """Have malloc fill blocks with ``byte``, and free with its complement."""
    allocator = ctypes.CDLL(None)
    if hasattr(allocator, "mallopt"):
        allocator.mallopt(_M_PERTURB, byte ^ 0xFF)


def changing_fits(size: str, filling: Iterable[int]) -> list[str]:
    """The fits whose digests differ between bytes, in a process of its own."""
    answer = subprocess.run(
        [sys.executable, "-m", "tests.fits", size, *map(str, filling)],
        cwd=ROOT,
        env={**os.environ, "GLIBC_TUNABLES": _NONE_AT_HAND},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    first, *others = json.loads(answer.stdout)
    return [fit for fit in first if any(other[fit] != first[fit] for other in others)]


if __name__ == "__main__":
    size, *filling = sys.argv[1:]
    rounds = []
    for byte in filling:
        fill_memory_with(int(byte))
        rounds.append(fits(size))
    json.dump(rounds, sys.stdout)
