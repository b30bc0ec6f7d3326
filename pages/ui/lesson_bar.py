"""The lesson a visitor is in: a slim bar above every page, or a large-type view.

Where one is travels in the link (``?lesson=…&step=…&present=1``), so that a refresh,
another page or a second browser find it again.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui import state
from pages.ui.lessons import store as lesson_store
from pages.ui.lessons.files import LESSONS_PAGE, Lesson, Step

HERE = Path(__file__).parent


def show() -> None:
    """Draw the bar, if a lesson is open and this is not the page of all lessons."""
    name = str(state.get("lesson"))
    page = current_page()
    lesson = lesson_store.find(name) if name else None
    if lesson is not None:
        number = min(max(int(state.get("step")), 1), len(lesson.steps))
        _turn_to(lesson, number, page)
    if not name or page == LESSONS_PAGE:
        return
    st.html(HERE / "lessons" / "bar.css")
    if lesson is None:
        _lost()
        return
    _set_up_once(lesson, number, page)
    _keep(name, number, presenting())
    with st.container(key="lesson_slide" if presenting() else "lesson_bar"):
        _draw(lesson, number, page)


def look() -> tuple[object, ...]:
    """What the bar depends on, so that one knows when to draw it again."""
    place = tuple(state.get(key) for key in state.PLACE)
    lesson = lesson_store.find(str(place[0])) if place[0] else None
    if lesson is None:
        return place
    step = lesson.steps[min(max(int(place[1]), 1), len(lesson.steps)) - 1]
    turns = bool(st.session_state.get("lesson_turns"))
    return *place, turns, state.matches(step.settings)


def presenting() -> bool:
    """Whether the large-type view is on."""
    return bool(state.get("lesson")) and int(state.get("present")) == 1


def open_step(name: str, number: int, present: bool) -> None:
    """Go to a step, in a callback: its page, its settings, all others by default."""
    lesson = lesson_store.find(name)
    if lesson is None:
        return
    step = lesson.steps[number - 1]
    state.reset()
    state.apply(step.settings)
    _keep(name, number, present)
    st.session_state["lesson_turns"] = True


def current_page() -> str | None:
    """The page that is drawn, by the name of its file; None if it runs on its own."""
    context = get_script_run_ctx()
    if context is None:
        return None
    about = context.pages_manager.get_pages().get(context.page_script_hash)
    return None if about is None else Path(about["script_path"]).stem


def _turn_to(lesson: Lesson, number: int, page: str | None) -> None:
    """Go on to the step's page, if a button has just asked for the step."""
    if not st.session_state.pop("lesson_turns", False):
        return
    step = lesson.steps[number - 1]
    if page in (None, step.page):
        return
    # The settings are in the session already; their controls write them to the link.
    place = {key: str(state.get(key)) for key in state.PLACE}
    st.switch_page(f"pages/{step.page}.py", query_params=place)


def _keep(name: str, number: int, present: bool) -> None:
    for key, value in zip(state.PLACE, (name, number, int(present)), strict=True):
        state.put(key, value)


def _draw(lesson: Lesson, number: int, page: str | None) -> None:
    step = lesson.steps[number - 1]
    head, buttons = st.columns([5, 4], vertical_alignment="center")
    with head:
        place = f"{lesson.title} · step {number} of {len(lesson.steps)}"
        st.caption(f":material/school: {place}")
    with buttons.container(
        horizontal=True, horizontal_alignment="right", gap="xsmall", key="lesson_move"
    ):
        _buttons(lesson, number, page)
    words, asked = st.columns([6, 5], gap="medium")
    with words.container(key="lesson_text"):
        st.markdown(step.text)
    with asked.container(key="lesson_question", gap="xsmall"):
        st.container(key="lesson_asked").markdown(step.question)
        _answer(lesson, number, step)


def _buttons(lesson: Lesson, number: int, page: str | None) -> None:
    slide, last = presenting(), number == len(lesson.steps)
    step = lesson.steps[number - 1]
    away = page not in (None, step.page)
    if away or not state.matches(step.settings):
        st.button(
            "Go to the step" if away else "Set up again",
            key="lesson_again",
            type="tertiary",
            help="Puts the page and its settings as the step asks for.",
            on_click=open_step,
            args=(lesson.name, number, slide),
        )
    st.button(
        "Back",
        key="lesson_back",
        type="tertiary",
        icon=":material/arrow_back:",
        disabled=number == 1,
        shortcut="PageUp" if slide else None,
        on_click=open_step,
        args=(lesson.name, max(number - 1, 1), slide),
    )
    st.button(
        "Next",
        key="lesson_next",
        type="tertiary",
        icon=":material/arrow_forward:",
        disabled=last,
        shortcut="PageDown" if slide else None,
        on_click=open_step,
        args=(lesson.name, min(number + 1, len(lesson.steps)), slide),
    )
    st.button(
        "End the show" if slide else "Present",
        key="lesson_present",
        type="tertiary",
        shortcut="Escape" if slide else None,
        help="Back to the bar."
        if slide
        else "Large type, driven from the keyboard: "
        "Page Down, Page Up, A for the answer, Escape.",
        on_click=_present,
        args=(not slide,),
    )
    if not slide:
        st.button("Leave", key="lesson_leave", type="tertiary", on_click=_leave)


def _answer(lesson: Lesson, number: int, step: Step) -> None:
    shown = st.session_state.get("lesson_answer") == (lesson.name, number)
    if shown:
        st.markdown(step.answer)
    st.button(
        "Hide the answer" if shown else "Show the answer",
        key="lesson_show_answer",
        type="tertiary",
        shortcut="A" if presenting() else None,
        on_click=_turn,
        args=(None if shown else (lesson.name, number),),
    )


def _turn(answer: tuple[str, int] | None) -> None:
    st.session_state["lesson_answer"] = answer


def _present(on: bool) -> None:
    state.put("present", int(on))


def _leave() -> None:
    for key in state.PLACE:
        state.put(key, state.default(key))


def _lost() -> None:
    with st.container(key="lesson_bar", horizontal=True, vertical_alignment="center"):
        st.markdown(
            "The lesson in this link is not here (any more). If it is your own, load "
            "its file again on *Lessons*."
        )
        st.button("Leave", key="lesson_leave", type="tertiary", on_click=_leave)


def _set_up_once(lesson: Lesson, number: int, page: str | None) -> None:
    """A link that names a step but none of its settings means all of them."""
    mark = (lesson.name, number)
    fresh = "lesson_known" not in st.session_state
    st.session_state["lesson_known"] = mark
    step = lesson.steps[number - 1]
    if fresh and page in (None, step.page):
        missing = {k: v for k, v in step.settings.items() if k not in st.query_params}
        if len(missing) == len(step.settings):
            state.apply(missing)
