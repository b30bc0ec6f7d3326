"""A visitor's place in a lesson, and the navigation between its steps.

The place travels in the link (``?lesson=…&step=…&present=1``), so a refresh, another
page or a second browser finds it again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from pages.ui import examples, registry, session
from pages.ui.away.links import JOB
from pages.ui.catalogue import pages, place_of
from pages.ui.lessons import store
from pages.ui.serving import visitor
from pages.ui.shared import DATA, NORMALISE, PLACE
from rankcore.views import Changes, Page, Shown, Training, Values, past, read
from rankcore.views.lessons import Lesson, LessonStep
from rankcore.views.steps import untold
from rankcore.views.work import text_of

FRAGMENT = "lesson"
# Time limit of a step's study that starts by itself.
PRESS_SECONDS = 8

_TURNS = "a step has just been asked for"
_ANSWER = "the answer that is shown"
_GUESSES = "what was guessed"
_OPENED = "the session has begun"
_BEFORE = "the data chosen before the lesson"

# Draws the page again, in a callback.
Redraw = Callable[[], None]


def begin(page: Page) -> None:
    """Set up the step in the session's first link, if the link has no settings."""
    if _OPENED in st.session_state:
        return
    st.session_state[_OPENED] = True
    step, keys = current_step(), set(st.query_params)
    if step is None:
        return
    past.keep_progress(visitor.current(), *_here())
    if step.page == page.name and not keys & set(step.settings):
        session.put(step.settings)
        if JOB not in keys:
            _look(step)


def place() -> Values:
    """Return the lesson, the step's number, and whether the lesson is presented."""
    return session.values(PLACE)


def number(lesson: Lesson) -> int:
    """Return the number of the step; the closing slide has the next after the last."""
    end = len(lesson.steps) + int(presenting())
    return min(place().step, end)


def presenting() -> bool:
    """Whether a lesson is presented on slides."""
    chosen = place()
    return bool(chosen.lesson) and chosen.present == 1


def current_step() -> LessonStep | None:
    """Return the visitor's step, if any; at the closing slide the last one."""
    lesson = store.find(place().lesson)
    if lesson is None:
        return None
    return lesson.steps[min(number(lesson), len(lesson.steps)) - 1]


def presses() -> bool:
    """Whether the study of the present step starts by itself."""
    step = current_step()
    return step is not None and step.press


def in_sight(shown: Shown, page: str, at: Callable[[Changes], bool]) -> Shown:
    """Return the parts of a view to show: those that the step names, alone on a slide,
    first elsewhere; before a guess, none that reveals the answer. The step's arrow is
    drawn if ``at``: these settings would open the page as it is."""
    step = current_step()
    if step is None:
        return shown
    part = step.in_sight.of(shown) if presenting() else shown
    if step.page != page:
        return part
    part = part if presenting() else step.in_sight.first(part)
    if step.guess is not None and not answers():
        return untold(part)
    pointing = step.point is not None and at(wanted(step))
    return step.point.on(part) if step.point and pointing else part


def turning() -> bool:
    """Whether a step has just been requested."""
    return _TURNS in st.session_state


def turn() -> bool:
    """Return whether a step has just been requested, and clear the request."""
    return bool(st.session_state.pop(_TURNS, False))


def look(matches: Callable[[Mapping[str, Any]], bool]) -> tuple[object, ...]:
    """Return the state that the bar or slide shows, to know when to redraw it;
    ``matches`` says whether settings have these values now."""
    step = current_step()
    here = (*place().values(), answers(), guessed())
    return here if step is None else (*here, matches(wanted(step)))


def wanted(step: LessonStep) -> Mapping[str, Any]:
    """Return the settings of a step, with those of its answer once it is shown."""
    return {**step.settings, **(step.then if answers() else {})}


def open_step(name: str, number: int, present: bool, redraw: Redraw) -> None:
    """Go to a step, in a callback: its page and settings, others by default.

    The bar, which is drawn first, opens the page of the step.
    """
    lesson = store.find(name)
    st.session_state.pop(_ANSWER, None)
    if not place().lesson:
        chosen, keys = session.raw(), (DATA.key, NORMALISE.key)
        st.session_state[_BEFORE] = {key: chosen[key] for key in keys if key in chosen}
    if lesson is not None:
        if number <= len(lesson.steps):
            session.reset()
            session.put(lesson.steps[number - 1].settings)
            _look(lesson.steps[number - 1])
            st.session_state[_TURNS] = True
            past.keep_progress(visitor.current(), name, number)
        values = (name, number, int(present))
        session.put(dict(zip((row.key for row in PLACE), values, strict=True)))
    redraw()


def progress() -> Mapping[str, int]:
    """Return the furthest step that this visitor has opened in each lesson, now or in
    an earlier session, by lesson name."""
    return past.progress(visitor.current())


def _look(step: LessonStep) -> None:
    """Show the study or run with a step's settings, if there is one. If the step starts
    its study by itself, it starts here unless an example shows the same."""
    page, raw = pages()[step.page], session.raw()
    view, values = page.view(raw), read(page.rows(raw), raw, work=registry.work)
    work = view.work_for(values)
    if work is None:
        return
    where, settings = place_of(page, view, values), view.studied(values, raw)
    registry.look_at(where, registry.latest(where, settings))
    shown = registry.looked_at(where) or examples.example(page, view, values)
    waits = step.press and not shown and view.no_study(values) is None
    if not waits:
        return
    if isinstance(work, Training):
        make, title = partial(work.run, values, None), ""
    else:
        make, title = partial(work.study, values), text_of(work.button, values)
    registry.begin(make, where, settings, title, True, seconds=PRESS_SECONDS)


def button(
    label: str, key: str, call: Callable[..., None], *values: Any, **details: Any
) -> None:
    """Draw a lesson's button, which calls ``call`` with these values."""
    st.button(
        label, key=key, on_click=call, args=values, **{"type": "tertiary"} | details
    )


def put(changes: Mapping[str, Any], redraw: Redraw) -> None:
    """Change settings in a callback, and draw the page again."""
    session.put(changes)
    redraw()


def leave(redraw: Redraw) -> None:
    """Leave the lesson, in a callback; the data chosen before it is restored."""
    before = st.session_state.pop(_BEFORE, {})
    if DATA.key in before:
        session.forget((DATA.key, NORMALISE.key))
        session.put(before)
    put({row.key: row.default for row in PLACE}, redraw)


def answers() -> bool:
    """Whether the answer to the step's question is shown."""
    return st.session_state.get(_ANSWER) == _here()


def show_answer(step: LessonStep, shown: bool, redraw: Redraw) -> None:
    """Show or hide the answer, in a callback, with the settings that belong to it."""
    st.session_state[_ANSWER] = _here() if shown else None
    if step.then:
        session.forget(step.then)
        session.put(wanted(step))
    redraw()


def guessed() -> Any:
    """Return the visitor's guess at this step, or None."""
    return st.session_state.get(_GUESSES, {}).get(_here())


def guess(value: Any, redraw: Redraw) -> None:
    """Store a guess at this step, in a callback."""
    st.session_state.setdefault(_GUESSES, {})[_here()] = value
    redraw()


def _here() -> tuple[str, int]:
    chosen = place()
    return chosen.lesson, chosen.step
