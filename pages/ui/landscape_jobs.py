"""Restarts at several sharpnesses as a background job, and the one a visitor looks at.

The job's id travels in the link (``?ends=…``), as that of a training run does.
"""

from collections.abc import Mapping
from typing import Any

from pages.ui import jobs, landscape_numbers, linked_job
from pages.ui.landscape_numbers import Scene
from rankcore.insight.end_points import EndPoint, RestartStudy
from rankcore.jobs import Job

ALPHAS = (1.0, 10.0, 50.0, 100.0, 300.0)
MOVING = ("running", "queued")
KEY = "ends"
AXES = ("land_first", "land_second", "land_third")
ENDS = ("land_from", "land_to")


def settings(scene: Scene, count: int) -> dict[str, Any]:
    """What a job was started with, as keys and values of the settings table."""
    keys = ENDS if scene.shape == landscape_numbers.LINE else AXES
    return {
        "data": scene.data,
        "normalise": scene.normalise,
        "land_shape": scene.shape,
        "land_measure": scene.measure,
        "land_queries": scene.queries,
        "land_restarts": count,
        "seed": scene.seed,
        **dict(zip(keys, scene.axes, strict=False)),
    }


def current() -> Job | None:
    """The job in the link, else the one this visitor looked at last."""
    return linked_job.current(KEY, RestartStudy)


def start(scene: Scene, count: int) -> None:
    """Begin the restarts that the controls ask for, in place of those before."""
    linked_job.begin(KEY, RestartStudy, lambda: _submit(scene, count))


def stop() -> None:
    """End the restarts under way; those that have ended stay."""
    linked_job.stop(KEY, RestartStudy)


def matches(job: Job, wanted: Mapping[str, Any]) -> bool:
    """Whether a job was started with these settings."""
    return linked_job.matches(job, wanted)


def points(job: Job) -> list[EndPoint]:
    """The end points of a job so far."""
    return list(job.run.points)


def _submit(scene: Scene, count: int) -> Job:
    learner = landscape_numbers.learner(scene, 1.0)
    return jobs.registry().submit(
        RestartStudy(learner, landscape_numbers.ground(scene), ALPHAS, count),
        title=f"Restarts on {scene.measure}",
        settings=settings(scene, count),
        play=True,
    )
