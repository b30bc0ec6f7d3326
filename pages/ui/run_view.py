"""What is being looked at: a job at one of its records, or a plan before it has one."""

from dataclasses import dataclass

import numpy as np

from pages.ui import jobs
from rankcore.algorithms import Ranker
from rankcore.catalogue import Splits
from rankcore.jobs import Job
from rankcore.measures import Measure, parse
from rankcore.training import History, Record


@dataclass(frozen=True)
class RunView:
    """A run as the page shows it, whether it has begun or not.

    Attributes
    ----------
    job : Job or None
        None before it has begun.
    name : str
        Changes from run to run.
    state : str
        The job's state, or ``"not begun"``.
    algorithm : Ranker
    splits : Splits
        The data of the run, which may not be the data that is chosen now.
    measure : Measure
    convention : str
    history : History
    position : int
        The record to show.
    """

    job: Job | None
    name: str
    state: str
    algorithm: Ranker
    splits: Splits
    measure: Measure
    convention: str
    history: History
    position: int = 0

    @property
    def record(self) -> Record | None:
        """The record to show; None before the first."""
        return self.history[self.position] if len(self.history) else None

    @property
    def stage(self) -> tuple[str, bool]:
        """The state, and whether there is anything to show yet."""
        return self.state, len(self.history) > 0

    @property
    def best(self) -> Record | None:
        """The best record so far."""
        return None if self.job is None else self.job.best

    @property
    def moving(self) -> bool:
        """Whether records are on their way."""
        return self.state in ("running", "queued")

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of documents after the record; before the first all are equal."""
        if self.record is None:
            return np.zeros(len(X))
        return self.algorithm.scores(X, self.record.coef)


def of(plan: jobs.Plan, job: Job | None) -> RunView:
    """The view of a job at its last record, or else of the plan."""
    if job is None:
        measure = parse(plan.measure.name)
        return RunView(
            job=None,
            name="none",
            state="not begun",
            algorithm=plan.algorithm,
            splits=plan.splits,
            measure=measure,
            convention=plan.measure.convention,
            history=History(),
        )
    run = job.run
    chosen_now = run.train is plan.splits.train
    return RunView(
        job=job,
        name=job.id,
        state=job.state,
        algorithm=run.algorithm,
        splits=plan.splits if chosen_now else Splits(run.train, run.valid),
        measure=run.measures[0],
        convention=run.convention,
        history=run.history,
        position=max(len(run.history) - 1, 0),
    )
