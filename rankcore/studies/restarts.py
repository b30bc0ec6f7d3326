"""Random restarts as separate runs, each with its own seed and history.

An algorithm with internal restarts yields them one after another. Here each restart is
a separate run, and all histories are kept.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.training import Run, drive

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker


def seeds(random_state: int | None, count: int) -> list[int]:
    """Return seeds for ``count`` restarts; a larger ``count`` only appends seeds."""
    return [int(s) for s in np.random.SeedSequence(random_state).generate_state(count)]


def restarts(
    algorithm: "Ranker", train: RankingDataset, *, count: int = 10, **details: Any
) -> Iterator[Run]:
    """Train an algorithm from several random starts; yield each run at its end.

    Parameters
    ----------
    algorithm : Ranker
        Algorithm, not modified. Its ``random_state`` determines all seeds; its
        ``n_restarts``, if any, is ignored.
    count : int
        Number of restarts.
    **details
        As for `rankcore.training.drive`: ``valid``, ``stop``, ``measures`` …

    Yields
    ------
    Run

    Raises
    ------
    ValueError
        As for `rankcore.training.drive`.
    """
    algorithm.check(train)
    for seed in seeds(algorithm.random_state, count):
        settings = {**algorithm.get_params(), "random_state": seed}
        if "n_restarts" in settings:
            settings["n_restarts"] = 1
        run = drive(type(algorithm)(**settings), train, **details)
        with closing(run):
            for _ in run:
                cancel_point()
        yield run
