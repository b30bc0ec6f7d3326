"""The panels of the Lessons page: cards, the steps of one lesson, and one's own."""

from functools import partial

import streamlit as st

from pages.ui.lessons import draft, place, store
from pages.ui.stage import heading
from pages.ui.widgets import Change
from rankcore.base.numbers import counted
from rankcore.views import Values
from rankcore.views.lessons import Lesson

PER_ROW = 3


def draw(values: Values, change: Change) -> None:
    """All lessons, the steps of one of them, and a place for one's own."""
    _cards(change)
    _outline(values.outline, change)
    draft.draw(change)


def _cards(change: Change) -> None:
    """All lessons, each with a summary and a way in."""
    with st.spinner("Reading the lessons …"):
        lessons, problems = store.everything()
    for first in range(0, len(lessons), PER_ROW):
        columns = st.columns(PER_ROW, gap="medium")
        for column, lesson in zip(columns, lessons[first:], strict=False):
            with column.container(border=True, height="stretch"):
                _card(lesson, change)
    draft.say(problems)


def _outline(name: str, change: Change) -> None:
    """Draw the steps of the lesson that is read."""
    lesson = store.find(name)
    if lesson is None:
        return
    st.space("small")
    heading(lesson.title, "every step; the button opens it on its page")

    def opens(number: int) -> None:
        _open(lesson, number, f"Open step {number}", f"open_{number}", change)

    draft.steps(lesson, opens)


def _card(lesson: Lesson, change: Change) -> None:
    st.markdown(f"**{lesson.title}**")
    st.markdown(lesson.summary)
    pages = dict.fromkeys(step.page.capitalize() for step in lesson.steps)
    count = len(lesson.steps)
    st.caption(f"{counted(count, 'steps')}: {', '.join(pages)}")
    with st.container(horizontal=True):
        _open(lesson, 1, "Start", f"start_{lesson.name}", change, "primary")
        _open(lesson, 1, "Present", f"present_{lesson.name}", change, present=True)
        outline = {"outline": lesson.name}
        place.button("All steps", f"read_{lesson.name}", change, outline)


def _open(
    lesson: Lesson,
    number: int,
    label: str,
    key: str,
    change: Change,
    kind: str = "secondary",
    present: bool = False,
) -> None:
    step = lesson.name, number, present, partial(change, {})
    place.button(label, key, place.open_step, *step, type=kind)
