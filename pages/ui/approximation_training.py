"""Training at several sharpnesses on the Approximation page, as one job."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from pages.ui import (
    approximation_errors,
    approximation_panels,
    controls,
    datasets,
    jobs,
    linked_job,
    state,
)
from pages.ui.choice import select
from rankcore.algorithms import Approximation
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import approximate_list
from rankcore.insight.approximation_run import (
    ALPHAS,
    BETAS,
    ErrorMeter,
    SharpnessSubject,
    sharpness_study,
)
from rankcore.jobs import Job, Study

JOB = "approx_job"
SHARED = {"approx_view": "Along training", "approx_beta": 10.0}
PRESETS = {
    "Average precision, α = 100": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 100.0,
        "approx_optimiser": "lbfgs",
    },
    "nDCG, α = 100": SHARED
    | {
        "approx_measure": "nDCG",
        "approx_alpha": 100.0,
        "approx_optimiser": "lbfgs",
    },
    "The paper's Algorithm 1": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 100.0,
        "approx_optimiser": "stochastic",
    },
    "Softer: α = 10": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 10.0,
        "approx_optimiser": "lbfgs",
    },
    "Too sharp: α = 1000": SHARED
    | {
        "approx_measure": "nDCG",
        "approx_alpha": 1000.0,
        "approx_optimiser": "lbfgs",
    },
}


class Choice(NamedTuple):
    """What the settings say, and the same as keys and values."""

    data: str
    learner: Approximation
    passes: int
    settings: dict[str, object]


def settings() -> Choice:
    """Draw the controls of the runs."""
    current()
    data = controls.dataset_picker()
    measure = approximation_panels.measure_picker()
    alpha, beta, cutoff = approximation_panels.sharpness()
    learner = approximate_list.surrogates(alpha, beta, cutoff)[measure]
    with st.expander("More settings", type="compact"):
        declared = hyperparameters(learner)
        optimiser = controls.hyperparameter(declared["optimiser"], "approx_optimiser")
        passes = st.slider(
            "Passes at most",
            10,
            300,
            state.default("approx_passes"),
            10,
            **state.widget("approx_passes"),
        )
        seed = controls.seed()
    learner.set_params(optimiser=optimiser, restart_passes=passes, random_state=seed)
    chosen = {
        "data": data,
        "normalise": state.get("normalise"),
        "approx_measure": state.get("approx_measure"),
        "approx_alpha": alpha,
        "approx_beta": beta,
        "approx_k": cutoff,
        "approx_optimiser": optimiser,
        "approx_passes": passes,
        "seed": seed,
    }
    return Choice(data, learner, passes, chosen)


def show(choice: Choice) -> None:
    """Draw the runs in the link or those before, as long as they grow."""
    splits = datasets.load_or_stop(choice.data)
    job = current()
    moving = linked_job.moves(job)
    _transport(choice, job, moving, choice.learner.unsupported_reason(splits.train))
    if job is None:
        st.info(
            "Nothing is trained yet. The picture will show how far the surrogate is "
            "from its measure after each pass of training, for several α and β, each "
            "with a run of its own.",
            icon=":material/show_chart:",
        )
        return
    looked_at = _run_picker(job)
    linked_job.watch(job, moving, partial(_panel, job, looked_at, moving))


def current() -> Job | None:
    """The job in the link, else the one this visitor looked at last."""
    return linked_job.current(JOB, SharpnessSubject)


def rows() -> list[dict[str, object]]:
    """The errors found so far, a row a run and pass; none without a job."""
    job = current()
    if job is None:
        return []
    return [
        {"measure": job.settings["approx_measure"], **row}
        for run in job.run.subject.runs.values()
        for row in approximation_errors.rows(run.curve())
    ]


def start(choice: Choice) -> None:
    """Begin the runs in place of those before."""
    linked_job.begin(JOB, SharpnessSubject, lambda: _submit(choice))


def _submit(choice: Choice) -> Job:
    train = datasets.load(choice.data, str(state.get("normalise"))).train
    return jobs.registry().submit(
        sharpness_study(choice.learner, train, choice.passes),
        title=f"Errors of {type(choice.learner).title}",
        settings=choice.settings,
        play=True,
    )


def _transport(
    choice: Choice, job: Job | None, moving: bool, refusal: str | None
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        if job is not None and moving:
            st.button(
                "Stop",
                key="approx_stop",
                icon=":material/stop:",
                type="primary",
                on_click=job.stop,
            )
        else:
            st.button(
                "Train and measure",
                key="approx_train",
                icon=":material/play_arrow:",
                type="primary",
                disabled=refusal is not None,
                on_click=start,
                args=(choice,),
            )
        _say(choice, job, refusal)


def _say(choice: Choice, job: Job | None, refusal: str | None) -> None:
    if refusal is not None:
        st.warning(refusal, icon=":material/block:")
    elif job is None:
        st.caption(
            f"A run of at most {choice.passes} passes at each of α = {_list(ALPHAS)} "
            f"and, where it plays a part, of β = {_list(BETAS)} (the paper's). "
            "All begin at one start; each is measured at its own α and β as it trains."
        )
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif job.settings != choice.settings:
        st.caption("The settings have changed; what you see are the runs before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; what was measured stays.")


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _run_picker(job: Job) -> ErrorMeter:
    """Choose the run that is looked at: by default the one of the α and β set."""
    study: SharpnessSubject = job.run.subject
    pairs = {
        "" if pair == study.own else "{:g}/{:g}".format(*pair): pair
        for pair in study.runs
    }
    labels = {name: "α = {:g}, β = {:g}".format(*pair) for name, pair in pairs.items()}
    name = select("Run looked at", "approx_run", labels, width=220)
    return study.runs[pairs[name]]


def _panel(job: Job, looked_at: ErrorMeter, moving: bool) -> None:
    study: Study = job.run
    if moving:
        st.progress(study.share, f"{study.done} of {study.total} runs have ended")
    if len(looked_at.curve().iterations):
        name = str(job.settings["approx_measure"])
        approximation_errors.show(name, study.subject, looked_at)
