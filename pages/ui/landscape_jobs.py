"""Restarts as background jobs: in the landscape's coordinates, or of all features.

The ids of both jobs travel in the link (``?ends=…&table5=…``), as that of a training
run does.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pages.ui import datasets, jobs, landscape_numbers, linked_job, state
from pages.ui.landscape_numbers import LINE, Scene
from rankcore.dataset import RankingDataset
from rankcore.insight import table_five
from rankcore.insight.end_points import EndPoint, RestartSubject, restart_study
from rankcore.jobs import Job, Study

ALPHAS = (1.0, 10.0, 50.0, 100.0, 300.0)
WHERE = "land_restarts_in"
AXES = ("land_first", "land_second", "land_third")
ENDS = ("land_from", "land_to")


@dataclass(frozen=True)
class Plan(ABC):
    """What the button would run.

    Attributes
    ----------
    scene : Scene
    count : int
        Restarts at each sharpness.
    """

    where: ClassVar[str]
    key: ClassVar[str]
    alphas: ClassVar[tuple[float, ...]]
    button: ClassVar[str]

    scene: Scene
    count: int

    @property
    def settings(self) -> dict[str, Any]:
        """What a job is started with, as keys and values of the settings table."""
        return {
            "data": self.scene.data,
            "normalise": self.scene.normalise,
            "land_measure": self.scene.measure,
            "land_restarts": self.count,
            "seed": self.scene.seed,
        }

    @property
    def measure(self) -> str:
        """What end points are measured by."""
        return self.scene.measure

    @property
    def refusal(self) -> str | None:
        """Why this cannot be run on the data, as a sentence."""
        return None

    @property
    @abstractmethod
    def promise(self) -> str:
        """What the button would do, in a sentence or two."""

    @abstractmethod
    def study(self) -> Study:
        """All of it, not yet begun."""

    def started(self, job: Job) -> bool:
        """Whether a job was started with these settings."""
        return linked_job.matches(job, self.settings)

    def start(self) -> None:
        """Begin the restarts in place of those before."""
        linked_job.begin(self.key, RestartSubject, self._submit)

    def _submit(self) -> Job:
        return jobs.registry().submit(
            self.study(),
            title=f"Restarts on {self.measure}",
            settings=self.settings,
            play=True,
        )

    def _restarts(self) -> str:
        alphas = ", ".join(f"{alpha:g}" for alpha in self.alphas)
        return f"{self.count} restarts at each of α = {alphas}"


class InCoordinates(Plan):
    """Restarts that can be drawn on the landscape."""

    where = "these coordinates"
    key = "ends"
    alphas = ALPHAS
    button = "Run the restarts"

    @property
    def settings(self) -> dict[str, Any]:
        scene = self.scene
        axes = ENDS if scene.shape == LINE else AXES
        return super().settings | {
            "land_shape": scene.shape,
            "land_queries": scene.queries,
            **dict(zip(axes, scene.axes, strict=False)),
        }

    @property
    def promise(self) -> str:
        return (
            f"{self._restarts()}, on these queries and in these "
            "coordinates. Press the button, or the key P; they appear as they end."
        )

    def study(self) -> Study:
        learner = landscape_numbers.learner(self.scene, 1.0)
        ground = landscape_numbers.ground(self.scene)
        return restart_study(learner, ground, self.alphas, self.count)


class AllFeatures(Plan):
    """The experiment of the paper's Table 5, on all training queries."""

    where = "all features"
    key = "table5"
    alphas = table_five.ALPHAS
    button = "Run Table 5"

    @property
    def measure(self) -> str:
        known = landscape_numbers.learners(self.scene.data, self.scene.normalise)
        return table_five.reported(self.scene.measure, known)

    @property
    def refusal(self) -> str | None:
        learner = landscape_numbers.learner(self.scene, 1.0)
        return learner.unsupported_reason(self._train)

    @property
    def promise(self) -> str:
        train = self._train
        return (
            f"The paper's Table 5: {self._restarts()}, on all {train.n_features} "
            f"features and all {train.n_queries:,} training queries. That is "
            f"{self.count * len(self.alphas)} climbs of the smooth "
            f"{self.scene.measure} by Algorithm 1, of at most {table_five.PASSES} "
            f"passes each, measured by {self.measure}; the time left is shown as soon "
            "as the first has ended."
        )

    def study(self) -> Study:
        learner = landscape_numbers.learner(self.scene, 1.0)
        return table_five.study(learner, self._train, self.measure, self.count)

    @property
    def _train(self) -> RankingDataset:
        return datasets.load(self.scene.data, self.scene.normalise).train


PLANS: Mapping[str, type[Plan]] = {
    plan.where: plan for plan in (InCoordinates, AllFeatures)
}


def chosen() -> type[Plan]:
    """Where restarts are to be run."""
    return PLANS[str(state.get(WHERE))]


def current(plan: type[Plan]) -> Job | None:
    """The job in the link, else the one this visitor looked at last."""
    return linked_job.current(plan.key, RestartSubject)


def follow_link() -> None:
    """Take over the settings of the jobs in the link, those of the chosen kind last.

    To be called before the controls are drawn.
    """
    for plan in sorted(PLANS.values(), key=lambda plan: plan is chosen()):
        current(plan)


def stop(plan: type[Plan]) -> None:
    """End the restarts under way; those that have ended stay."""
    linked_job.stop(plan.key, RestartSubject)


def points(job: Job) -> list[EndPoint]:
    """The end points of a job so far."""
    return list(job.run.found)
