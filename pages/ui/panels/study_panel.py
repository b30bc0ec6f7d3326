"""A study on a page: its button, its progress, and a timer while it runs.

They are in the same fragment as the study's results, so that all of them agree.
"""

import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import streamlit as st

from pages.ui import fragments, registry
from pages.ui.lessons import place
from pages.ui.panels.job_panel import AGAIN, LOST, JobPanel
from pages.ui.serving import news
from rankcore.studies import Study
from rankcore.studies.jobs import ACTIVE, Job, Steering
from rankcore.views.work import text_of

# Drawing takes at most this share of the time, so that other pages respond meanwhile.
PICTURE_SECONDS, SHARE = 0.4, 0.1
CHANGED = "Settings changed. The results below are from the previous study."
WATCHED = (
    "Another visitor's study: only that visitor can pause or stop it. You can watch "
    "and export it, or start your own."
)
START = "Start your own"
# At these numbers of findings a picture is drawn at once; between them, drawing does
# not delay models that train fast.
FIRST_FINDINGS, BETWEEN_SECONDS = (1, 4), 2.0


class StudyPanel(JobPanel):
    """The panel of one view's studies."""

    def draw(self, stage: Callable[..., None]) -> None:
        """Draw button, status line, progress and, with ``stage``, the results.

        ``stage`` is called with the study, and with ``overlay=`` settings that replace
        the present ones.
        """
        job, values = self.job, self.values
        # Taken before anything is drawn, so that later changes count as news.
        shown = "" if job is None else news.digest(job)
        active = job is not None and job.state in ACTIVE
        current = job is not None and job.settings == self.settings
        steers = self.work.steps is not None
        goes_on = job is not None and not job.ended and (active or steers)
        with st.container(horizontal=True, vertical_alignment="center", key="study"):
            if self.watches:
                self._start_button(START if current else "")
            elif steers:
                self._play_buttons(active, current, goes_on)
            elif active and current:
                self._button("stop", "Stop", self._stop, "P", "stop", type="primary")
            else:
                self._start_button()
            self._status(job, current)
        if self.watches:
            st.caption(WATCHED)
        # Without its own place, everything below it would be redrawn with it.
        with st.container():
            if job is not None and goes_on:
                _progress(job.run)
        failed = job is not None and job.error is not None and place.presses()
        counting = None if failed or self._counts_as_none(job, current) else job
        keeps = counting is not None and self.work.keeps_settings
        settings = counting.settings if counting is not None and keeps else {}
        began = time.perf_counter()
        done = 0 if job is None else job.run.done
        stage(None if counting is None else counting.run, overlay=settings)
        if (moving := self.work.frames) is not None:
            self.move(job if current else None, lambda now: moving(values, now.run))
        if job is not None and goes_on:
            seconds = max(PICTURE_SECONDS, (time.perf_counter() - began) / SHARE)
            findings = next((count for count in FIRST_FINDINGS if count > done), inf)
            if done > 0 and findings < inf:
                seconds = BETWEEN_SECONDS
            path = news.after(job, shown, seconds, findings)
            fragments.draw_later(seconds, "study_timer", self.redraw, news_path=path)

    def _play_buttons(self, active: bool, current: bool, goes_on: bool) -> None:
        """Draw the buttons of a study; Pause is shown while it moves."""
        if active:
            self._button("pause", "Pause", self.pause, "P", "pause", type="primary")
        elif goes_on and current:
            self._button("play", "Play", self._play, "P", "play_arrow", type="primary")
        else:
            self._start_button()
        self._button(
            "step",
            "+1",
            self._step,
            "1",
            help="Train each model for one more iteration.",
            disabled=self.refusal is not None and not (goes_on and current),
        )
        if goes_on:
            self._button("stop", "Stop", self._stop)
        if active and not current:
            self._start_button(first=False)

    def _start_button(self, text: str = "", first: bool = True) -> None:
        again = AGAIN if self.missing is not None else ""
        self._button(
            "start",
            text or again or text_of(self.work.button, self.values),
            self._start,
            "P" if first else "",
            "play_arrow",
            type="primary" if first else "secondary",
            disabled=self.refusal is not None,
        )

    def _button(
        self,
        name: str,
        text: str,
        pressed: Callable[[], None],
        shortcut: str = "",
        icon: str = "",
        **details: Any,
    ) -> None:
        st.button(
            text,
            key=f"study_{name}",
            icon=f":material/{icon}:" if icon else None,
            shortcut=shortcut or None,
            on_click=pressed,
            **details,
        )

    def _status(self, job: Job | None, current: bool) -> None:
        if self.refusal is not None:
            st.warning(self.refusal, icon=":material/block:")
        elif job is None or self._counts_as_none(job, current):
            if (missing := self.missing) is not None:
                st.info(missing.reason or LOST, icon=":material/history:")
            # This describes the study to run, not the example shown.
            st.caption(text_of(self.work.promise, self.values))
        elif job.error is not None:
            st.error(job.error, icon=":material/error:")
        elif not current:
            st.caption(CHANGED)
        elif job.ended:
            st.caption(job.run.reason or "Stopped. The results so far are kept.")

    def _counts_as_none(self, job: Job | None, current: bool) -> bool:
        return job is None or (self.work.only_current and not current)

    def _start(self) -> None:
        self._begin(play=True)
        self.redraw()

    def _begin(self, play: bool) -> Steering | None:
        """Start a study that replaces the previous one."""
        self._end()
        title = text_of(self.work.button, self.values)
        make = partial(self.work.study, self.values)
        job = registry.begin(make, self.place, self.settings, title, play=play)
        return registry.steering(job)

    def _play(self) -> None:
        if (steering := self.steering) is not None:
            steering.play()
        self.redraw()

    def _step(self) -> None:
        """Advance by one iteration; start a new study first."""
        job, steering = self.job, self.steering
        going = job is not None and not job.ended and job.settings == self.settings
        if steering is not None and going:
            steering.step(self.work.steps(self.values, steering.job.run))
        elif (steering := self._begin(play=False)) is not None:
            steering.step(2 * self.work.steps(self.values, None))
        self.redraw()

    def _stop(self) -> None:
        self._end()
        self.redraw()

    def _end(self) -> None:
        if (steering := self.steering) is not None:
            steering.stop()


def _progress(study: Study) -> None:
    progress = f"{study.done} of {study.total} {study.unit}"
    st.progress(study.share, f"{progress}; {study.doing}" if study.doing else progress)
