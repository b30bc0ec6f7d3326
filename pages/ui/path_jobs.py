"""Paths over a hyperparameter as background jobs, and the one a visitor looks at.

The job's id travels in the link (``?path=…``), as that of a training run does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui import jobs, state
from pages.ui.controls import MeasureChoice
from rankcore.algorithms._ranker import Ranker
from rankcore.catalogue import Splits
from rankcore.hyperparameters import hyperparameters
from rankcore.jobs import Job
from rankcore.paths import CUTOFFS, Path, PathRun, grid, path


@dataclass(frozen=True)
class PathPlan:
    """What the button would train.

    Attributes
    ----------
    splits : Splits
    algorithm : Ranker
        With all hyperparameters but the one of the path.
    over : str
        That one.
    count : int
        How many values.
    measure : MeasureChoice
    settings : dict
        The same as keys and values, to compare and to name.
    """

    splits: Splits
    algorithm: Ranker
    over: str
    count: int
    measure: MeasureChoice
    settings: Mapping[str, Any]

    @property
    def refusal(self) -> str | None:
        """Why the algorithm cannot train on this data, as a sentence."""
        return self.algorithm.refuses(self.splits.train)

    def submit(self) -> Job:
        """Put a new path of this plan in the background, and let it run."""
        declared = hyperparameters(self.algorithm)[self.over]
        run = PathRun(
            path(
                self.algorithm,
                self.splits,
                self.over,
                grid(declared, self.count),
                measures=list(dict.fromkeys([self.measure.name, *CUTOFFS])),
                convention=self.measure.convention,
                empty=self.measure.empty,
            )
        )
        title = f"{type(self.algorithm).title} over {self.over}"
        return jobs.registry().submit(
            run, title=title, settings=self.settings, play=True
        )


def plan(
    data: str,
    splits: Splits,
    algorithm: type[Ranker],
    values: Mapping[str, Any],
    count: int,
    measure: MeasureChoice,
    seed: int,
) -> PathPlan:
    """What the controls ask for."""
    over = str(algorithm.sparsity)
    settings = {
        "data": data,
        "normalise": state.get("normalise"),
        "sparse": algorithm.__name__,
        "values": count,
        "measure": measure.name,
        "convention": measure.convention,
        "empty": measure.empty,
        "seed": seed,
    } | {
        state.hyperparameter_key(algorithm, name): value
        for name, value in values.items()
        if name != over
    }
    trained = algorithm(**{**values, "random_state": seed})
    return PathPlan(splits, trained, over, count, measure, settings)


def current() -> Job | None:
    """The path in the link, else the one this visitor looked at last."""
    asked = st.query_params.get("path") or st.session_state.get("path")
    job = jobs.registry().get(asked)
    if job is None or not isinstance(job.run, PathRun):
        return None
    if st.session_state.get("path") != job.id:
        known = st.query_params
        state.apply({k: v for k, v in job.settings.items() if k not in known})
    _look_at(job)
    return job


def start(wanted: PathPlan) -> None:
    """Begin the path that the controls ask for, in place of the one before."""
    stop()
    try:
        _look_at(wanted.submit())
    except ValueError as error:
        st.toast(str(error), icon=":material/block:", duration="long")


def stop() -> None:
    """End the path under way; its points stay."""
    job = current()
    if job is not None:
        job.stop()


def of(job: Job) -> Path:
    """The path that a job trains."""
    return job.run.path


def matches(job: Job, wanted: PathPlan) -> bool:
    """Whether a job was started with the plan's settings."""
    return job.settings == dict(wanted.settings)


def _look_at(job: Job) -> None:
    st.session_state["path"] = job.id
    if st.query_params.get("path") != job.id:
        st.query_params["path"] = job.id
