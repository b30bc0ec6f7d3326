"""A visitor's own lesson, written or uploaded, with its preview and problems."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.ui import examples, glossary, session, texts
from pages.ui.catalogue import pages
from pages.ui.components import live
from pages.ui.lessons import place, store
from pages.ui.stage import heading
from pages.ui.widgets import Change
from rankcore.base.numbers import counted
from rankcore.views import Shown, Training, read
from rankcore.views.lessons import MAX_BYTES, Lesson, LessonError, LessonStep, Problem

TEMPLATE = Path(__file__).parent / "template.yaml"
HEIGHT = 560
NO_FIGURE = "The figure shows a run or study. Open the step to start it."

_DRAFT = "the lesson that is written"
_FULL = "why the lesson was not kept"

# Draws the button that opens the step of a number.
Opens = Callable[[int], None]


class Draft(NamedTuple):
    """A lesson being written: the name of its file, and its content so far."""

    file: str
    content: bytes

    @property
    def text(self) -> str:
        """The content for the field; bytes that are not UTF-8 become U+FFFD."""
        return self.content.decode("utf-8-sig", "replace")


def draw(theme: str, change: Change) -> None:
    """Draw the lesson's text field, and its preview or problems beside it."""
    st.space("small")
    ((title, about),) = texts.tabs(__file__).items()
    heading(title)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(about)
        _file()
        _field()
    with right:
        _preview(_draft(), theme, change)


def steps(lesson: Lesson, theme: str, opens: Opens) -> None:
    """Draw every step of a lesson as text, with the button that opens it and its figure
    in a closed expander."""
    for number, step in enumerate(lesson.steps, start=1):
        with st.container(border=True):
            words, button = st.columns([5, 1], vertical_alignment="center")
            with words:
                _step(number, step)
            with button:
                opens(number)
            fold = f"{lesson.name}_{number}_figure"
            with st.expander(
                "Figure", type="compact", key=fold, on_change="rerun"
            ) as figure:
                if figure.open:
                    _figure(step, fold, theme)


def say(problems: Sequence[Problem]) -> None:
    """Draw all problems of a file."""
    rows = "\n".join(f"- {texts.literal(str(problem))}" for problem in problems)
    if rows:
        st.error(rows, icon=":material/error:")


def _step(number: int, step: LessonStep) -> None:
    st.markdown(f"**{number}.** {step.text}")
    st.markdown(f"*{step.question}*{step.asked.removeprefix(step.question)}")
    parts = [("Answer", step.answered), ("Closing slide", step.learnt)]
    for name, text in [*parts, ("Speaker notes", step.notes)]:
        if text:
            with st.expander(name, type="compact"):
                st.markdown(text)


def _figure(step: LessonStep, key: str, theme: str) -> None:
    """Draw the figures that a step shows in a presentation."""
    part = step.in_sight.of(_opened(step, theme))
    panels = (part if step.point is None else step.point.on(part)).panels()
    for at, panel in enumerate(panels):
        heading = glossary.heading(panel.title, panel.note)
        live.figure(panel.picture, key=f"{key}_{at}", view=key, heading=heading)
    if not panels:
        st.caption(NO_FIGURE)


def _opened(step: LessonStep, theme: str) -> Shown:
    """Return a step's content as it opens; empty before its run or study starts."""
    page, raw = pages()[step.page], step.settings
    view, values = page.view(raw), read(page.rows(raw), raw, theme)
    if (example := examples.example(page, view, values)) is not None:
        return example.show(values)
    work = view.work_for(values)
    waits = isinstance(work, Training) or (work is not None and not work.optional)
    if waits or view.refusal(values) is not None:
        return Shown()
    return view.show(values, *([] if work is None else [None]))


def _draft() -> Draft:
    draft = st.session_state.get(_DRAFT)
    return Draft("my-lesson.yaml", TEMPLATE.read_bytes()) if draft is None else draft


def _file() -> None:
    def take() -> None:
        file = st.session_state["lesson_upload"]
        if file is not None:
            st.session_state[_DRAFT] = Draft(file.name, file.getvalue())

    st.file_uploader(
        "Upload a lesson (YAML)",
        type=["yaml", "yml"],
        key="lesson_upload",
        max_upload_size=1,
        help=f"At most {MAX_BYTES:,} bytes. It stays on this machine, in memory.",
        on_change=take,
    )


def _field() -> None:
    draft = _draft()
    key = session.control("lesson_draft", draft.text)

    def take() -> None:
        text = session.reported("lesson_draft", key)
        if text is not None:
            st.session_state[_DRAFT] = draft._replace(content=text.encode())

    st.text_area("The lesson", draft.text, HEIGHT, key=key, on_change=take)
    st.download_button(
        "Download this lesson",
        lambda: draft.content,
        file_name=draft.file,
        mime="application/yaml",
        on_click="ignore",
        key="lesson_download",
    )
    st.download_button(
        "JSON Schema for editors",
        store.schema,
        file_name="lesson.schema.json",
        mime="application/schema+json",
        on_click="ignore",
        key="lesson_schema",
        help="Saved beside a lesson, it lets editors that read the template's first "
        "line complete and check pages, settings and texts.",
    )


def _preview(draft: Draft, theme: str, change: Change) -> None:
    """Draw the lesson as it will be read, or its problems."""
    full = st.session_state.pop(_FULL, None)
    try:
        lesson = store.read(draft.content, draft.file, "draft")
    except LessonError as error:
        st.markdown(f"**{counted(len(error.problems), 'problems')} to correct**")
        say(error.problems)
        return
    if full is not None:
        say(full.problems)
    st.markdown(f"**{texts.literal(lesson.title)}**")
    st.markdown(texts.literal(lesson.summary))

    def opens(label: str, key: str, number: int, present: bool = False) -> None:
        begin = partial(_begin, draft, number, present, change)
        st.button(label, key=key, on_click=begin)

    with st.container(horizontal=True):
        opens("Start the lesson", "start_own", 1)
        opens("Present", "present_own", 1, True)
    steps(lesson, theme, lambda number: opens("Open", f"draft_{number}", number))


def _begin(draft: Draft, number: int, present: bool, change: Change) -> None:
    """Store the lesson and go to one of its steps, in a callback."""
    try:
        lesson = store.upload(draft.content, draft.file)
    except LessonError as error:
        st.session_state[_FULL] = error
        return
    place.open_step(lesson.name, number, present, partial(change, {}))
