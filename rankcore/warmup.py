"""Compile every kernel once, on a tiny data set, before anybody waits for one.

The compiled code is cached on disk: only the first warm-up on a machine takes long.
"""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankcore.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms._ranker import Ranker

Progress = Callable[[str, int, int], None]


def warm_up(progress: Progress | None = None) -> None:
    """Run each algorithm for two steps, the measures and the LETOR parser once.

    Parameters
    ----------
    progress : callable, optional
        Called before each part with what is compiled, the parts done and their number.
    """
    from rankcore.algorithms import list_algorithms

    parts: list[tuple[str, Callable[[], None]]] = [
        ("the LETOR reader", _read),
        ("the measures", _measure),
        *((name, _training(name)) for name in list_algorithms()),
    ]
    for done, (name, part) in enumerate(parts):
        if progress is not None:
            progress(name, done, len(parts))
        part()


def compile_for(algorithm: "Ranker") -> None:
    """Run ``algorithm`` for two steps, so that its first real one is not kept waiting.

    Parameters
    ----------
    algorithm : Ranker
        With the hyperparameters it will have; it stays as it is.
    """
    from rankcore.training import Stop, drive

    dataset = _tiny()
    if algorithm.refuses(dataset) is None:
        for _ in drive(algorithm, dataset, dataset, stop=Stop(max_iterations=2)):
            pass


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


def _training(name: str) -> Callable[[], None]:
    def train() -> None:
        from rankcore.algorithms import get_algorithm

        compile_for(get_algorithm(name)())

    return train


def _tiny() -> RankingDataset:
    rng = np.random.default_rng(0)
    X = rng.random((240, 3))
    y = rng.integers(0, 3, 240)
    return RankingDataset.from_arrays(X, y, np.repeat([1, 2, 3], [10, 30, 200]))
