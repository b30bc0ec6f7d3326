"""The buttons that steer training: play, pause, step, reset, speed."""

import streamlit as st

from pages.ui import jobs, state
from rankcore.jobs import Job

STEPS = {1: "1", 10: "2", 100: "3"}


def buttons(plan: jobs.Plan, job: Job | None, moving: bool) -> None:
    """One row of buttons, and a line that says what is going on.

    Parameters
    ----------
    plan : Plan
    job : Job or None
    moving : bool
        Whether the job is under way, as all else on the page shows it.
    """
    refused = plan.refusal is not None
    with st.container(horizontal=True, vertical_alignment="bottom", key="transport"):
        if job is not None and moving and jobs.matches(job, plan):
            st.button(
                "Pause",
                key="pause",
                icon=":material/pause:",
                type="primary",
                shortcut="P",
                on_click=job.pause,
            )
        else:
            st.button(
                "Play",
                key="play",
                icon=":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=refused,
                on_click=jobs.play,
                args=(plan,),
            )
        for count, shortcut in STEPS.items():
            st.button(
                f"+{count}",
                key=f"step_{count}",
                help=f"Train for {count} more pass{'es' if count > 1 else ''}.",
                shortcut=shortcut,
                disabled=refused,
                on_click=jobs.step,
                args=(plan, count),
            )
        st.button(
            "Restart",
            key="restart",
            help="Back to the starting point, with the settings as they are now.",
            shortcut="0",
            disabled=job is None,
            on_click=jobs.reset,
        )
        st.selectbox(
            "Speed",
            list(jobs.SPEEDS),
            list(jobs.SPEEDS).index(state.default("speed")),
            label_visibility="collapsed",
            width=190,
            on_change=jobs.set_speed,
            **state.widget("speed"),
        )
    _say(plan, job)


def _say(plan: jobs.Plan, job: Job | None) -> None:
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
        return
    caution = plan.caution
    if caution is not None:
        st.warning(caution, icon=":material/straighten:")
    if job is None:
        _say_before()
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not jobs.matches(job, plan):
        st.caption(
            "The settings have changed. Play starts a new run with them; "
            f"what you see is the run before ({job.state}). Pin it to compare."
        )
    elif job.state == "running" and not len(job.history):
        st.caption(
            "Preparing. The first run on a machine compiles the algorithm, which takes "
            "some ten seconds."
        )
    elif job.ended:
        st.caption(f"{job.state.capitalize()}. {job.run.reason or ''}")
    else:
        st.caption(job.note or f"{job.state.capitalize()}.")


def _say_before() -> None:
    if jobs.lost():
        st.info(
            "The run in this link is no longer in memory: the server has started again "
            "or made room. Its settings are here; press Play to train it again.",
            icon=":material/history:",
        )
    else:
        st.caption("Press Play, or the key P. Nothing needs to be set first.")
