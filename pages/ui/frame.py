"""The frame of a page with views: head, presets, controls, figures, export.

A page consists of five fragments: ``lesson`` (the bar of an open lesson), ``top``
(presets and the names of the views), ``controls``, ``stage`` (facts, figures,
explanation) and ``export``; a page may have ``above``, before the presets. Every
control and figure reports to `_Frame.change`, which redraws the stage and those other
fragments that would look different.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    examples,
    fragments,
    link,
    preview,
    registry,
    session,
    stage,
    streamlit_compat,
    texts,
    widgets,
)
from pages.ui.away import copies, downloads, links, reports
from pages.ui.catalogue import place_of, setting, stem
from pages.ui.components import component
from pages.ui.lessons import bar, place
from pages.ui.panels.study_panel import StudyPanel
from pages.ui.panels.transport import ENDED, TransportPanel
from pages.ui.serving import early_style, frames, log, warmup
from rankcore.base.errors import DataError
from rankcore.base.numbers import SHOWN
from rankcore.compute.processes import give_way
from rankcore.studies.jobs import ACTIVE, drawing
from rankcore.views import (
    Changes,
    Number,
    Page,
    Setting,
    Shown,
    Training,
    Values,
    Watched,
    Work,
    read,
)
from rankcore.views.blocks import NOTHING
from rankcore.views.preview import Now, PagePreview, asked_for
from rankcore.views.settings import RefusedValue
from rankcore.views.stored import preset_words

PLAY_SECONDS = 0.35
REFUSED = "The link has values that cannot be shown, so there are no figures:"
GONE = "It is no longer in memory."
LEFT_OUT = "Show the page with its other settings; those named here get their defaults."
ABOVE, STAGE, CONTROLS = "above", "stage", "controls"
PANELS: Mapping[type, Any] = {Work: StudyPanel, Training: TransportPanel}

# Keys of the session for what has been drawn.
_SHOWN = "what the stage shows"
_CONTROLS = "what the controls look like"
_TOP = "what the top looks like"
_LESSON = "what the lesson's bar looks like"
_PLAYING = "the view that plays"
_EXPORT = "downloads"

# Called with the values of the settings, and with a callback's function to change them.
Extra = Callable[[Values, widgets.Change], None]


def show(
    page: Page,
    controls: Extra | None = None,
    below: Extra | None = None,
    above: Extra | None = None,
) -> None:
    """Draw a page; the only call of its script.

    Further functions, ``draw(values, change)``, draw what settings and views cannot
    express: below the controls, below the figures, and between the head and the
    presets.
    """
    streamlit_compat.enter_through_app()
    with drawing(), warmup.indicator():
        if not place.turning():
            link.begin(page)
            place.begin(page)
        with st.sidebar:
            warmup.note()
        if not early_style.sent():
            st.html(early_style.style())
        _Frame(page, controls, below, above).draw()


def now(page: Page) -> Now:
    """Return the selected view, with the values of its settings."""
    # Otherwise the shown page would keep all earlier pages alive.
    raw = {key: value for key, value in session.raw().items() if key != _SHOWN}
    rows = page.rows(raw)
    return Now(page.view(raw), rows, _values(rows, raw), raw)


def _values(rows: list[Setting], raw: Mapping[str, Any]) -> Values:
    return read(rows, raw, st.context.theme.type or "light", registry.work)


class _Stage(NamedTuple):
    """The content of the stage, its sources, and the figures after a change."""

    now: Now
    study: tuple[Any, ...]
    shown: Shown
    after: Callable[[Mapping[str, Any]], Any] | None


class _Frame:
    def __init__(
        self,
        page: Page,
        controls: Extra | None,
        below: Extra | None,
        above: Extra | None,
    ) -> None:
        self.page = page
        self.extra_controls = controls
        self.below = below
        self.above = above
        self._whole: tuple[int, Now] | None = None

    def draw(self) -> None:
        """Draw the whole page; afterwards each fragment can be redrawn alone."""
        self._whole = session.version(), now(self.page)
        try:
            with st.container(gap="xsmall", key=f"page_{self.page.name}"):
                self._draw_whole(self._whole[1].rows)
        finally:
            self._whole = None

    def _now(self) -> Now:
        """Return the current page; while the whole page is drawn, the page as it was at
        the start, unless a setting has changed."""
        if self._whole is None or self._whole[0] != session.version():
            return now(self.page)
        return self._whole[1]

    def _draw_whole(self, rows: list[Setting]) -> None:
        bare = self.extra_controls is None and all(row.inline for row in rows)
        _keys(key="keys", data={"bare": bare}, height=1)
        fragments.hurry(frames.next_path(session.viewer()))
        # This is mostly empty, and an element would leave a gap.
        self._fragment(self._lesson, place.FRAGMENT, waits=False)
        actions = _head(self.page.title, self.page.question, self.page.exports)
        if self.above is not None:
            self._fragment(self._above, ABOVE)
        with st.container(key="top"):
            self._fragment(self._top, "top")
        controls, figures = (st.container(), st.container()) if bare else _split()
        with controls:
            self._fragment(self._controls, CONTROLS)
        # The stage comes last, as it may have to wait for kernels.
        with figures:
            self._fragment(self._stage, STAGE)
        if self.page.exports:
            with actions:
                self._fragment(self._actions, "export")

    def _fragment(self, body: Callable[[], None], key: str, waits: bool = True) -> None:
        """Draw a fragment of the page, which can then be redrawn alone."""

        def part() -> None:
            link.stay(self.page)
            body()

        fragments.draw(part, key, waits)

    def change(self, changes: Changes, key: str = "") -> None:
        """Change settings and draw what depends on them, in a callback of a control in
        fragment ``key``."""
        if changes:
            give_way()
        session.put(changes)
        self.redraw(key)

    def _changing(
        self, scene: Now, effects: Callable[[Changes], Changes] = dict, key: str = ""
    ) -> widgets.Change:
        """Return the function that changes settings in callbacks of controls drawn now,
        all in fragment ``key`` if that is named.

        A browser may still report a control of a view that is no longer shown, so
        changes start from the present values of that view's settings.
        """

        def change(changes: Changes | Callable[[Values], Changes]) -> None:
            if callable(changes):
                changes = changes(_values(scene.rows, session.raw()))
            self.change(effects(changes), key)

        return change

    def _steered(self, changes: Changes) -> Changes:
        """Add a hyperparameter's effect on the run under way."""
        here = now(self.page)
        steers = isinstance(here.view.work, Training)
        return self._panel(here).steered(changes) if steers else changes

    def redraw(self, key: str = "") -> None:
        """Redraw the stage and whatever else would look different, in a callback of a
        control in fragment ``key``."""
        here, names = now(self.page), [STAGE]
        if self._outline(here) != st.session_state.get(_CONTROLS):
            names.append(CONTROLS)
        if self._marked(here) != st.session_state.get(_TOP):
            names.append("top")
        if place.turning() or self._lesson_look(here) != st.session_state.get(_LESSON):
            names[:0] = [place.FRAGMENT, *([] if self.above is None else [ABOVE])]
        if st.session_state.get(_EXPORT):
            names.append("export")
        fragments.draw_again(names, key)

    def _above(self) -> None:
        if self.above is not None:
            here = self._now()
            self.above(here.values, self._changing(here))

    def _lesson(self) -> None:
        here = self._now()
        bar.draw(self.page, here.opens_with, self.redraw)
        st.session_state[_LESSON] = self._lesson_look(here)

    def _lesson_look(self, now: Now) -> tuple[object, ...]:
        return place.look(now.opens_with)

    def _stage(self) -> None:
        here = self._now()
        name = here.view.name
        with log.drawing(self.page.name, name), st.container(gap="xsmall"):
            self._stage_now(here)

    def _stage_now(self, now: Now) -> None:
        view, values = now.view, now.values
        before = st.session_state.get(_SHOWN)
        check = partial(links.unfit, now.rows, values=values)
        try:
            if refused := session.refusals(check) or self._refused_by_example(now):
                self._refuse(now, refused)
                return
            panel = self._panel(now)
            if panel is not None:
                panel.draw(partial(self._draw, now))
            elif (refusal := view.refusal(values)) is not None:
                st.info(refusal, icon=":material/info:")
            else:
                if _in_sight(view.plays):
                    self._play(now)
                self._draw(now)
        except DataError as error:
            st.warning(texts.literal(str(error)), icon=":material/database_off:")
        if st.session_state.get(_SHOWN) is before:
            st.session_state.pop(_SHOWN, None)
        if not place.presenting():
            stage.explanation(view.explained(values))
            if self.below is not None:
                self.below(values, self._changing(now))
        self._write(now, session.refusals(lambda chosen: {}))

    def _refused_by_example(self, now: Now) -> Mapping[str, RefusedValue]:
        """Return the values of the link that the view's opening example refuses; there
        is no message about an example that is not shown."""
        view, values = now.view, now.values
        where = place_of(self.page, view, values)
        studied = view.work_for(values) is None or view.no_study(values) is not None
        if studied or not session.has_unseen() or self._job(now) is not None:
            return NOTHING
        # Pinned runs are shown in place of an example.
        if values.get("pin") or registry.missing(where, now.studied) is not None:
            return NOTHING
        example = examples.example(self.page, view, values)
        return _refused_in_sight(example.show(values), values) if example else NOTHING

    def _refuse(self, now: Now, refused: Mapping[str, RefusedValue]) -> None:
        """Name the link's refused values, in place of figures, which would be of other
        values."""
        job, lines = self._job(now), [REFUSED, *map(_refusal, refused.values())]
        if job is not None and registry.gone(job):
            lines.append(_refusal(RefusedValue(links.JOB, job, GONE)))
        st.warning("\n".join(lines), icon=":material/link_off:")
        st.button(
            "Leave them out", key="leave_out", help=LEFT_OUT, on_click=self._accept
        )
        self._write(now, refused)

    def _accept(self) -> None:
        session.accept()
        self.redraw()

    def _write(self, now: Now, refused: Mapping[str, RefusedValue] = NOTHING) -> None:
        """Write the link of the current page."""
        view, rows, values, _ = now
        where = place_of(self.page, view, values)
        link.write(self.page, rows, values, where, self._job(now), refused)

    def _job(self, now: Now) -> str | None:
        """Return the id of the job that the link names, or None."""
        if now.view.work_for(now.values) is None:
            return None
        where = place_of(self.page, now.view, now.values)
        return registry.linked(where, now.studied)

    def _panel(self, now: Now) -> Any:
        """Return the panel of the view's work, or None."""
        view, values = now.view, now.values
        work = view.work_for(values)
        if work is None:
            return None
        where, settings = place_of(self.page, view, values), now.studied
        missing = registry.missing(where, settings) is not None
        return PANELS[type(work)](
            work if missing else examples.announced(self.page, view, work, values),
            where,
            values,
            settings,
            view.no_study(values),
            self._changing(now),
        )

    def _draw(self, now: Now, *study: Any, overlay: Changes = NOTHING) -> None:
        view, values = now.view, now.values
        waiting = _waiting(view.work_for(values), study)
        where, example = place_of(self.page, view, values), None
        if waiting and registry.missing(where, now.studied) is not None:
            # All other figures would show another run.
            return
        if waiting and view.no_study(values) is None:
            example = examples.example(self.page, view, values)

        def show(values: Values) -> Shown:
            if example is not None:
                return example.show(values)
            return view.show(values | overlay, *study)

        shown = show(values)
        study = study if example is None else (example.study,)
        complete = study in ((), (None,)) or _ended(study[0])
        if complete and (refused := _refused_in_sight(shown, values | overlay)):
            self._refuse(now, refused)
            return
        lasting = Values(values | overlay, values.theme, registry.works())
        latest, after = now._replace(values=lasting), None
        if complete or (isinstance(study[0], Watched) and study[0].state not in ACTIVE):
            change = PagePreview(self.page, latest, shown, show)
            after = partial(preview.figures, change, place.presenting())
            frames.offer(session.viewer(), after)
        st.session_state[_SHOWN] = _Stage(latest, study, shown, after)
        part = place.in_sight(shown, self.page.name, now.opens_with)
        stage.draw(part, values, self._changing(now, key=fragments.current()))

    def _stage_content(self) -> downloads.StageContent:
        """Return the current content of the stage, with everything its report needs."""
        there: _Stage | None = st.session_state.get(_SHOWN)
        if there is None or not st.session_state.get(_EXPORT):
            return downloads.StageContent()
        (view, rows, values, _), study, shown, _ = there
        job = registry.looked_at(place_of(self.page, view, values)) or ""
        job_id = job if study not in ((), (None,)) else ""
        opened = links.OpenLink(self.page, values, {links.JOB: job_id})
        return downloads.StageContent(
            shown,
            stem(self.page, view),
            copies.ways(
                self.page, rows, values, shown, link.server(self.page), opened.job
            ),
            partial(reports.of_stage, opened, values, study),
        )

    def _controls(self) -> None:
        here = self._now()
        rows, change = self._controlled(here), self._changing(here, self._steered)
        if place.presenting():
            for row in rows:
                widgets.draw(row, here.values, change)
        else:
            widgets.column(rows, here.values, change, self.page.opening)
            if self.extra_controls is not None:
                self.extra_controls(here.values, self._changing(here))
        st.session_state[_CONTROLS] = self._outline(here)

    def _controlled(self, now: Now) -> list[Setting]:
        """Return the settings whose controls stand beside the figures."""
        rows = [row for row in now.rows if row.key != self.page.key]
        if not place.presenting():
            return rows
        visible = [row for row in rows if not row.inline and row.matters(now.values)]
        return [row for row in visible if _in_sight(row.key)]

    def _outline(self, now: Now) -> tuple[Any, ...]:
        """Return the appearance of the controls."""
        return place.presenting(), widgets.outline(self._controlled(now), now.values)

    def _top(self) -> None:
        here = self._now()
        marked = self._marked(here)
        st.session_state[_TOP] = marked
        with st.container(horizontal=True, vertical_alignment="center"):
            if self.page.choice is not None:
                widgets.draw(self.page.choice, here.values, self._changing(here))
            if marked[2]:
                self._examples(here, marked[0])
            if self.page.choice is not None:
                st.caption(here.view.question, width="content")

    def _examples(self, now: Now, chosen: str | None) -> None:
        """Draw the presets, each with the settings that it changes."""
        label = "Examples" if chosen is None else f"Example: {chosen}"
        presets = self.page.scenarios(now.raw)
        control = session.control("preset", chosen)
        with st.popover(label, key="examples"):
            st.radio(
                "Examples",
                list(presets),
                None if chosen is None else list(presets).index(chosen),
                captions=[preset_words(self.page, one) for one in presets.values()],
                label_visibility="collapsed",
                key=control,
                on_change=self._choose,
                args=(control,),
            )

    def _marked(self, now: Now) -> tuple[str | None, str, tuple[str, ...]]:
        """Return the preset that matches the present settings, the view, and every
        preset."""
        scenarios = self.page.scenarios(now.raw)
        on = (title for title, changes in scenarios.items() if _matches(now, changes))
        return next(on, None), now.view.name, tuple(scenarios)

    def _choose(self, control: str) -> None:
        title = session.reported("preset", control)
        self.change(self.page.scenarios(session.raw()).get(title, {}))

    def _play(self, now: Now) -> None:
        """Draw the button that moves a setting on by itself, and the next move."""
        row = next((row for row in now.rows if row.key == now.view.plays), None)
        if not isinstance(row, Number):
            return
        end = now.view.plays_to
        last = row.range(now.values)[1] if end is None else end(now.values)
        at, where = now.values[row.key], place_of(self.page, now.view, now.values)
        change = self._changing(now, key=fragments.current())
        playing = st.session_state.get(_PLAYING) == where
        if playing and (last is None or at >= last):
            st.session_state[_PLAYING] = None
            playing = False
        st.button(
            "Pause" if playing else "Play",
            key="pause" if playing else "play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            shortcut="P",
            on_click=_turn,
            args=(change, None, {}) if playing else (change, where, {row.key: row.low}),
        )
        if playing:
            fragments.draw_later(
                PLAY_SECONDS, "play_timer", partial(change, {row.key: at + 1})
            )

    def _actions(self) -> None:
        with st.container(horizontal=True, width="content"):
            downloads.shown(self._stage_content(), _EXPORT)
            st.button(
                "Reset",
                key="reset",
                help="Reset every setting to its value when the page opens.",
                on_click=self._reset,
            )

    def _reset(self) -> None:
        session.reset()
        session.open_with(self.page.opening)
        self.redraw()


