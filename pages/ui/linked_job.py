"""The one job of a kind that a visitor looks at; its id travels in the link."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.ui import frame, jobs, rerun, state
from rankcore.jobs import Job, Study

MOVING = ("running", "queued")
POLL_SECONDS = 0.4


def current(key: str, kind: type) -> Job | None:
    """The job in the link, else the one this visitor looked at last.

    Parameters
    ----------
    key : str
        The name that its id has in the link and in the session.
    kind : type
        Of its study's subject; another kind's id in the link is ignored.
    """
    job = jobs.find(st.query_params.get(key) or st.session_state.get(key))
    if job is None or not isinstance(job.run, Study):
        return None
    if not isinstance(job.run.subject, kind):
        return None
    if st.session_state.get(key) != job.id:
        known = st.query_params
        state.apply({k: v for k, v in job.settings.items() if k not in known})
    _look_at(key, job)
    return job


def begin(key: str, kind: type, submit: Callable[[], Job]) -> Job | None:
    """Begin a job in place of the one before; say so where none can begin."""
    stop(key, kind)
    try:
        job = submit()
    except ValueError as error:
        st.toast(str(error), icon=":material/block:", duration="long")
        return None
    _look_at(key, job)
    return job


def stop(key: str, kind: type) -> None:
    """End the job under way; what is ready stays."""
    job = current(key, kind)
    if job is not None:
        job.stop()


def matches(job: Job, settings: Mapping[str, Any]) -> bool:
    """Whether a job was started with these settings."""
    return job.settings == dict(settings)


def moves(job: Job | None) -> bool:
    """Whether a job is under way. Asked once, before its buttons are drawn: they and
    all that `watch` draws must agree."""
    return job is not None and job.state in MOVING


def watch(job: Job, moving: bool, draw: Callable[[], None]) -> None:
    """Draw a part of the page, again and again while a job moves.

    As soon as it comes to rest, the whole page is drawn.

    Parameters
    ----------
    job : Job
    moving : bool
        As the page has been drawn so far, see `moves`.
    draw : callable
    """

    def part() -> None:
        jobs.find(job.id)
        if moves(job) != moving:
            rerun.whole_page()
        draw()

    frame.part(part, POLL_SECONDS if moving else None)


def _look_at(key: str, job: Job) -> None:
    st.session_state[key] = job.id
    if st.query_params.get(key) != job.id:
        st.query_params[key] = job.id
