"""Taking a run away: its history, its model, the command that repeats it."""

import shlex

import streamlit as st

from pages.ui import jobs, state
from rankcore.algorithms._ranker import LinearRanker
from rankcore.exports import ExportFormat, get_format, list_formats
from rankcore.hyperparameters import hyperparameters
from rankcore.jobs import Job

PREVIEW_LINES = 12


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
        _model(job)


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


def model_text(job: Job, chosen: ExportFormat, scaled_input: bool = False) -> str:
    """The best model of a job so far, in a format.

    Raises
    ------
    ValueError
        If the format cannot hold it; the sentence says why.
    """
    from sklearn.base import clone

    model = clone(job.algorithm).adopt(job.run)
    chosen.check(model, scaled_input)
    return chosen.write(model, chosen.default_name(model))


def _model(job: Job) -> None:
    """Choose a format, look at the best model in it, download it."""
    linear = isinstance(job.algorithm, LinearRanker)
    names = [name for name in list_formats() if linear or get_format(name).holds_trees]
    chosen = get_format(
        st.selectbox(
            "The best model so far, for",
            names,
            names.index("json"),
            format_func=lambda name: get_format(name).title,
            key="export_format",
        )
    )
    scaling = job.run.train.normalisation
    alike = (
        scaling is not None
        and not chosen.holds_scaling
        and st.checkbox(
            f"Features there are scaled by {scaling} within each query too",
            key="export_scaled",
        )
    )
    try:
        text = model_text(job, chosen, alike)
    except ValueError as error:
        st.warning(str(error), icon=":material/block:")
        return
    lines = text.splitlines()
    more = ["…"] if len(lines) > PREVIEW_LINES else []
    st.code("\n".join([*lines[:PREVIEW_LINES], *more]), language=None, height=220)
    st.download_button(
        "Download the model",
        lambda: model_text(job, chosen, alike),
        file_name=f"{_stem(job)}{chosen.ending}",
        mime=chosen.mime,
        on_click="ignore",
        key="model_file",
        type="primary",
    )
    st.caption(chosen.use)


def _stem(job: Job) -> str:
    return f"{job.settings['algorithm']}-{job.settings['data']}".replace("/", "-")
