"""Studies of structured training as background jobs, and those a visitor looks at.

Each kind of study has its own job, whose id travels in the link (``?rounds_job=…``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.ui import jobs, linked_job
from rankcore.insight.margin_rounds import RoundsSubject
from rankcore.insight.margin_training import HealthSubject, MismatchSubject
from rankcore.jobs import Job, Study

KINDS: dict[str, type] = {
    "rounds_job": RoundsSubject,
    "health_job": HealthSubject,
    "matrix_job": MismatchSubject,
}
NO_WEIGHT = "All C are 0, so nothing is asked of the model. Raise one of them."


@dataclass(frozen=True)
class StudyPlan:
    """What a button would start.

    Attributes
    ----------
    kind : str
        The study's name in links.
    title : str
    settings : dict
        What it is made with, to compare, to name and to come back to.
    make : callable
        Returns the study.
    refusal : str or None
        Why it cannot be made, as a sentence.
    """

    kind: str
    title: str
    settings: Mapping[str, Any]
    make: Callable[[], Study]
    refusal: str | None = None

    def submit(self) -> Job:
        """Put the study in the background, and let it run."""
        return jobs.registry().submit(
            self.make(), title=self.title, settings=self.settings, play=True
        )


def current(kind: str) -> Job | None:
    """The study in the link, else the one of its kind this visitor looked at last."""
    return linked_job.current(kind, KINDS[kind])


def matches(job: Job, plan: StudyPlan) -> bool:
    """Whether a job was started with the plan's settings."""
    return linked_job.matches(job, plan.settings)


def start(plan: StudyPlan) -> None:
    """Begin a study in place of the one before."""
    linked_job.begin(plan.kind, KINDS[plan.kind], plan.submit)


def stop(kind: str) -> None:
    """End the study under way; what it found stays."""
    linked_job.stop(kind, KINDS[kind])


def buttons(plan: StudyPlan, job: Job | None, label: str, promise: str) -> bool:
    """Begin or end a study, and say what is going on; whether one is under way.

    Parameters
    ----------
    plan : StudyPlan
    job : Job or None
    label : str
        Of the button that begins it.
    promise : str
        What will come, in a sentence.
    """
    moving = linked_job.moves(job)
    with st.container(horizontal=True, vertical_alignment="center", key="study"):
        if job is not None and moving and matches(job, plan):
            st.button(
                "Stop",
                key="stop_study",
                icon=":material/stop:",
                type="primary",
                shortcut="P",
                on_click=stop,
                args=(plan.kind,),
            )
        else:
            st.button(
                label,
                key="start_study",
                icon=":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=plan.refusal is not None,
                on_click=start,
                args=(plan,),
            )
        _say(plan, job, promise)
    return moving


def watch(
    job: Job | None,
    moving: bool,
    draw: Callable[[Study], None],
    picture: str,
) -> None:
    """Draw a study, and keep drawing as long as it grows.

    Parameters
    ----------
    job : Job or None
    moving : bool
        As its `buttons` say.
    draw : callable
        Draws what there is; called only after an iteration.
    picture : str
        What the picture will show, said while there is no study.
    """
    if job is None:
        st.info(
            f"Nothing is trained yet. The picture will show {picture}.",
            icon=":material/show_chart:",
        )
        return
    linked_job.watch(job, moving, partial(_panel, job, draw, moving))


def _panel(job: Job, draw: Callable[[Study], None], moving: bool) -> None:
    study: Study = job.run
    if moving:
        st.progress(
            study.share,
            f"{study.done} of {study.total} {study.unit}, "
            f"{study.iterations} passes of training",
        )
    if study.iterations:
        draw(study)


def _say(plan: StudyPlan, job: Job | None, promise: str) -> None:
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
    elif job is None:
        st.caption(promise)
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not matches(job, plan):
        st.caption("The settings have changed; what you see is the study before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; what was found stays.")
