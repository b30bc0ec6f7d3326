"""Taking a run away: its history, its model, the command that repeats it."""

import shlex
from functools import partial

import streamlit as st

from pages.ui import jobs, model_export, state
from rankcore.algorithms import Ranker
from rankcore.hyperparameters import hyperparameters
from rankcore.jobs import Job


def pin_button(job: Job | None) -> None:
    """Keep this run in the picture, or let go of all that were kept."""
    if job is not None and job.id in jobs.pinned_ids():
        st.button("Unpin", key="unpin", on_click=jobs.unpin)
    else:
        st.button(
            "Pin run",
            key="pin_run",
            help="Keeps this run as a faint line when the next one begins.",
            disabled=job is None or not len(job.history),
            on_click=jobs.pin,
            args=(job,),
        )


def menu(plan: jobs.Plan, job: Job | None) -> None:
    """What can be taken away, in a popover; its content is made when it is opened."""
    with st.popover("Export", key="export", on_change="rerun") as popover:
        if not popover.open:
            return
        st.caption("The same run from a terminal")
        st.code(command(plan), language="bash", wrap_lines=True)
        if job is None or not len(job.history):
            st.caption("History and model can be downloaded once training has begun.")
            return
        st.download_button(
            "History as CSV",
            lambda: job.history.to_frame().to_csv(index=False),
            file_name=f"{_stem(job)}.csv",
            mime="text/csv",
            on_click="ignore",
            key="history_csv",
        )
        st.caption("The figure's own buttons, at its top right, save PNG and SVG.")
        st.divider()
        model_export.show(
            "The best model so far, for", partial(best_model, job), _stem(job)
        )


def command(plan: jobs.Plan) -> str:
    """The command that trains what the page would."""
    algorithm, settings = plan.algorithm, plan.settings
    words = ["rankscope", "train", settings["data"], type(algorithm).__name__]
    for name, declared in hyperparameters(algorithm).items():
        value = getattr(algorithm, name)
        if value != declared.default and name != "random_state":
            words += [f"--{name.replace('_', '-')}", declared.format(value)]
    for name in ("normalise", "measure", "convention", "empty"):
        if settings[name] != state.default(name):
            words += [f"--{name}", str(settings[name])]
    return shlex.join([*words, "--seed", str(algorithm.random_state)])


def best_model(job: Job) -> Ranker:
    """The best model of a job so far."""
    from sklearn.base import clone

    return clone(job.algorithm).load_run(job.run)


def _stem(job: Job) -> str:
    return f"{job.settings['algorithm']}-{job.settings['data']}".replace("/", "-")
