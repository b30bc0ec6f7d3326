"""The panel of a training run: play, pause, steps, restart, speed, pin.

While the run moves, only a fragment with facts and figures is drawn again. As soon as
something else would look different, as at the end of the run, so is the whole stage.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import registry, timer, widgets
from pages.ui.job_panel import ACTIVE, JobPanel
from pages.ui.lessons import bar
from pages.ui.shared import SPEED, SPEEDS
from rankcore.jobs import Job
from rankcore.views import CHANGES, Changes, Values, Watched, present, steered

ENDED = ("finished", "stopped", "failed")
STEPS = {1: "1", 10: "2", 100: "3"}
# Before a run has begun, a look now and then draws one that a press has begun while
# another request took the place of its draw.
POLL_SECONDS = {"running": 0.01, "queued": 0.5, "paused": 1.0, "not begun": 3.0}
MOST_PINNED = 5
LOST = (
    "The run in this link is no longer in memory: the server was restarted or made "
    "room. Its settings are here; press Play to train it again."
)
CHANGED = "Settings changed. The figures show the run before ({}); pin it to compare."
COMPILES = (
    "Preparing. The first run on a machine compiles the algorithm, which takes about "
    "ten seconds."
)
# A position after every record: what is shown follows the run.
FOLLOW = {"replay": 10**9}


class Look(NamedTuple):
    """What buttons and status line depend on, read once for all of them."""

    job: str
    state: str
    begun: bool
    note: str | None
    error: str | None
    changes: str


class TransportPanel(JobPanel):
    """The panel of one view's training runs."""

    def draw(self, stage: Callable[[Watched], None]) -> None:
        """Draw buttons and status line, and with ``stage`` the run."""
        job = self.job
        look = _look(job)
        if job is not None and self._is_current(job):
            look = look._replace(changes=self.settings.get(CHANGES, ""))
        with st.container(
            horizontal=True, vertical_alignment="bottom", key="transport"
        ):
            self._buttons(job, look)
        self._status(job, look)
        st.fragment(partial(self._moving, stage, look), key="run")()

    def _moving(self, stage: Callable[[Watched], None], drawn: Look) -> None:
        """The run itself; ``drawn`` is what the buttons above it show."""
        job = self.job
        look = _look(job)
        stage(self._watched(job, look.state))
        if look.state in POLL_SECONDS or look != drawn:
            seconds = POLL_SECONDS[look.state] if look == drawn else 0.0
            timer.after(seconds, "run_timer", partial(self._move_on, drawn))

    def _move_on(self, drawn: Look) -> None:
        """Draw the stage if it would look different, else its moving fragment only,
        which Streamlit does by itself after this callback."""
        if _look(self.job) != drawn:
            self.redraw()

    def _is_current(self, job: Job) -> bool:
        """Whether the settings are those of a job; while it is under way, but for the
        changes made to it, by another visitor perhaps."""
        return job.has(self.settings, but=() if job.ended else (CHANGES,))

    @property
    def _under_way(self) -> Job | None:
        """The job with these settings that has not ended."""
        job = self.job
        going = job is not None and not job.ended and self._is_current(job)
        return job if going else None

    def steered(self, made: Changes) -> Changes:
        """What changes with a control, which may act on the run under way."""
        job = self._under_way
        found = steered(self.values, made, None if job is None else job.run)
        if job is not None and CHANGES in found:
            job.settings[CHANGES] = found[CHANGES]
        return found

    def _watched(self, job: Job | None, state: str) -> Watched:
        others = [registry.find(job_id) for job_id in _ids(self.values.pin)]
        pinned = [
            Watched(other.id, other.title, other.state, other.settings, other.run)
            for other in others
            if other is not None
            and other is not job
            and registry.belongs(other, self.place)
        ]
        if job is None:
            return Watched("none", "", state, None, None, pinned)
        return Watched(job.id, job.title, state, job.settings, job.run, pinned)

    def _buttons(self, job: Job | None, look: Look) -> None:
        pauses = look.state in ACTIVE
        refused = self.refusal is not None
        st.button(
            "Pause" if pauses else "Play",
            key="pause" if pauses else "play",
            icon=":material/pause:" if pauses else ":material/play_arrow:",
            type="primary",
            shortcut="P",
            disabled=refused and not pauses,
            on_click=self._pause if pauses else self._play,
        )
        for count, shortcut in STEPS.items():
            st.button(
                f"+{count}",
                key=f"step_{count}",
                help=f"Train {count} more iteration{'s' if count > 1 else ''}.",
                shortcut=shortcut,
                disabled=refused,
                on_click=self._step,
                args=(count,),
            )
        st.button(
            "Restart",
            key="restart",
            help="Back to the starting point, with the settings as they are now.",
            shortcut="0",
            disabled=job is None,
            on_click=self._restart,
        )
        with st.container(width=190):
            widgets.draw(SPEED.silent(), self.values, self._at_speed)
        self._pin_button(job, look.begun)

    def _pin_button(self, job: Job | None, begun: bool) -> None:
        pinned = _ids(self.values.pin)
        unpins = job is not None and job.id in pinned
        kept = [*pinned, job.id][-MOST_PINNED:] if job is not None else pinned
        st.button(
            "Unpin" if unpins else "Pin run",
            key="unpin" if unpins else "pin_run",
            help="A pinned run stays as a faint line when the next one begins.",
            disabled=not (unpins or begun),
            on_click=self.change,
            args=({"pin": "" if unpins else ",".join(kept)},),
        )

    def _status(self, job: Job | None, look: Look) -> None:
        if self.refusal is not None:
            st.warning(self.refusal, icon=":material/block:")
            return
        caution = self.work.caution(self.values)
        if caution is not None:
            st.warning(caution, icon=":material/straighten:")
        if job is None and registry.lost(self.place):
            st.info(LOST, icon=":material/history:")
        elif look.error is not None:
            st.error(look.error, icon=":material/error:")
        elif job is not None and not self._is_current(job):
            self._offer(job, look)
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(self._said(job, look))
                if job is not None and look.state in ENDED:
                    name = type(job.run.algorithm).__name__
                    bar.offer(name, partial(self.change, {}))

    def _offer(self, job: Job, look: Look) -> None:
        """Ways on where settings have changed."""
        st.caption(CHANGED.format(look.state))
        with st.container(horizontal=True):
            if self.work.start(self.values, job.run) is not None:
                st.button(
                    "Start from here",
                    key="start_here",
                    help="A new run that begins with the present coefficients.",
                    on_click=self._start_here,
                    args=(job.run,),
                )
            st.button("Start a new run", key="start_new", on_click=self._play)

    def _said(self, job: Job | None, look: Look) -> str:
        """The status line."""
        if job is None:
            return "Press Play (P) to start. The defaults work."
        if look.state == "running" and not look.begun:
            return COMPILES
        if look.state in ENDED:
            return f"{look.state.capitalize()}. {job.run.reason or ''}"
        return look.note or f"{look.state.capitalize()}."

    def _play(self) -> None:
        job = self._ready()
        if job is not None:
            job.play()
        self.change(FOLLOW)

    def _start_here(self, run: Any) -> None:
        """Begin a run with the present coefficients and hyperparameters of one."""
        start = self.work.start(self.values, run)
        own = {**present(self.values), CHANGES: ""}
        settings = {**self.settings, **own}
        job = replace(self, values=self.values | own, settings=settings)._begin(start)
        if job is not None:
            job.play()
        self.change({**own, **FOLLOW})

    def _pause(self) -> None:
        job = self.job
        if job is not None:
            job.pause()
        self.redraw()

    def _step(self, count: int) -> None:
        job = self._ready()
        if job is not None:
            # The starting point is the first record of a job, not an iteration.
            job.step(count if len(job.history) else count + 1)
        self.change(FOLLOW)

    def _restart(self) -> None:
        """End the run and look at none; pinned runs stay."""
        self._end()
        registry.look_at(self.place, None)
        self.change(FOLLOW)

    def _at_speed(self, changes: Changes | Callable[[Values], Changes]) -> None:
        chosen = changes(self.values) if callable(changes) else changes
        job = self.job
        if job is not None and SPEED.key in chosen:
            job.speed = SPEEDS[chosen[SPEED.key]]
        self.change(chosen)

    def redraw(self) -> None:
        job = self._under_way
        self.change({} if job is None else {CHANGES: job.settings.get(CHANGES, "")})

    def _ready(self) -> Job | None:
        """The run under way, or a new one where settings have changed; None where none
        can begin, which is said."""
        return self._under_way or self._begin()

    def _begin(self, start: Any = None) -> Job | None:
        self._end()
        make = partial(self.work.run, self.values, start)
        job = registry.begin(make, self.place, self.settings)
        if job is not None:
            job.speed = SPEEDS[self.values.speed]
        return job

    def _end(self) -> None:
        job = self.job
        if job is not None and job.id not in _ids(self.values.pin):
            job.stop()


def _look(job: Job | None) -> Look:
    if job is None:
        return Look("", "not begun", False, None, None, "")
    # The state comes first: at the end, there is nothing new after it.
    state = job.state
    made = job.settings.get(CHANGES, "")
    return Look(job.id, state, len(job.history) > 0, job.note, job.error, made)


def _ids(text: str) -> list[str]:
    """The ids of pinned runs."""
    return list(dict.fromkeys(filter(None, text.split(","))))[:MOST_PINNED]
