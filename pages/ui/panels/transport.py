"""The panel of a training run: play, pause, steps, restart, speed, pin.

While the run moves, only a fragment with facts and figures is redrawn. Once anything
else would look different, as at the end of the run, the whole stage is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import fragments, registry, texts, widgets
from pages.ui.away import links
from pages.ui.catalogue import pages, setting
from pages.ui.lessons import bar
from pages.ui.panels.job_panel import AGAIN, LOST, JobPanel
from pages.ui.serving import news, visitor
from pages.ui.shared import AT, SPEED, SPEEDS
from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import rounded
from rankcore.base.symbols import plain
from rankcore.studies.jobs import ACTIVE, Job, Steering
from rankcore.training.changes import changeable
from rankcore.views import (
    CHANGES,
    Changes,
    Values,
    View,
    Watched,
    past,
    present,
    read,
    steered,
)
from rankcore.views.pins import (
    MOST_PINNED,
    Pin,
    pin_of,
    read_pins,
    with_new,
    without_pin,
    write_pins,
)

ENDED = ("finished", "stopped", "failed")
STEPS = {1: "1", 10: "2", 100: "3"}
POLL_SECONDS = {"running": 0.01, "queued": 0.5, "paused": 1.0}
FACTS_SECONDS = 1.0  # between two draws of everything but figures
FULL = (
    f"{MOST_PINNED} runs are pinned, the most there can be: when you pin another, the "
    "first in the list is unpinned."
)
GONE = "Pinned runs that are no longer in memory: {}. The link holds their settings."
LOST_PINS = (
    "Pinned runs that are missing here, and whose settings are not in the link: {}."
)
CHANGED = "Settings changed. Figures show the previous run ({}); pin it to compare."
WATCHED = (
    "Another visitor's run: only that visitor can pause, step, change or restart it. "
    "You can watch, pin and export it. Settings made here are for your own run."
)
COMPILES = "Preparing. The first run on a machine takes about ten seconds."
# Consecutive iterations with a problem before it is reported for a running run.
LASTING = 5
# The figures follow the run, as no iteration is selected.
FOLLOW = {AT.key: ""}
FORGOTTEN = "forgotten"
_WARNING = "that runs are not kept"


class TransportState(NamedTuple):
    """The state of buttons and status line, read once for all of them."""

    job: str
    state: str
    begun: bool
    note: str | None
    error: str | None
    changes: str
    problem: str | None


class TransportPanel(JobPanel):
    """The panel of one view's training runs."""

    def draw(self, stage: Callable[[Watched], None]) -> None:
        """Draw buttons and status line, the run with ``stage``, and below it a link to
        a lesson on its algorithm."""
        self._recall()
        job = self.job
        look = _look(job)
        if job is not None and self._is_current(job):
            look = look._replace(changes=self.settings.get(CHANGES, ""))
        row = st.container(
            horizontal=True, vertical_alignment="bottom", key="transport"
        )
        with row:
            self._buttons(job, look)
            if job is None and self.work.example:
                st.caption("Example", help=self.work.example, width="content")
        with st.container(gap="xsmall"):  # Figures keep their place below it.
            self._status(job, look, row)
        fragments.draw(partial(self._moving, stage, look), "run")
        show, values, pinned = self._view.show, self.values, self._pinned(job)
        self.move(job, lambda now: show(values, Watched.of(now, pinned=pinned)).blocks)
        if job is not None and look.state in ENDED and self._is_current(job):
            bar.offer(type(job.run.algorithm).__name__, partial(self.change, {}))

    def _recall(self) -> None:
        """Show the final state of a run from before the server's start, and of pinned
        runs."""
        shown = registry.looked_at(self.place)
        for key in dict.fromkeys([shown, *(p.id for p in read_pins(self.values.pin))]):
            stored = past.stored(key) if registry.find(key) is None else None
            if stored is None:
                continue
            try:
                like = self.work.run(self._values_of(past.settings(stored)), None)
                valid = like.valid if stored.valid_fingerprint else None
                run = past.recalled(stored, like.train, valid)
                registry.put_back(self.place, stored, run, looks=key == shown)
            except ValueError as error:
                # A pinned run is reported as no longer in memory.
                if key == shown:
                    gone = registry.Missing(
                        stored.id, self.place, self.settings, str(error)
                    )
                    registry.note_missing(gone)

    def _moving(self, stage: Callable[[Watched], None], before: TransportState) -> None:
        """Draw the run itself; ``before`` is the state of the buttons above it."""
        job = self.job
        look, path = _look(job), None
        # Before anything is drawn: what changes meanwhile is news.
        if job is not None and look.state in ACTIVE and look == before:
            begins = inf if look.begun else 1
            path = news.after(job, news.digest(job), FACTS_SECONDS, begins)
        stage(self._watched(job, look.state))
        states = [look.state, *(one.state for one in self._pinned(job))]
        polls = [POLL_SECONDS[one] for one in states if one in POLL_SECONDS]
        if polls or look != before:
            seconds = min(polls) if look == before else 0.0
            on = partial(self._move_on, before)
            fragments.draw_later(seconds, "run_timer", on, news_path=path)

    def _move_on(self, before: TransportState) -> None:
        """Draw the stage if it would look different; otherwise Streamlit redraws only
        its moving fragment after this callback."""
        if _look(self.job) != before:
            self.redraw()

    def _is_current(self, job: Job) -> bool:
        """Whether a job has these settings."""
        return registry.has(job, self.settings)

    @property
    def _followed(self) -> Job | None:
        """The running or paused job with these settings, of any visitor."""
        job = self.job
        going = job is not None and not job.ended and self._is_current(job)
        return job if going else None

    @property
    def _under_way(self) -> Steering | None:
        """The commands of that job, if it is this visitor's."""
        return registry.steering(self._followed)

    def steered(self, new: Changes) -> Changes:
        """Return a control's changes, which may affect the run under way."""
        steering = self._under_way
        if steering is None:
            return steered(self.values, new, None)
        changes = steered(self.values, new, steering.change)
        if changes.keys() == {CHANGES}:
            steering.note(changes)
        return changes

    def _watched(self, job: Job | None, state: str) -> Watched:
        pinned = self._pinned(job)
        if job is None:
            return Watched("none", "", state, None, None, pinned)
        return Watched.of(job, state, pinned)

    def _pinned(self, job: Job | None) -> list[Watched]:
        """Return the pinned runs except the one shown; for those not in memory, their
        settings."""
        runs = []
        for pin in read_pins(self.values.pin):
            other: Any = registry.find(pin.id)
            if other is None and pin.settings:
                settings = self._made_with(pin)[1]
                title = get_algorithm(settings["algorithm"]).title
                runs.append(Watched(pin.id, title, FORGOTTEN, settings, None))
            elif other not in (None, job) and registry.belongs(other, self.place):
                runs.append(Watched.of(other))
        return runs

    def _lost_pins(self) -> list[str]:
        """Return the ids of pinned runs that are unknown here."""
        return [
            pin.id
            for pin in read_pins(self.values.pin)
            if not pin.settings
            and (
                (job := registry.find(pin.id)) is None
                or not registry.belongs(job, self.place)
            )
        ]

    def _made_with(self, pin: Pin) -> tuple[Values, Changes]:
        """Return the values of a pinned run, and the settings to make it with."""
        raw = links.values(pin.settings)
        values = self._values_of(raw)
        return values, self._view.studied(values, raw)

    def _values_of(self, raw: Mapping[str, Any]) -> Values:
        return read(self._view.rows(raw), raw)

    @property
    def _view(self) -> View:
        page, name = self.place.split("/")[:2]
        return pages()[page].views[name]

    def _train_again(self) -> None:
        """Train the pinned runs that are not in memory."""
        pins = read_pins(self.values.pin)
        for at, pin in enumerate(pins):
            if pin.settings and registry.find(pin.id) is None:
                values, settings = self._made_with(pin)
                make = partial(self.work.run, values, None)
                job = registry.begin(make, self.place, settings, play=True, looks=False)
                pins[at] = pin._replace(id=pin.id if job is None else job.id)
        self.change({"pin": write_pins(pins)})

    def _buttons(self, job: Job | None, look: TransportState) -> None:
        if self.watches:
            self._own_button()
        else:
            self._transport_buttons(job, look)
        self._pin_button(job, look.begun)

    def _own_button(self) -> None:
        """Draw the button that replaces the commands of another visitor's run."""
        if self._followed is not None:
            st.button(
                "Train it as your own run",
                key="own",
                icon=":material/play_arrow:",
                type="primary",
                help="Start a new run with the same settings.",
                shortcut="P",
                disabled=self.refusal is not None,
                on_click=self._play,
            )

    def _transport_buttons(self, job: Job | None, look: TransportState) -> None:
        pauses = look.state in ACTIVE
        refused = self.refusal is not None
        plays = "Play" if self.missing is None else AGAIN
        st.button(
            "Pause" if pauses else plays,
            key="pause" if pauses else "play",
            icon=":material/pause:" if pauses else ":material/play_arrow:",
            type="primary",
            shortcut="P",
            disabled=refused and not pauses,
            on_click=self.pause if pauses else self._play,
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
            help="Return to the starting point, with the current settings.",
            shortcut="0",
            disabled=job is None,
            on_click=self._restart,
        )
        with st.container(width=190):
            widgets.draw(SPEED.silent(), self.values, self._at_speed)

    def _pin_button(self, job: Job | None, has_records: bool) -> None:
        text = self.values.pin
        shown = "" if job is None else job.id
        unpins = shown in [pin.id for pin in read_pins(text)]
        if unpins:
            text = without_pin(text, shown)
        elif job is not None:
            text = with_new(text, pin_of(shown, job.settings, setting))
        st.button(
            "Unpin" if unpins else "Pin run",
            key="unpin" if unpins else "pin_run",
            help="A pinned run stays in the figures when the next one starts.",
            disabled=not (unpins or has_records),
            on_click=self.change,
            args=({"pin": text},),
        )

    def _status(self, job: Job | None, look: TransportState, row: Any) -> None:
        """Draw the status line beside the buttons, and advice below them."""
        if self.watches:
            st.caption(WATCHED)
        if len(read_pins(self.values.pin)) == MOST_PINNED:
            st.caption(FULL)
        forgotten = sum(one.state == FORGOTTEN for one in self._pinned(job))
        if forgotten:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(GONE.format(forgotten))
                again = "Train pinned runs again"
                st.button(again, key="train_pins", on_click=self._train_again)
        if lost := self._lost_pins():
            st.caption(LOST_PINS.format(", ".join(map(texts.literal, lost))))
        if self.refusal is not None:
            st.warning(self.refusal, icon=":material/block:")
            return
        problem = past.problem() or (None if job is None else job.loss)
        if problem is not None and not st.session_state.get(_WARNING):
            st.session_state[_WARNING] = True
            st.toast(problem, icon=":material/save:", duration="long")
        caution = self.work.caution(self.values)
        if caution is not None:
            st.warning(caution, icon=":material/straighten:")
        if (missing := self.missing) is not None:
            st.info(missing.reason or LOST, icon=":material/history:")
        elif look.error is not None:
            st.error(look.error, icon=":material/error:")
        elif job is not None and not self._is_current(job):
            self._offer(job, look)
        else:
            if job is not None and look.problem is not None:
                self._banner(job, look.problem)
            if look.note is not None and look.state in ENDED:
                st.info(look.note, icon=":material/history:")
            if job is None and self.work.example:
                return
            (row if job is not None else st).caption(self._line(job, look))
            if job is not None and look.state in ENDED:
                self._ways_on(job, look.state)

    def _banner(self, job: Job, problem: str) -> None:
        """Draw the run's problem, with a button that applies the remedy."""
        run, record = job.run, job.history[-1]
        remedy = run.algorithm_after(record).remedy(record, run.train)
        with st.container(horizontal=True, vertical_alignment="center", key="problem"):
            st.warning(problem, icon=":material/trending_flat:")
            if remedy:
                rows = hyperparameters(run.algorithm)
                parts = [
                    f"{plain(row.symbol) or row.title.lower()} to {rounded(value)}"
                    for row, value in ((rows[n], v) for n, v in remedy.items())
                ]
                st.button(
                    f"Set {' and '.join(parts)}",
                    key="remedy",
                    help="It takes effect at the next iteration. A finished run "
                    "continues as a new run.",
                    on_click=self._mend,
                    args=(job, remedy),
                )

    def _mend(self, job: Job, remedy: Mapping[str, Any]) -> None:
        """Apply a remedy to the run under way; otherwise start a new run with it, from
        the present coefficients if the setting may change during a run."""
        changes = {f"{self.values.algorithm}.{name}": v for name, v in remedy.items()}
        steers = remedy.keys() <= changeable(job.run.algorithm).keys()
        if steers and self._under_way is not None:
            self.change(self.steered(changes))
        else:
            start = self.work.start(self.values, job.run) if steers else None
            self._begin_with(changes, start)

    def _ways_on(self, job: Job, state: str) -> None:
        """Draw the buttons of an ended run, if it is stored."""
        stored = past.stored(job.id) if state == "stopped" else None
        if stored is None:
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            if stored.changeable_by(visitor.owner()):
                st.button("Go on", key="go_on", on_click=self._go_on, args=(job,))
            st.button("Run again", key="run_again", on_click=self._play)

    def _go_on(self, job: Job) -> None:
        follow = self._follow()
        registry.go_on(self.place, job, SPEEDS[self.values.speed])
        self.change(follow)

    def _offer(self, job: Job, look: TransportState) -> None:
        """Draw the buttons for changed settings."""
        st.caption(CHANGED.format(look.state))
        with st.container(horizontal=True):
            if self.work.start(self.values, job.run) is not None:
                st.button(
                    "Continue with the new settings",
                    key="start_here",
                    help="Start a new run from the model shown.",
                    on_click=self._start_here,
                    args=(job.run,),
                )
            st.button("Start a new run", key="start_new", on_click=self._play)

    def _line(self, job: Job | None, look: TransportState) -> str:
        """Return the status line."""
        if job is None:
            return self.work.promise
        if look.state == "running" and not look.begun:
            return COMPILES
        if look.state in ENDED:
            reason = job.run.reason or ""
            return (
                f"{look.state.capitalize()}. {'' if reason == look.problem else reason}"
            )
        if look.note is not None:
            return look.note if self.watches else f"{look.note} Press Play to go on."
        return f"{look.state.capitalize()}."

    def _play(self) -> None:
        follow = self._follow()
        if (steering := self._ready()) is not None:
            steering.play()
        self.change(follow)

    def _follow(self) -> Changes:
        """Follow the run; a selected iteration that is still to come stays selected."""
        at, job = self.values[AT.key], self.job
        records = [] if job is None else job.history.records
        past = at.isdecimal() and bool(records) and int(at) <= records[-1].iteration
        return FOLLOW if past else {}

    def _start_here(self, run: Any) -> None:
        """Start a run with the model and hyperparameters of the run shown."""
        self._begin_with({}, self.work.start(self.values, run))

    def _begin_with(self, changes: Changes, start: Any) -> None:
        """Play a new run with the present hyperparameters and these changes."""
        options = {**present(self.values), CHANGES: "", **changes}
        settings = {**self.settings, **options}
        panel = replace(self, values=self.values | options, settings=settings)
        follow = self._follow()
        steering = panel._begin(start)
        if steering is not None:
            steering.play()
        self.change({**options, **follow})

    def _step(self, count: int) -> None:
        follow = self._follow()
        if (steering := self._ready()) is not None:
            # The starting point is the first record of a job, not an iteration.
            steering.step(count if len(steering.job.history) else count + 1)
        self.change(follow)

    def _restart(self) -> None:
        """End the run and show none; pinned runs stay."""
        self._end()
        registry.look_at(self.place, None)
        self.change(FOLLOW)

    def _at_speed(self, changes: Changes | Callable[[Values], Changes]) -> None:
        chosen = changes(self.values) if callable(changes) else changes
        if (steering := self.steering) is not None and SPEED.key in chosen:
            steering.limit(SPEEDS[chosen[SPEED.key]])
        self.change(chosen)

    def redraw(self) -> None:
        job = self._followed
        self.change({} if job is None else {CHANGES: job.settings.get(CHANGES, "")})

    def _ready(self) -> Steering | None:
        """Return the commands of this visitor's run with these settings, or of a new
        one; None, with a message, if no run can start."""
        return self._under_way or self._begin()

    def _begin(self, start: Any = None) -> Steering | None:
        self._end()
        make = partial(self.work.run, self.values, start)
        steering = registry.steering(registry.begin(make, self.place, self.settings))
        if steering is not None:
            steering.limit(SPEEDS[self.values.speed])
        return steering

    def _end(self) -> None:
        steering = self.steering
        pinned = [pin.id for pin in read_pins(self.values.pin)]
        if steering is not None and steering.job.id not in pinned:
            steering.stop()


def _look(job: Job | None) -> TransportState:
    if job is None:
        return TransportState("", "not begun", False, None, None, "", None)
    # The state is read first, as nothing new comes after its end.
    state = job.state
    plan = job.settings.get(CHANGES, "")
    has_any, problem = len(job.history) > 0, _problem(job, state)
    return TransportState(job.id, state, has_any, job.note, job.error, plan, problem)


def _problem(job: Job, state: str) -> str | None:
    """Return a run's problem; while it moves, only a lasting one."""
    latest = job.history.records[-(LASTING if state in ACTIVE else 1) :]
    problems = [job.run.algorithm.problem(record) for record in latest]
    return problems[-1] if problems and all(problems) else None
