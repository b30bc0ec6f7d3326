"""The step of a lesson, on every page: a slim bar, or a slide while it is presented."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import link, texts
from pages.ui.lessons import place, questions, slide, store
from pages.ui.lessons.place import Redraw
from pages.ui.shared import PLACE
from rankcore.views import Page
from rankcore.views.lessons import Lesson, LessonStep

HERE = Path(__file__).parent

PRESENTS = (
    "Show figure and text for a projector. Use a clicker or keys: Page Down, right "
    "arrow or space bar, Page Up or left arrow, A for the answer, B for a blank "
    "screen, S for a spotlight, N for the speaker's notes, Escape."
)


def offer(algorithm: str, redraw: Redraw) -> None:
    """Draw a link to the lesson that fits an algorithm, unless a lesson is open."""
    lesson = None if place.place().lesson else store.fitting(algorithm)
    if lesson is not None:
        first, icon = (lesson.name, 1, False, redraw), ":material/school:"
        label = f"Lesson: {texts.literal(lesson.title)}"
        place.button(label, "offer", place.open_step, *first, icon=icon)


def draw(
    page: Page, matches: Callable[[Mapping[str, Any]], bool], redraw: Redraw
) -> None:
    """Draw the bar or slide, if a lesson is open and this is not the Lessons page."""
    chosen = place.place()
    lesson = store.find(chosen.lesson) if chosen.lesson else None
    step = place.current_step()
    if place.turn() and step is not None and step.page != page.name:
        # The settings are in the session; the page writes them into its link.
        link.go(step.page, {row.key: row.format(chosen[row.key]) for row in PLACE})
    if not chosen.lesson or page.name == store.LESSONS_PAGE:
        return
    st.html(HERE / "bar.css")
    if lesson is None or step is None:
        _lost(redraw)
        return
    changed = page.name != step.page or not matches(place.wanted(step))
    again = ("Go to the step" if page.name != step.page else "Set up again") * changed
    if place.presenting():
        st.html(HERE / "slides.css")
        slide.draw(lesson, step, page, again, redraw)
    else:
        with st.container(key="lesson_bar"):
            _step(lesson, step, again, redraw)


def _step(lesson: Lesson, step: LessonStep, again: str, redraw: Redraw) -> None:
    number = place.number(lesson)
    head, buttons = st.columns([5, 4], vertical_alignment="center")
    where = f"{texts.literal(lesson.title)} · step {number} of {len(lesson.steps)}"
    head.caption(f":material/school: {where}")
    with buttons.container(
        horizontal=True, horizontal_alignment="right", gap="xsmall", key="lesson_move"
    ):
        slide.moves(lesson, again, redraw)
        slides = place.put, {"present": 1}, redraw
        place.button("Present", "lesson_present", *slides, help=PRESENTS)
        place.button("Leave", "lesson_leave", place.leave, redraw)
    words, column = st.columns([6, 5], gap="medium")
    with words.container(key="lesson_text"):
        st.markdown(step.text)
    with column.container(key="lesson_question", gap="xsmall"):
        questions.draw(lesson, step, redraw)
        slide.answer_button(step, redraw)


def _lost(redraw: Redraw) -> None:
    with st.container(key="lesson_bar", horizontal=True, vertical_alignment="center"):
        st.markdown(
            "The lesson in this link is not on this server. If it is your own, upload "
            "its file again on *Lessons*."
        )
        place.button("Leave", "lesson_leave", place.leave, redraw)