def _refusal(refused: RefusedValue) -> str:
    """Return a line of Markdown about a link's value that its setting refuses."""
    value = " ".join(refused.text.split())
    short = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    reason = (
        refused.reason if refused.reason.endswith((".", "?")) else f"{refused.reason}."
    )
    return f"- **{texts.literal(f'{refused.key} = {short}')}**: {texts.literal(reason)}"


def _turn(change: widgets.Change, playing: str | None, changes: Changes) -> None:
    st.session_state[_PLAYING] = playing
    change(changes)


def _ended(study: Any) -> bool:
    """Whether a study, or the shown state of a run, has ended."""
    if isinstance(study, Watched):
        return study.state in ENDED
    return bool(study.ended)


def _refused_in_sight(shown: Shown, values: Values) -> Mapping[str, RefusedValue]:
    """Return the link's values refused by figures, and by settings shown with them."""
    if shown.refused is not None:
        return session.refuse({shown.refused.key: shown.refused})
    # Other links need no blocks, some of which take seconds to compute.
    rows = asked_for(shown) if session.has_unseen() else []
    check = partial(links.unfit, rows, values=values)
    return session.refused_in_sight(check) if rows else NOTHING


def _waiting(work: Any, study: tuple[Any, ...]) -> bool:
    """Whether a view waits for the start of its work."""
    if isinstance(work, Training):
        (watched,) = study
        return watched.run is None and not watched.pinned
    needed = isinstance(work, Work) and not work.optional
    return study == (None,) and needed


