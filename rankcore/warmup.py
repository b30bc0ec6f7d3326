"""Compile every kernel once, on a tiny data set, before its first real use.

The compiled code is cached on disk: only the first warm-up on a machine takes long.
"""

import io
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from rankcore._workers import as_ready
from rankcore.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker

Progress = Callable[[str, int, int], None]


def warm_up(
    progress: Progress | None = None,
    workers: int = 1,
    parts: Sequence[str] | None = None,
) -> None:
    """Run each algorithm for two steps, and all else that is compiled once.

    Parameters
    ----------
    progress : callable, optional
        Called with the part that is next, or was done by one of several processes, the
        number of those done before it, and of all.
    workers : int
        Processes that compile; this one then has all loaded.
    parts : sequence of str, optional
        Algorithms, ``"the measures"`` …; by default all there is.
    """
    from rankcore.algorithms import list_algorithms

    report = progress or _silent
    parts = [*_SHARED, *_halves(list_algorithms())] if parts is None else parts
    if workers > 1:
        tasks = [(part,) for part in parts]
        for done, (number, _) in enumerate(as_ready(workers, _run, tasks)):
            report(parts[number], done, len(parts))
        # Two processes that add to one kernel's cache at once may lose an entry.
        report = _silent
    for done, part in enumerate(parts):
        report(part, done, len(parts))
        _run(part)


def compile_for(algorithm: "Ranker") -> None:
    """Run ``algorithm`` for two steps, so that its first real one is not kept waiting.

    Parameters
    ----------
    algorithm : Ranker
        With the hyperparameters it will have; it stays as it is.
    """
    from rankcore.training import Stop, drive

    dataset = _tiny()
    if algorithm.unsupported_reason(dataset) is None:
        for _ in drive(algorithm, dataset, dataset, stop=Stop(max_iterations=2)):
            pass


def _halves(names: Sequence[str]) -> list[str]:
    """The two halves of ``names`` in turn: algorithms of like names share kernels,
    which two processes would compile both if they came to them at once."""
    half = len(names) // 2
    pairs = zip_longest(names[:half], names[half:])
    return [name for name in chain.from_iterable(pairs) if name]


def _silent(part: str, done: int, count: int) -> None:
    """Report nothing."""


def _read() -> None:
    from rankcore.readers import read_letor

    read_letor(io.BytesIO(b"1 qid:1 1:0.5 2:1 # a\n0 qid:1 1:0.25 # b\n"))


def _measure() -> None:
    from rankcore import measures

    dataset = _tiny()
    scores = dataset.X[:, 0]
    names = ["nDCG@10", "AP", "RR@10", "P@5", "WTA", "AUC", "MeanNDCG"]
    measures.evaluate(dataset, scores, names)
    measures.exact_ranks(scores, dataset.offsets)


def _follow_lines() -> None:
    from rankcore.insight import landscape

    dataset = _tiny()
    first, second, _ = np.eye(3)
    for measure in ("nDCG@10", "AP"):
        landscape.along_line(dataset, first, second, measure)


def _fold_in() -> None:
    from rankcore.insight import cone
    from rankcore.mathematics.cones import Differences

    dataset = _tiny()
    cone.fold(np.eye(3), dataset.X[:1])
    cone.energy_spectrum(Differences(dataset))


# While one process compiles the measures, which the rest needs, another has two parts
# that do without.
_SHARED = {
    "the measures": _measure,
    "cones": _fold_in,
    "the LETOR reader": _read,
    "lines": _follow_lines,
}


def _run(part: str) -> None:
    from rankcore.algorithms import get_algorithm

    if part in _SHARED:
        _SHARED[part]()
    else:
        compile_for(get_algorithm(part)())


def _tiny() -> RankingDataset:
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = np.searchsorted([1.0, 1.5], X[:, 0] + X[:, 1])
    return RankingDataset.from_arrays(X, y, np.repeat([1, 2, 3], [10, 30, 360]))
