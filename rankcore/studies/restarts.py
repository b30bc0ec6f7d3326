"""Random restarts as separate runs, each with its own seed and history.

An algorithm that does its restarts itself yields them one after the other. Here each is
a run, in this process or in several, and all histories are kept.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.cancellation import cancel_point
from rankcore.compute.workers import as_ready
from rankcore.data.dataset import RankingDataset
from rankcore.training import History, Record, Run, drive

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.algorithms import Ranker


@dataclass(frozen=True)
class Restart:
    """One run of several that differ in their seed.

    Attributes
    ----------
    number : int
        From 1.
    seed : int
        The ``random_state`` that reproduces this run.
    history : History
        All its records.
    best : Record
        The record of the best training objective.
    reason : str
        Why the run ended.
    """

    number: int
    seed: int
    history: History
    best: Record
    reason: str


def seeds(random_state: int | None, count: int) -> list[int]:
    """Seeds for ``count`` restarts; a larger ``count`` only appends seeds."""
    return [int(s) for s in np.random.SeedSequence(random_state).generate_state(count)]


def restarts(
    algorithm: "Ranker",
    train: RankingDataset,
    valid: RankingDataset | None = None,
    *,
    count: int = 10,
    workers: int = 1,
    **details: Any,
) -> Iterator[Restart]:
    """Train an algorithm from several random starts; yield each run when it has ended.

    Parameters
    ----------
    algorithm : Ranker
        Not changed. Its ``random_state`` determines all seeds; its own ``n_restarts``,
        if it has one, is ignored.
    train, valid : RankingDataset
    count : int
        Number of restarts.
    workers : int
        Number of processes; 1 for the current one. With several, runs are yielded in
        the order in which they end.
    **details
        As for `rankcore.training.drive`: ``stop``, ``measures``, ``rules`` …

    Yields
    ------
    Restart
        Closing the iterator cancels the restarts that have not ended.

    Raises
    ------
    ValueError
        As `rankcore.training.drive`.
    """
    algorithm.check(train)
    tasks = list(enumerate(seeds(algorithm.random_state, count), start=1))
    given = algorithm, train, valid, details
    if workers == 1:
        yield from (_restart(*given, *task) for task in tasks)
        return
    for _, run in as_ready(workers, _restart, tasks, given):
        yield run


def best_restart(runs: Sequence[Restart], maximises: bool) -> Restart:
    """Return the restart of the best training objective, the first of equal ones; one
    whose model ranks nothing only where all are such."""
    sign = 1.0 if maximises else -1.0
    return max(
        sorted(runs, key=lambda run: run.number),
        key=lambda run: (run.best.ranks, sign * run.best.objective),
    )


def to_frame(runs: Sequence[Restart]) -> "pd.DataFrame":
    """Return a table with one row a record: its own columns, and ``restart`` and
    ``seed``."""
    import pandas as pd

    rows = [
        {**record.to_row(), "restart": run.number, "seed": run.seed}
        for run in sorted(runs, key=lambda run: run.number)
        for record in run.history.records
    ]
    return pd.DataFrame(rows)


def _cancellable(run: Run) -> Iterator[Record]:
    """Yield the records of a run, with a cancel point after each."""
    for record in run:
        yield record
        cancel_point()


def _restart(
    algorithm: "Ranker",
    train: RankingDataset,
    valid: RankingDataset | None,
    details: dict[str, Any],
    number: int,
    seed: int,
) -> Restart:
    settings = {**algorithm.get_params(), "random_state": seed}
    if "n_restarts" in settings:
        settings["n_restarts"] = 1
    run = drive(type(algorithm)(**settings), train, valid, **details)
    sign = 1.0 if algorithm.maximises else -1.0
    with closing(run):
        best = max(_cancellable(run), key=lambda record: sign * record.objective)
    return Restart(number, seed, run.history, best, run.reason or "")
