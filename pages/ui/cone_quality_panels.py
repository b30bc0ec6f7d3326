"""The panel of the Cones page that shows quality, objective and K in one picture."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import (
    cone_jobs,
    cone_training,
    controls,
    datasets,
    downloads,
    frame,
    linked_job,
    state,
)
from pages.ui.cone_jobs import Plan
from pages.ui.cone_panels import both_colours
from pages.ui.theme import colours
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.charts.cone_quality import PART_NAMES, quality_figure, spectrum_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight.cone_quality import Quality, quality, verdict
from rankcore.jobs import Job, Study
from rankcore.paths import Path

HYPERPARAMETERS = ("lambda_low", "lambda_high", "folding", "basis_update", "init")

PAPER = """
The paper finds the best ranking near K = 10 of 46 features. Look at the two lines
together: with more vectors the objective falls, for there is more to rebuild
differences from; but among the vectors are soon some of opposite preference, whose sums
rebuild a difference without saying which document is better. How soon depends on the
data.
"""


def settings() -> Plan:
    """The controls of the view."""
    # A link to a job brings its settings, before any of their controls is drawn.
    cone_jobs.current()
    data = controls.dataset_picker()
    splits = datasets.load_or_stop(data)
    most = st.slider(
        "Largest number of vectors &ensp;$K$",
        2,
        20,
        state.default("cone_most"),
        help="Cones are trained for a few K up to this one, each from its own start.",
        **state.widget("cone_most"),
    )
    measure = controls.measure_picker()
    declared = hyperparameters(ConeRank)
    with st.expander("More settings", type="compact"):
        values: dict[str, Any] = {
            name: controls.hyperparameter(
                declared[name], state.hyperparameter_key(ConeRank, name)
            )
            for name in HYPERPARAMETERS
        }
        controls.seed()
    return cone_jobs.plan(data, splits, most, measure, values)


def show(plan: Plan) -> None:
    """The button, and what is ready."""
    job = cone_jobs.current()
    moving = linked_job.moves(job)
    _buttons(plan, job, moving)
    if job is None:
        st.info(
            "Nothing is trained yet. The picture will show the measure and the "
            f"objective of cones with 1 to {plan.most} vectors, and RankSVM beside "
            "them. A cone of ten takes some seconds.",
            icon=":material/show_chart:",
        )
        return
    linked_job.watch(job, moving, partial(_panel, job, moving))


def export(plan: Plan) -> None:
    """What can be taken away: the numbers of every K."""
    job = cone_jobs.current()
    if job is None or not job.run.found:
        return
    downloads.menu({"Every K": _path(job).to_frame})


def _buttons(plan: Plan, job: Job | None, moving: bool) -> None:
    moving = job is not None and moving and cone_jobs.matches(job, plan)
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        st.button(
            "Stop" if moving else "Train the cones",
            key="cone_stop" if moving else "cone_start",
            icon=":material/stop:" if moving else ":material/play_arrow:",
            type="primary",
            shortcut="P",
            disabled=plan.refusal is not None,
            on_click=cone_jobs.stop if moving else cone_jobs.start,
            args=() if moving else (plan,),
        )
        if plan.refusal is not None:
            st.warning(plan.refusal, icon=":material/block:")
        elif job is not None and job.error is not None:
            st.error(job.error, icon=":material/error:")
        elif job is not None and not cone_jobs.matches(job, plan):
            st.caption("The settings have changed; what you see are the cones before.")
        elif job is not None and job.ended:
            st.caption(job.run.reason or "Stopped; what was ready stays.")
        elif job is None:
            st.caption("Press the button, or the key P.")


def _panel(job: Job, moving: bool) -> None:
    study: Study = job.run
    measure = study.subject.measure
    if moving:
        st.progress(
            study.share,
            f"{study.done} of {study.total} cones are ready; {study.doing}",
        )
    points = list(study.found)
    if not points:
        return
    found = quality(points, measure, study.subject.cones.values)
    _facts(found, measure, job)
    left, right = st.columns([9, 5], gap="medium")
    with left:
        _picture(found, measure, job)
    with right:
        _spectrum(found, job)
        st.markdown(PAPER)


def _path(job: Job) -> Path:
    """The cones over K, as far as they are ready."""
    return job.run.subject.cones.path(job.run.found)


def _facts(found: Quality, measure: str, job: Job) -> None:
    part = "test" if "test" in found.measured else "train"
    judged = verdict(found, part)
    values = found.measured[part]
    name = f"{PART_NAMES[part].capitalize()} {measure}"
    facts = [
        frame.Fact(
            f"Best K, {PART_NAMES[part]}",
            str(judged.best),
            f"of up to {found.wanted[-1]}",
        ),
        frame.Fact(f"{name}, K = {judged.first[0]}", f"{judged.first[2]:.4f}"),
        frame.Fact(
            f"{name}, K = {judged.last[0]}",
            f"{judged.last[2]:.4f}",
            f"best {values.max():.4f}",
        ),
        frame.Fact(
            "Objective",
            f"{_short(judged.first[1])} → {_short(judged.last[1])}",
            "lower is better",
        ),
    ]
    if part in job.run.subject.half_space:
        facts.append(
            frame.Fact(
                "RankSVM", f"{job.run.subject.half_space[part]:.4f}", "a half-space"
            )
        )
    frame.facts(facts)


def _short(objective: float) -> str:
    return f"{objective:.3g}" if objective >= 1e-3 else "under 0.001"


def _picture(found: Quality, measure: str, job: Job) -> None:
    judged = verdict(found)
    frame.heading(
        f"{measure} and objective against K",
        "solid: training, dashed: validation, dotted: test; ring: best on validation; "
        "RankSVM: on training data; below: the objective, lower is better",
    )
    svm = job.run.subject.half_space.get("train")
    used = both_colours()
    finding = (
        f"From K = {judged.first[0]} to {judged.last[0]} the objective goes from "
        f"{_short(judged.first[1])} to {_short(judged.last[1])}, "
        f"and training {measure} from "
        f"{judged.first[2]:.3f} to {judged.last[2]:.3f}."
    )
    frame.figure(
        quality_figure(
            found,
            measure,
            used.cone,
            colours(),
            references={} if svm is None else {"RankSVM": (svm, used.svm)},
        ),
        key="cone_quality",
        alt=finding,
        table=_path(job).to_frame,
    )
    if judged.worse:
        st.markdown(f"**A lower objective, and a worse ranking.** {finding}")
    elif len(found.n_basis) > 1:
        st.markdown(finding)


def _spectrum(found: Quality, job: Job) -> None:
    settings = job.settings
    energy = cone_training.spectrum(str(settings["data"]), str(settings["normalise"]))
    frame.heading(
        "Energy captured", "line: the best subspace of so many; diamonds: these cones"
    )
    best = energy.subspace[found.n_basis[found.n_basis <= len(energy.subspace)] - 1]
    frame.figure(
        spectrum_figure(
            energy,
            both_colours().cone,
            colours(),
            cones=(found.n_basis.tolist(), found.captured.tolist()),
        ),
        key="cone_energy",
        alt=f"A cone of {found.n_basis[-1]} captures {found.captured[-1]:.0%} of the "
        "energy of the differences, and no cone more than the subspace of as many.",
        table={
            "K": found.n_basis[: len(best)],
            "cone": found.captured[: len(best)],
            "best subspace": np.asarray(best),
        },
    )
