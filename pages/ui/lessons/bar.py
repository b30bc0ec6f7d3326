"""The lesson a visitor is in: a slim bar above every page, or a large-type view.

The place in a lesson travels in the link (``?lesson=…&step=…&present=1``), so that a
refresh, another page or a second browser find it again.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import session
from pages.ui.catalogue import setting
from pages.ui.lessons import store
from pages.ui.shared import PLACE
from rankcore.views import Page, Values
from rankcore.views.lessons import Lesson, Step

HERE = Path(__file__).parent
FRAGMENT = "lesson"

PRESENTS = "Large type, driven by keys: Page Down, Page Up, A for the answer, Escape."
_TURNS = "a step has just been asked for"
_ANSWER = "the answer that is shown"
_OPENED = "the session has begun"

# Draws the page again, in a callback.
Redraw = Callable[[], None]


def begin(page: Page) -> None:
    """Set up the step that the session's first link names, if it names no setting."""
    if _OPENED in st.session_state:
        return
    st.session_state[_OPENED] = True
    step = current_step()
    if step is not None and step.page == page.name:
        named = set(st.query_params)
        if not named & set(step.settings):
            session.put(step.settings)


def place() -> Values:
    """The lesson, the number of the step, and whether it is presented."""
    return session.values(PLACE)


def presenting() -> bool:
    """Whether the large-type view is on."""
    chosen = place()
    return bool(chosen.lesson) and chosen.present == 1


def current_step() -> Step | None:
    """The step a visitor is at, if any."""
    lesson = store.find(place().lesson)
    return None if lesson is None else lesson.steps[_number(lesson) - 1]


def turning() -> bool:
    """Whether a step has just been asked for."""
    return _TURNS in st.session_state


def look(matches: Callable[[Mapping[str, Any]], bool]) -> tuple[object, ...]:
    """What the bar depends on, to know when to draw it again.

    Parameters
    ----------
    matches : callable
        Whether settings have these values now.
    """
    step = current_step()
    here = (*place().values(), st.session_state.get(_ANSWER))
    return here if step is None else (*here, matches(step.settings))


def open_step(name: str, number: int, present: bool, redraw: Redraw) -> None:
    """Go to a step, in a callback: its page, its settings, all others by default.

    The bar, which is drawn first, turns to the page of the step.
    """
    lesson = store.find(name)
    step = None if lesson is None else lesson.steps[number - 1]
    if step is not None:
        session.forget(key for key in session.raw() if setting(key) is not None)
        session.put(step.settings)
        values = (name, number, int(present))
        session.put(dict(zip((row.key for row in PLACE), values, strict=True)))
        st.session_state[_TURNS] = True
    redraw()


def offer(algorithm: str, redraw: Redraw) -> None:
    """A way to the lesson that fits an algorithm, unless a lesson is open."""
    lesson = None if place().lesson else store.fitting(algorithm)
    if lesson is not None:
        label, icon = f"Lesson: {lesson.title}", ":material/school:"
        _turn(label, "offer", open_step, (lesson.name, 1, False, redraw), icon=icon)


def draw(
    page: Page, matches: Callable[[Mapping[str, Any]], bool], redraw: Redraw
) -> None:
    """Draw the bar, if a lesson is open and this is not the page of all lessons."""
    chosen = place()
    lesson = store.find(chosen.lesson) if chosen.lesson else None
    step = current_step()
    turns = st.session_state.pop(_TURNS, False)
    if turns and step is not None and step.page != page.name:
        # The settings are in the session; the page writes them into its link.
        link = {row.key: row.format(chosen[row.key]) for row in PLACE}
        st.switch_page(f"pages/{step.page}.py", query_params=link)
    if not chosen.lesson or page.name == store.LESSONS_PAGE:
        return
    st.html(HERE / "bar.css")
    if lesson is None or step is None:
        _lost(redraw)
        return
    with st.container(key="lesson_slide" if presenting() else "lesson_bar"):
        changed = page.name != step.page or not matches(step.settings)
        _step(lesson, step, page.name, changed, redraw)


def _number(lesson: Lesson) -> int:
    return min(place().step, len(lesson.steps))


def _step(lesson: Lesson, step: Step, page: str, changed: bool, redraw: Redraw) -> None:
    number = _number(lesson)
    head, buttons = st.columns([5, 4], vertical_alignment="center")
    where = f"{lesson.title} · step {number} of {len(lesson.steps)}"
    head.caption(f":material/school: {where}")
    with buttons.container(
        horizontal=True, horizontal_alignment="right", gap="xsmall", key="lesson_move"
    ):
        if changed:
            label = "Go to the step" if page != step.page else "Set up again"
            there = (lesson.name, number, presenting(), redraw)
            said = "Opens the step's page with its settings."
            _turn(label, "lesson_again", open_step, there, help=said)
        _moves(lesson, number, redraw)
    words, asked = st.columns([6, 5], gap="medium")
    with words.container(key="lesson_text"):
        st.markdown(step.text)
    with asked.container(key="lesson_question", gap="xsmall"):
        st.container(key="lesson_asked").markdown(step.question)
        _answer((lesson.name, number), step, redraw)


def _moves(lesson: Lesson, number: int, redraw: Redraw) -> None:
    slide = presenting()
    for label, to, shortcut in (
        ("Back", number - 1, "PageUp"),
        ("Next", number + 1, "PageDown"),
    ):
        _turn(
            label,
            f"lesson_{label.lower()}",
            open_step,
            (lesson.name, to, slide, redraw),
            icon=f":material/arrow_{'back' if to < number else 'forward'}:",
            disabled=not 1 <= to <= len(lesson.steps),
            shortcut=shortcut if slide else None,
        )
    _turn(
        "Exit presentation" if slide else "Present",
        "lesson_present",
        _put,
        ({"present": int(not slide)}, redraw),
        shortcut="Escape" if slide else None,
        help="Back to the bar." if slide else PRESENTS,
    )
    if not slide:
        _leave(redraw)


def _answer(here: tuple[str, int], step: Step, redraw: Redraw) -> None:
    shown = st.session_state.get(_ANSWER) == here
    if shown:
        st.markdown(step.answer)
    _turn(
        "Hide the answer" if shown else "Show the answer",
        "lesson_show_answer",
        _put,
        ({_ANSWER: None if shown else here}, redraw),
        shortcut="A" if presenting() else None,
    )


def _turn(
    label: str,
    key: str,
    act: Callable[..., None],
    args: tuple[Any, ...],
    **details: Any,
) -> None:
    st.button(label, key=key, type="tertiary", on_click=act, args=args, **details)


def _put(changes: Mapping[str, Any], redraw: Redraw) -> None:
    session.put(changes)
    redraw()


def _leave(redraw: Redraw) -> None:
    defaults = {row.key: row.default for row in PLACE}
    _turn("Leave", "lesson_leave", _put, (defaults, redraw))


def _lost(redraw: Redraw) -> None:
    with st.container(key="lesson_bar", horizontal=True, vertical_alignment="center"):
        st.markdown(
            "The lesson in this link is not on this server. If it is your own, upload "
            "its file again on *Lessons*."
        )
        _leave(redraw)