def _in_sight(key: str) -> bool:
    """Whether the control of a setting is drawn: while a lesson is presented, only
    those that its step uses are."""
    step = place.current_step() if place.presenting() else None
    return step is None or key in step.in_sight.controls


def _matches(now: Now, changes: Mapping[str, Any]) -> bool:
    """Whether settings, also those of other views, have these values."""
    chosen = {**now.raw, **now.values}
    rows = {key: setting(key) for key in changes}
    defaults = {key: row.default for key, row in rows.items() if row is not None}
    return all(chosen.get(k, defaults.get(k)) == v for k, v in changes.items())


def _head(title: str, question: str, menu: bool) -> DeltaGenerator:
    """Draw title and question; returns the place beside them for buttons, which are in
    a menu on a narrow screen if there are several."""
    head = st.container(key="head")
    left, buttons = head.columns([5, 3], vertical_alignment="center")
    with left.container(horizontal=True, vertical_alignment="bottom"):
        st.title(title, anchor=False, width="content")
        st.caption(question, width="content")
    with buttons.container(
        key="actions", horizontal=True, horizontal_alignment="right"
    ):
        if menu:
            _menu(key="menu", width="content", height="content")
        actions = st.container(horizontal=True, width="content")
        _copy_link(key="copy_link", width="content", height="content")
    return actions


def _split() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return places for the controls and, to their right, for the figures.

    On a narrow screen the controls fold into an expander above the figures.
    """
    left, right = st.columns([3, 9], gap="medium")
    controls = left.container(key="controls").expander("Settings", expanded=True)
    with left:
        _fold(key="fold")
    return controls, right


_keys = component("keys")
_fold = component("fold")
_menu = component("menu", style="button")
_copy_link = component("copy_link", style="button")
