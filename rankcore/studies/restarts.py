"""Random restarts as separate runs, each with its own seed and history.

An algorithm that does its restarts itself yields them one after the other. Here each is
a run, and all histories are kept.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.training import History, Record, Run, drive

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker


@dataclass(frozen=True)
class Restart:
    """One run of several that differ in their seed.

    Attributes
    ----------
    seed : int
        The ``random_state`` that reproduces this run.
    history : History
        All its records.
    best : Record
        The record of the best training objective.
    reason : str
        Why the run ended.
    """

    seed: int
    history: History
    best: Record
    reason: str


def seeds(random_state: int | None, count: int) -> list[int]:
    """Seeds for ``count`` restarts; a larger ``count`` only appends seeds."""
    return [int(s) for s in np.random.SeedSequence(random_state).generate_state(count)]


def restarts(
    algorithm: "Ranker", train: RankingDataset, *, count: int = 10, **details: Any
) -> Iterator[Restart]:
    """Train an algorithm from several random starts; yield each run when it has ended.

    Parameters
    ----------
    algorithm : Ranker
        Not changed. Its ``random_state`` determines all seeds; its own ``n_restarts``,
        if it has one, is ignored.
    train : RankingDataset
    count : int
        Number of restarts.
    **details
        As for `rankcore.training.drive`: ``valid``, ``stop``, ``measures`` …

    Yields
    ------
    Restart

    Raises
    ------
    ValueError
        As `rankcore.training.drive`.
    """
    algorithm.check(train)
    for seed in seeds(algorithm.random_state, count):
        settings = {**algorithm.get_params(), "random_state": seed}
        if "n_restarts" in settings:
            settings["n_restarts"] = 1
        run = drive(type(algorithm)(**settings), train, **details)
        sign = 1.0 if algorithm.maximises else -1.0
        with closing(run):
            best = max(_cancellable(run), key=lambda record: sign * record.objective)
        yield Restart(seed, run.history, best, run.reason or "")


def _cancellable(run: Run) -> Iterator[Record]:
    """Yield the records of a run, with a cancel point after each."""
    for record in run:
        yield record
        cancel_point()
