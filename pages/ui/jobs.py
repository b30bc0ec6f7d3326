"""The training jobs of this process, and the one a visitor is looking at.

A job's id travels in the link (``?job=…``), so a refresh, another page or a second
browser find it again; pinned runs travel the same way (``?pin=…``).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import state
from pages.ui.controls import MeasureChoice
from pages.ui.registry import find, look_at, registry
from pages.ui.shared import SPEEDS
from rankcore.algorithms import Ranker
from rankcore.catalogue import Splits
from rankcore.jobs import Job
from rankcore.training import Stop, drive

MAX_PINNED = 5
# Where other pages find the run that a visitor looks at.
PLACE = "train"


@dataclass(frozen=True)
class Plan:
    """What Play would train.

    Attributes
    ----------
    splits : Splits
    algorithm : Ranker
    measure : MeasureChoice
    settings : dict
        The same as keys and values of the settings table, for links.
    refusal : str or None
        Why the algorithm cannot train on this data, as a sentence.
    """

    splits: Splits
    algorithm: Ranker
    measure: MeasureChoice
    settings: Mapping[str, Any]

    @property
    def refusal(self) -> str | None:
        return self.algorithm.unsupported_reason(self.splits.train)

    @property
    def caution(self) -> str | None:
        """What will make its model worse than it need be, as sentences."""
        return self.algorithm.caution(self.splits.train)

    def submit(self, start: np.ndarray | None = None) -> Job:
        """Put a new run of this plan in the background, paused; (d,) ``start`` is where
        it begins, by default where the algorithm does."""
        run = drive(
            self.algorithm,
            self.splits.train,
            self.splits.valid,
            stop=Stop(max_iterations=self.algorithm.max_iter),
            measures=(self.measure.name,),
            rules=self.measure.rules,
            start=start,
        )
        title = type(self.algorithm).title
        return registry().submit(run, title=title, settings=self.settings)


def plan(
    data: str,
    splits: Splits,
    algorithm: type[Ranker],
    hyperparameters: Mapping[str, Any],
    measure: MeasureChoice,
    seed: int,
) -> Plan:
    """What the controls ask for."""
    settings = {
        "data": data,
        "normalise": state.get("normalise"),
        "algorithm": algorithm.__name__,
        "measure": measure.name,
        "convention": measure.convention,
        "empty": measure.empty,
        "seed": seed,
    } | {
        state.hyperparameter_key(algorithm, name): value
        for name, value in hyperparameters.items()
    }
    trained = algorithm(**hyperparameters, random_state=seed)
    return Plan(splits, trained, measure, settings)


def current() -> Job | None:
    """The job in the link, else the one this visitor looked at last.

    A link that names a job but not all of its settings gets the others from the job.
    """
    asked = st.query_params.get("job") or st.session_state.get("job")
    job = find(asked)
    if job is None:
        return None
    if st.session_state.get("job") != job.id:
        state.apply({k: v for k, v in job.settings.items() if k not in st.query_params})
    _look_at(job)
    return job


def lost() -> bool:
    """Whether the link names a job that this process does not hold (any more)."""
    asked = st.query_params.get("job")
    return asked is not None and find(asked) is None


def play(plan: Plan) -> None:
    """Go on with the job under way, or begin a new one where settings have changed."""
    with _refusal_shown():
        _job_for(plan).play()


def step(plan: Plan, count: int) -> None:
    """Take some steps, then pause; a new job begins as for `play`."""
    with _refusal_shown():
        job = _job_for(plan)
        # The starting point is the first record of a job, not a step of training.
        job.step(count if len(job.history) else count + 1)


def reset() -> None:
    """End the job and look at none; pinned runs stay."""
    job = current()
    if job is not None and job.id not in pinned_ids():
        job.stop()
    st.session_state.pop("job", None)
    look_at(PLACE, None)
    st.query_params.pop("job", None)


def set_speed() -> None:
    """Give the job under way the speed that has just been chosen."""
    job = current()
    if job is not None:
        job.speed = SPEEDS[st.session_state["speed"]]


def pin(job: Job) -> None:
    """Keep a run in the picture when another one begins."""
    kept = [*dict.fromkeys([*pinned_ids(), job.id])][-MAX_PINNED:]
    st.query_params["pin"] = kept
    st.session_state["pin"] = kept


def unpin() -> None:
    """Forget all pinned runs."""
    st.query_params.pop("pin", None)
    st.session_state.pop("pin", None)


def pinned_ids() -> list[str]:
    """The ids of pinned runs, from the link or else from this visit."""
    return st.query_params.get_all("pin") or st.session_state.get("pin", [])


def pinned(besides: Job | None) -> list[Job]:
    """The pinned runs this process holds, without the one looked at."""
    jobs = (find(job_id) for job_id in pinned_ids()[:MAX_PINNED])
    return [job for job in jobs if job is not None and job is not besides]


def matches(job: Job, plan: Plan) -> bool:
    """Whether a job was started with the plan's settings."""
    return job.settings == dict(plan.settings)


def difference(job: Job, other: Job | None) -> str:
    """What sets a job apart from another, in a few words."""
    if other is None or job.settings["algorithm"] != other.settings["algorithm"]:
        return job.title
    differing = [
        f"{key.rpartition('.')[2].replace('_', ' ')} = {_short(value)}"
        for key, value in job.settings.items()
        if other.settings.get(key) != value
    ]
    return ", ".join(differing[:2]) or job.title


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@contextmanager
def _refusal_shown() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        st.toast(str(error), icon=":material/block:", duration="long")


def _job_for(plan: Plan) -> Job:
    job = current()
    if job is not None and not job.ended and matches(job, plan):
        return job
    if job is not None and job.id not in pinned_ids():
        job.stop()
    job = plan.submit()
    job.speed = SPEEDS[st.session_state["speed"]]
    _look_at(job)
    return job


def _look_at(job: Job) -> None:
    st.session_state["job"] = job.id
    look_at(PLACE, job.id)
    if st.query_params.get("job") != job.id:
        st.query_params["job"] = job.id
