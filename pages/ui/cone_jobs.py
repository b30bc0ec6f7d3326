"""Cones of every size as a background job, and the one a visitor looks at.

The job's id travels in the link (``?cones=…``), as that of a training run does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pages.ui import jobs, linked_job, state
from pages.ui.controls import MeasureChoice
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.catalogue import Splits
from rankcore.insight.cone_quality import QualitySubject, quality_study
from rankcore.jobs import Job

ID = "cones"


@dataclass(frozen=True)
class Plan:
    """What the button would train.

    Attributes
    ----------
    splits : Splits
    most : int
        The largest K.
    measure : MeasureChoice
    values : dict
        ConeRank's hyperparameters.
    settings : dict
        All of this as keys and values, to compare and to name.
    """

    splits: Splits
    most: int
    measure: MeasureChoice
    values: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def refusal(self) -> str | None:
        """Why there is nothing to train on, as a sentence."""
        return ConeRank(n_basis=self.most).unsupported_reason(self.splits.train)

    def submit(self) -> Job:
        """Put the cones in the background, and let them run."""
        study = quality_study(
            self.splits,
            self.most,
            self.measure.name,
            rules=self.measure.rules,
            seed=int(self.settings["seed"]),
            **self.values,
        )
        title = f"Cones of 1 to {self.most} vectors"
        return jobs.registry().submit(
            study, title=title, settings=self.settings, play=True
        )


def plan(
    data: str,
    splits: Splits,
    most: int,
    measure: MeasureChoice,
    values: Mapping[str, Any],
) -> Plan:
    """What the controls ask for."""
    settings = {
        "data": data,
        "normalise": state.get("normalise"),
        "cone_most": most,
        "measure": measure.name,
        "convention": measure.convention,
        "empty": measure.empty,
        "seed": state.get("seed"),
    } | {state.hyperparameter_key(ConeRank, n): value for n, value in values.items()}
    return Plan(splits, most, measure, values, settings)


def current() -> Job | None:
    """The job in the link, else the one this visitor looked at last."""
    return linked_job.current(ID, QualitySubject)


def start(wanted: Plan) -> None:
    """Begin what the controls ask for, in place of the job before."""
    linked_job.begin(ID, QualitySubject, wanted.submit)


def stop() -> None:
    """End the job under way; what is ready stays."""
    linked_job.stop(ID, QualitySubject)


def matches(job: Job, wanted: Plan) -> bool:
    """Whether a job was started with the plan's settings."""
    return linked_job.matches(job, wanted.settings)
