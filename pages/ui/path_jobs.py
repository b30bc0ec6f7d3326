"""Paths over a hyperparameter as background jobs, and the one a visitor looks at.

The job's id travels in the link (``?path=…``), as that of a training run does.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from pages.ui import jobs, linked_job, state
from pages.ui.controls import MeasureChoice
from rankcore.algorithms import Ranker
from rankcore.catalogue import Splits
from rankcore.hyperparameters import hyperparameters
from rankcore.jobs import Job
from rankcore.paths import (
    CUTOFFS,
    Path,
    PathPoint,
    PathsSubject,
    PathSubject,
    grid,
    path,
    path_study,
    paths_study,
)

KINDS: dict[str, type] = {"path": PathSubject, "rules": PathsSubject}
_PLANS: WeakKeyDictionary[Job, Any] = WeakKeyDictionary()


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
        return self.algorithm.unsupported_reason(self.splits.train)

    def submit(self) -> Job:
        """Put a new path of this plan in the background, and let it run."""
        title = f"{type(self.algorithm).title} over {self.over}"
        return jobs.registry().submit(
            path_study(self._path(self.algorithm)),
            title=title,
            settings=self.settings,
            play=True,
        )

    def submit_rules(self) -> Job:
        """Put a path for each of the algorithm's contrasts in the background."""
        found = {}
        for name, values in type(self.algorithm).comparisons.items():
            ruled = copy.copy(self.algorithm)
            for hyperparameter, value in values.items():
                setattr(ruled, hyperparameter, value)
            found[name] = self._path(ruled)
        title = f"{type(self.algorithm).title} over {self.over}, rules compared"
        return jobs.registry().submit(
            paths_study(found), title=title, settings=self.settings, play=True
        )

    def _path(self, algorithm: Ranker) -> Path:
        declared = hyperparameters(algorithm)[self.over]
        return path(
            algorithm,
            self.splits,
            self.over,
            grid(declared, self.count),
            measures=list(dict.fromkeys([self.measure.name, *CUTOFFS])),
            rules=self.measure.rules,
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


def set_by_rules(algorithm: type[Ranker]) -> set[str]:
    """The hyperparameters that the rules to compare set themselves."""
    return {name for values in algorithm.comparisons.values() for name in values}


def current(kind: str = "path") -> Job | None:
    """The path, or the rules compared, in the link, else what was looked at last."""
    return linked_job.current(kind, KINDS[kind])


def start(wanted: PathPlan) -> None:
    """Begin the path that the controls ask for, in place of the one before."""
    state.put("path_at", state.default("path_at"))
    _start("path", wanted, wanted.submit)


def start_rules(wanted: PathPlan) -> None:
    """Begin the paths to compare, in place of those before."""
    _start("rules", wanted, wanted.submit_rules)


def stop(kind: str = "path") -> None:
    """End what is under way; its points stay."""
    linked_job.stop(kind, KINDS[kind])


def of(job: Job) -> Path:
    """The path that a job trains, as far as it is ready."""
    return job.run.subject.path(job.run.found)


def rules_of(job: Job) -> dict[str, Path]:
    """The path of each rule that a job compares, as far as it is ready."""
    return job.run.subject.ready(job.run.found)


def rows(path: Path) -> list[dict[str, Any]]:
    """The points of a path, a row each: measures, then coefficients by feature."""
    names = [f"coefficient of {name}" for name in path.feature_names]
    return [
        point.to_row(path.name) | dict(zip(names, point.coef.tolist(), strict=True))
        for point in path.points
    ]


def matches(job: Job, wanted: PathPlan) -> bool:
    """Whether a job was started with the plan's settings."""
    return linked_job.matches(job, wanted.settings)


def plan_of(job: Job, wanted: PathPlan) -> PathPlan:
    """The plan that a job was started with, while the controls may ask for another."""
    return _PLANS.get(job, wanted)


def train_from(begun: PathPlan, point: PathPoint) -> Job:
    """A run for Train live that begins at the model of a point, and pauses there."""
    algorithm = begun.algorithm
    names = [name for name in hyperparameters(algorithm) if name != "random_state"]
    values = {name: getattr(algorithm, name) for name in names}
    wanted = jobs.plan(
        str(begun.settings["data"]),
        begun.splits,
        type(algorithm),
        values | {begun.over: point.value},
        begun.measure,
        int(begun.settings["seed"]),
    )
    normalised = {"normalise": begun.settings["normalise"]}
    wanted = replace(wanted, settings=wanted.settings | normalised)
    job = wanted.submit(point.coef)
    job.speed = jobs.SPEEDS[state.get("speed")]
    job.step()
    return job


def _start(kind: str, wanted: PathPlan, submit: Callable[[], Job]) -> None:
    job = linked_job.begin(kind, KINDS[kind], submit)
    if job is not None:
        _PLANS[job] = wanted
