"""Restarts on the landscape: the button, where they end, and what more of them buy."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import frame, landscape_jobs, linked_job, state, table_five_panel
from pages.ui import landscape_numbers as numbers
from pages.ui.choice import segments
from pages.ui.landscape_jobs import AllFeatures, InCoordinates, Plan
from pages.ui.landscape_numbers import Scene
from pages.ui.theme import colours
from rankcore.charts.landscape import Marks
from rankcore.insight.end_points import (
    EndPoint,
    Outcome,
    nearest_sharpness,
    outcomes,
    seconds_left,
)
from rankcore.jobs import Job, Study


def marks(scene: Scene, alpha: float) -> Marks | None:
    """Where restarts began and ended on the line or circle, at the sharpness nearest
    to the chosen one."""
    points = _at(scene, alpha)
    if not points:
        return None
    curve = numbers.CURVES[scene.shape]
    starts = curve.places([point.start for point in points])
    ends = curve.places([point.coef for point in points])
    values = np.array([point.exact for point in points])
    seen = (ends >= curve.low) & (ends <= curve.high)
    return Marks(starts[seen], ends[seen], values[seen])


def models(scene: Scene, alpha: float) -> NDArray[np.float64] | None:
    """Models at which restarts ended, at the sharpness nearest to the chosen one."""
    points = _at(scene, alpha)
    return np.array([point.coef for point in points]) if points else None


def show(scene: Scene, alpha: float) -> None:
    """The restarts: run them, watch them, and compare what they came to."""
    frame.heading(
        "Where restarts end",
        "random starts in [−1, 1]; training keeps the best surrogate",
    )
    kind = landscape_jobs.chosen()
    job = landscape_jobs.current(kind)
    moving = linked_job.moves(job)
    plan = _controls(kind, scene, job, moving)
    if job is not None:
        linked_job.watch(job, moving, partial(_results, job, plan, alpha, moving))


def _controls(kind: type[Plan], scene: Scene, job: Job | None, moving: bool) -> Plan:
    """Where and how many; the button, and what it will do or has done."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="restarts"):
        segments(
            "Restarts in",
            landscape_jobs.WHERE,
            landscape_jobs.PLANS,
            width="content",
            help="Of the features chosen above, on the queries drawn; or of all "
            "features on all training queries, as in Table 5 of the paper.",
        )
        count = st.slider(
            "Restarts at each α &ensp;$K$",
            2,
            100,
            state.default("land_restarts"),
            width=240,
            **state.widget("land_restarts"),
        )
        plan = kind(scene, count)
        if moving:
            st.button(
                "Stop",
                key="stop_restarts",
                icon=":material/stop:",
                type="primary",
                shortcut="P",
                on_click=landscape_jobs.stop,
                args=(kind,),
            )
        else:
            st.button(
                plan.button,
                key="run_restarts",
                icon=":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=plan.refusal is not None,
                on_click=plan.start,
            )
    _say(plan, job)
    return plan


def _say(plan: Plan, job: Job | None) -> None:
    """What the button would do, or what has become of the job."""
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
    elif job is None:
        st.caption(plan.promise)
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not plan.started(job):
        st.caption("The settings have changed; the restarts below are those before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; the restarts that had ended stay.")


def _results(job: Job, plan: Plan, alpha: float, moving: bool) -> None:
    points, measure = landscape_jobs.points(job), job.run.subject.measure
    if moving:
        st.progress(job.run.share, _progress(job.run))
    if not points:
        return
    found = outcomes(points)
    if isinstance(plan, AllFeatures):
        table_five_panel.show(job, found)
    left, right = st.columns(2, gap="medium")
    with left:
        _spread(points, found, measure)
    with right:
        _buying(found, measure, nearest_sharpness(points, alpha))
    if not isinstance(plan, AllFeatures):
        st.dataframe(_rows(found, measure), hide_index=True, key="outcomes")


def _progress(study: Study) -> str:
    ended = f"{study.done} of {study.total} restarts have ended"
    left = seconds_left(study.found, study.total)
    if left is None:
        return ended
    about = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
    return f"{ended}, about {about} left"


def _spread(points: Sequence[EndPoint], found: Sequence[Outcome], measure: str) -> None:
    from rankcore.charts.end_points import spread_figure

    frame.heading("What each restart came to", "bar: median; ring: the one kept")
    widest = max(found, key=lambda outcome: outcome.highest - outcome.lowest)
    frame.figure(
        spread_figure(points, found, measure, colours()),
        key="spread",
        alt=f"At α = {widest.alpha:g} restarts end between {widest.lowest:.3f} and "
        f"{widest.highest:.3f}, in {widest.distinct} different directions of "
        f"{widest.restarts}.",
        table=lambda: {
            "α": [point.alpha for point in points],
            "seed": [point.seed for point in points],
            "surrogate": [point.surrogate for point in points],
            measure: [point.exact for point in points],
            "passes": [point.passes for point in points],
            "queries without gradient": [point.flat for point in points],
        },
    )


def _buying(found: Sequence[Outcome], measure: str, chosen: float) -> None:
    from rankcore.charts.end_points import buying_figure

    frame.heading("What more restarts buy", "expected, when the best surrogate is kept")
    gains = {o.alpha: float(o.expected[-1] - o.expected[0]) for o in found}
    most = max(gains, key=lambda alpha: gains[alpha])
    frame.figure(
        buying_figure(found, measure, chosen, colours()),
        key="buying",
        alt=f"Restarts buy most at α = {most:g}: {gains[most]:.3f} of {measure}.",
        table=lambda: {
            "restarts": np.arange(1, min(len(o.expected) for o in found) + 1),
            **{
                f"α = {o.alpha:g}": o.expected[: min(len(p.expected) for p in found)]
                for o in found
            },
        },
    )


def _rows(found: Sequence[Outcome], measure: str) -> list[dict[str, str]]:
    return [
        {
            "α": f"{outcome.alpha:g}",
            "restarts": f"{outcome.restarts}",
            "different end points": f"{outcome.distinct}",
            f"median {measure}": f"{outcome.median:.4f}",
            f"{measure} kept": f"{outcome.best:.4f}",
            f"best {measure}": f"{outcome.highest:.4f}",
            "ended where it began": f"{outcome.stayed:.0%}",
        }
        for outcome in found
    ]


def _at(scene: Scene, alpha: float) -> list[EndPoint]:
    """The end points of this scene at the sharpness nearest to the chosen one, where
    restarts in its coordinates are what is looked at."""
    if landscape_jobs.chosen() is not InCoordinates:
        return []
    job = landscape_jobs.current(InCoordinates)
    if job is None:
        return []
    if not InCoordinates(scene, int(job.settings["land_restarts"])).started(job):
        return []
    points = landscape_jobs.points(job)
    nearest = nearest_sharpness(points, alpha) if points else alpha
    return [point for point in points if point.alpha == nearest]
