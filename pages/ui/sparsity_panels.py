"""The controls of the Sparsity page, and one path as it grows."""

from functools import partial

import streamlit as st

from pages.ui import (
    linked_job,
    path_choice,
    path_figures,
    path_jobs,
    path_model,
    state,
    views,
)
from pages.ui.choice import segments
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import declared, symbol
from rankcore.jobs import Job
from rankcore.paths import Path

VIEWS = ("One path", "Compare rules")


def view_picker(algorithm: type) -> str:
    """Choose between one path and the rules of an algorithm side by side."""
    if not algorithm.comparisons:
        return VIEWS[0]
    return views.picker("sparse_view", VIEWS)


def values_picker() -> int:
    """Choose how many values the path has."""
    return st.slider(
        "Values on the path",
        4,
        40,
        state.default("values"),
        help="Spread over the whole range of the hyperparameter; each starts from the "
        "model before.",
        **state.widget("values"),
    )


def axis_picker() -> bool:
    """Choose a logarithmic or a linear axis; whether it is logarithmic."""
    chosen = segments(
        "Axis",
        "axis",
        ("log", "linear"),
    )
    return chosen == "log"


def tolerance_picker() -> float:
    """Choose the loss that is tolerated; returns it as a share."""
    percent = st.slider(
        "Tolerated loss, %",
        0.0,
        10.0,
        state.default("tolerance"),
        0.5,
        help="The page chooses the model with the fewest features whose measure lies "
        "within this share of the best one of the path. Both are judged on validation "
        "data; on training data where there are no validation data. Test data never "
        "choose.",
        **state.widget("tolerance"),
    )
    return percent / 100.0


def _buttons(plan: PathPlan, job: Job | None, moving: bool) -> None:
    """Begin or end a path, and say what is going on."""
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        if job is not None and moving and path_jobs.matches(job, plan):
            st.button(
                "Stop",
                key="stop_path",
                icon=":material/stop:",
                type="primary",
                shortcut="P",
                on_click=path_jobs.stop,
            )
        else:
            st.button(
                "Train the path",
                key="train_path",
                icon=":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=plan.refusal is not None,
                on_click=path_jobs.start,
                args=(plan,),
            )
        _say(plan, job)


def _say(plan: PathPlan, job: Job | None) -> None:
    over = declared(plan)
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
    elif job is None:
        st.caption(
            f"{plan.count} models, from {over.low:g} to {over.high:g}. "
            "Press the button, or the key P; points appear as they are ready."
        )
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not path_jobs.matches(job, plan):
        st.caption("The settings have changed; what you see is the path before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; the points that were ready stay.")
    else:
        st.caption("Points appear as they are ready.")


def show(plan: PathPlan, job: Job | None, log: bool, tolerance: float) -> None:
    """Draw the buttons and a path, and keep drawing as long as it grows."""
    moving = linked_job.moves(job)
    _buttons(plan, job, moving)
    if job is None:
        st.info(
            "Nothing is trained yet. The picture will show the measure and the number "
            f"of features at {plan.count} values of {symbol(plan)}.",
            icon=":material/show_chart:",
        )
        return
    begun = path_jobs.plan_of(job, plan)
    panel = partial(_panel, begun, job, log, tolerance, moving)
    linked_job.watch(job, moving, panel)


def _panel(plan: PathPlan, job: Job, log: bool, tolerance: float, moving: bool) -> None:
    path = path_jobs.of(job)
    ready = len(path.points)
    if moving:
        st.progress(
            ready / len(path.values), f"{ready} of {len(path.values)} models are ready"
        )
    if not ready:
        return
    found = path_choice.smallest(plan, path, tolerance)
    # A model is tested once it is chosen for good.
    change = None if moving else path_choice.tested(plan, job.id, path, found)
    path_choice.facts(plan, path, found, change)
    chosen = _chosen(plan, path, found.at, growing=moving)
    path_figures.facts(plan, path, chosen)
    path_figures.trade_off(plan, path, log, chosen, found)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        path_figures.coefficients(plan, path, log, chosen)
    with right:
        path_figures.ratios(plan, path, chosen)
    path_figures.certificate(plan, path, log, chosen)
    if not moving:
        path_model.show(plan, job.id, path, chosen)


def _chosen(plan: PathPlan, path: Path, smallest: int, growing: bool) -> int:
    """The point to look at: the smallest model, until another one is selected."""
    values = [point.value for point in path.points]
    found = [path_figures.written(value) for value in values]
    wanted = str(state.get("path_at"))
    at = found.index(wanted) if wanted in found else smallest
    if growing or len(values) == 1:
        return at
    key = "path_point"
    st.session_state[key] = values[at]
    st.select_slider(
        f"Selected {symbol(plan)}",
        values,
        key=key,
        format_func=lambda value: f"{value:.4g}",
        on_change=lambda: path_figures.look_at(
            path, values.index(st.session_state[key])
        ),
    )
    return at
