"""A study on a page: its button, its progress, and a timer while it runs.

They are drawn in the same fragment as what the study has found, so that all of them
agree.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import registry, timer
from pages.ui.job_panel import ACTIVE, JobPanel
from rankcore.jobs import Job
from rankcore.studies import Study
from rankcore.views import Values

POLL_SECONDS = 0.4


class StudyPanel(JobPanel):
    """The panel of one view's studies."""

    def draw(self, stage: Callable[..., None]) -> None:
        """Draw button, status line, progress, and with ``stage`` what is found.

        It is called with the study, and ``begun=`` the settings to show it with in
        place of the present ones.
        """
        job = self.job
        active = job is not None and job.state in ACTIVE
        current = job is not None and job.settings == self.settings
        stops = active and current
        with st.container(horizontal=True, vertical_alignment="center", key="study"):
            st.button(
                "Stop" if stops else _text(self.work.button, self.values),
                key="study_stop" if stops else "study_start",
                icon=":material/stop:" if stops else ":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=self.refusal is not None and not stops,
                on_click=self._stop if stops else self._start,
            )
            self._status(job, current)
        if job is not None and active:
            if self.work.speed is not None:
                job.speed = self.work.speed(self.values)
            _progress(job.run)
        kept = job.settings if job is not None and self.work.keeps_settings else {}
        stage(None if job is None else job.run, begun=kept)
        if active:
            timer.after(POLL_SECONDS, "study_timer", self.redraw)

    def _status(self, job: Job | None, current: bool) -> None:
        if self.refusal is not None:
            st.warning(self.refusal, icon=":material/block:")
        elif job is None:
            st.caption(_text(self.work.promise, self.values))
        elif job.error is not None:
            st.error(job.error, icon=":material/error:")
        elif not current:
            st.caption("Settings changed. The results below are from the study before.")
        elif job.ended:
            st.caption(job.run.reason or "Stopped. The results so far are kept.")

    def _start(self) -> None:
        """Begin a study in place of the one before."""
        self._end()
        title = _text(self.work.button, self.values)
        make = partial(self.work.study, self.values)
        registry.begin(make, self.place, self.settings, title, play=True)
        self.redraw()

    def _stop(self) -> None:
        self._end()
        self.redraw()

    def _end(self) -> None:
        if self.job is not None:
            self.job.stop()


def _progress(study: Study) -> None:
    said = f"{study.done} of {study.total} {study.unit}"
    st.progress(study.share, f"{said}; {study.doing}" if study.doing else said)


def _text(text: str | Callable[[Values], str], values: Values) -> str:
    return text(values) if callable(text) else text
