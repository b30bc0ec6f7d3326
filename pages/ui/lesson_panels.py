"""The panels of the Lessons page: cards, the steps of one lesson, and own files."""

import streamlit as st

from pages.ui import downloads, frame, lesson_bar, lesson_store, state
from pages.ui.lesson_files import MAX_BYTES, Lesson, LessonError, Problem
from pages.ui.lesson_store import VARIABLE

PER_ROW = 3
TEMPLATE = "1-no-slope"

OWN = f"""
A lesson is a small text file. Take one of ours as a start, change its sentences, and
load it here; what is wrong is said line by line. The names and values of settings are
those in the address of a page: set up what you want to show and copy them from there.
To have your lessons here at every start, put them in a folder and name it in
`${VARIABLE}`, or start the app with `rankscope serve --lessons FOLDER`.
"""


def cards() -> None:
    """All lessons, each with a summary and a way in."""
    with st.spinner("Reading the lessons …"):
        lessons, problems = lesson_store.everything()
    for first in range(0, len(lessons), PER_ROW):
        columns = st.columns(PER_ROW, gap="medium")
        for column, lesson in zip(columns, lessons[first:], strict=False):
            with column.container(border=True, height="stretch"):
                _card(lesson)
    _say(problems)


def outline() -> None:
    """The steps of the lesson that is read."""
    lesson = lesson_store.find(str(state.get("outline")))
    if lesson is None:
        return
    state.put("outline", lesson.name)
    st.space("small")
    frame.heading(lesson.title, "every step; the button opens it on its page")
    for number, step in enumerate(lesson.steps, start=1):
        with st.container(border=True):
            words, button = st.columns([5, 1], vertical_alignment="center")
            with words:
                st.markdown(f"**{number}.** {step.text}")
                st.markdown(f"*{step.question}*")
            with button:
                _open(lesson, number, f"Open step {number}", f"open_{number}")
            with words.expander("Answer", type="compact"):
                st.markdown(step.answer)


def own() -> None:
    """Load a lesson of one's own."""
    st.space("small")
    frame.heading("Your own lesson")
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(OWN)
        st.download_button(
            "A lesson as a template",
            lesson_store.files()[TEMPLATE].read_bytes,
            file_name="my-lesson.yaml",
            mime="application/yaml",
            on_click="ignore",
            key="lesson_template",
        )
    with right:
        file = st.file_uploader(
            "A lesson as YAML",
            type=["yaml", "yml"],
            key="lesson_upload",
            max_upload_size=1,
            help=f"At most {MAX_BYTES:,} bytes. It stays on this machine, in memory.",
        )
        if file is not None:
            _take(file.getvalue(), file.name)


def export() -> None:
    """The steps of all lessons as a table, and the files they are read from."""
    files = lesson_store.files().values()
    downloads.menu(
        {"Steps": _steps}, files={path.name: path.read_bytes for path in files}
    )


def _steps() -> list[dict[str, object]]:
    return [
        {
            "lesson": lesson.title,
            "step": number,
            "page": step.page,
            "text": step.text,
            "question": step.question,
            "answer": step.answer,
        }
        for lesson in lesson_store.everything()[0]
        for number, step in enumerate(lesson.steps, start=1)
    ]


def _card(lesson: Lesson) -> None:
    st.markdown(f"**{lesson.title}**")
    st.markdown(lesson.summary)
    pages = dict.fromkeys(step.page for step in lesson.steps)
    st.caption(
        f"{len(lesson.steps)} steps: {', '.join(page.capitalize() for page in pages)}"
    )
    with st.container(horizontal=True):
        _open(lesson, 1, "Start", f"start_{lesson.name}", primary=True)
        _open(lesson, 1, "Present", f"present_{lesson.name}", present=True)
        st.button(
            "All steps",
            key=f"read_{lesson.name}",
            type="tertiary",
            on_click=state.put,
            args=("outline", lesson.name),
        )


def _open(
    lesson: Lesson,
    number: int,
    label: str,
    key: str,
    primary: bool = False,
    present: bool = False,
) -> None:
    st.button(
        label,
        key=key,
        type="primary" if primary else "secondary",
        on_click=lesson_bar.open_step,
        args=(lesson.name, number, present),
    )


def _take(content: bytes, file: str) -> None:
    try:
        lesson = lesson_store.uploads().add(content, file)
    except LessonError as error:
        _say(list(error.problems))
        return
    st.success(f"The file is fine: {len(lesson.steps)} steps.", icon=":material/check:")
    _open(lesson, 1, "Start it", "start_own", primary=True)


def _say(problems: list[Problem]) -> None:
    for problem in problems:
        st.error(_plain(str(problem)), icon=":material/error:")


def _plain(text: str) -> str:
    """Text of a file, with the characters that Markdown would act on disarmed."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+!|~$:" else c for c in text)
