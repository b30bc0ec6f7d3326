"""The panels of the Lessons page: cards, the steps of one lesson, and own files."""

from functools import partial
from typing import Literal

import streamlit as st

from pages.ui import texts
from pages.ui.lessons import bar, store
from pages.ui.lessons.store import VARIABLE
from pages.ui.stage import heading
from pages.ui.widgets import Change
from rankcore.views import Values
from rankcore.views.lessons import MAX_BYTES, Lesson, LessonError, Problem

PER_ROW = 3
TEMPLATE = "1-no-slope"

OWN = f"""
A lesson is a small text file. Start from the template, change its sentences, and upload
it here; errors are reported line by line. The names and values of settings are those in
the link of a page: set up what you want to show and copy them from there. To have your
lessons here at every start, put them in a folder and name it in `${VARIABLE}`, or start
the app with `rankscope serve --lessons FOLDER`.
"""


def draw(values: Values, change: Change) -> None:
    """All lessons, the steps of one of them, and a place for one's own."""
    _cards(change)
    _outline(values.outline, change)
    _own(change)


def _cards(change: Change) -> None:
    """All lessons, each with a summary and a way in."""
    with st.spinner("Reading the lessons …"):
        lessons, problems = store.everything()
    for first in range(0, len(lessons), PER_ROW):
        columns = st.columns(PER_ROW, gap="medium")
        for column, lesson in zip(columns, lessons[first:], strict=False):
            with column.container(border=True, height="stretch"):
                _card(lesson, change)
    _say(problems)


def _outline(name: str, change: Change) -> None:
    """The steps of the lesson that is read."""
    lesson = store.find(name)
    if lesson is None:
        return
    st.space("small")
    heading(lesson.title, "every step; the button opens it on its page")
    for number, step in enumerate(lesson.steps, start=1):
        with st.container(border=True):
            words, button = st.columns([5, 1], vertical_alignment="center")
            words.markdown(f"**{number}.** {step.text}")
            words.markdown(f"*{step.question}*")
            with button:
                _open(lesson, number, f"Open step {number}", f"open_{number}", change)
            with words.expander("Answer", type="compact"):
                st.markdown(step.answer)


def _own(change: Change) -> None:
    """Upload a lesson."""
    st.space("small")
    heading("Your own lesson")
    left, right = st.columns([3, 2], gap="large")
    left.markdown(OWN)
    left.download_button(
        "Download a template",
        store.files()[TEMPLATE].read_bytes,
        file_name="my-lesson.yaml",
        mime="application/yaml",
        on_click="ignore",
        key="lesson_template",
    )
    with right:
        file = st.file_uploader(
            "Upload a lesson (YAML)",
            type=["yaml", "yml"],
            key="lesson_upload",
            max_upload_size=1,
            help=f"At most {MAX_BYTES:,} bytes. It stays on this machine, in memory.",
        )
        if file is not None:
            _take(file.getvalue(), file.name, change)


def _card(lesson: Lesson, change: Change) -> None:
    st.markdown(f"**{lesson.title}**")
    st.markdown(lesson.summary)
    pages = dict.fromkeys(step.page.capitalize() for step in lesson.steps)
    st.caption(f"{len(lesson.steps)} steps: {', '.join(pages)}")
    with st.container(horizontal=True):
        _open(lesson, 1, "Start", f"start_{lesson.name}", change, "primary")
        _open(lesson, 1, "Present", f"present_{lesson.name}", change, present=True)
        st.button(
            "All steps",
            key=f"read_{lesson.name}",
            type="tertiary",
            on_click=change,
            args=({"outline": lesson.name},),
        )


def _open(
    lesson: Lesson,
    number: int,
    label: str,
    key: str,
    change: Change,
    kind: Literal["primary", "secondary"] = "secondary",
    present: bool = False,
) -> None:
    step = (lesson.name, number, present, partial(change, {}))
    st.button(label, key=key, type=kind, on_click=bar.open_step, args=step)


def _take(content: bytes, file: str, change: Change) -> None:
    try:
        lesson = store.upload(content, file)
    except LessonError as error:
        _say(list(error.problems))
        return
    said = texts.literal(f"{file} loaded: {len(lesson.steps)} steps")
    st.success(said, icon=":material/check:")
    _open(lesson, 1, "Start the lesson", "start_own", change, "primary")


def _say(problems: list[Problem]) -> None:
    for problem in problems:
        st.error(texts.literal(str(problem)), icon=":material/error:")
