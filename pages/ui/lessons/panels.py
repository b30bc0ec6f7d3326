"""The panels of the Lessons page: cards, the steps of a lesson, and own lessons."""

from collections import Counter
from functools import partial

import streamlit as st

from pages.ui import gallery, texts
from pages.ui.catalogue import pages
from pages.ui.lessons import draft, place, store
from pages.ui.stage import heading
from pages.ui.widgets import Change
from rankcore.base.numbers import counted
from rankcore.views import Values
from rankcore.views.lessons import Lesson

PER_ROW = (3, 4)
SHELVES = {
    "foundations": "why NDCG is hard to optimise, and what is optimised instead",
    "methods": "one idea each, and its limits",
    "practice": "from reliable results to a ranker in production",
    "": "your own lessons, or your lecturer’s",
}


def draw(values: Values, change: Change) -> None:
    """Draw all lessons, the steps of one of them, and a place for own lessons."""
    _cards(values.theme, change)
    _outline(values.outline, values.theme, change)
    draft.draw(values.theme, change)


def _cards(theme: str, change: Change) -> None:
    """Draw all lessons by level, each with a picture, a summary and a button."""
    with st.spinner("Reading the lessons …"):
        shelves, problems = store.shelves()
        progress = place.progress()
    images: list[bytes | None] = []
    for level, lessons in shelves.items():
        heading(level.capitalize() or "More lessons", SHELVES[level])
        across = max(PER_ROW, key=lambda count: (len(lessons) % count == 0, -count))
        for first in range(0, len(lessons), across):
            columns = st.columns(across, gap="medium")
            for column, lesson in zip(columns, lessons[first:], strict=False):
                with column.container(border=True, height="stretch"):
                    images.append(_picture(lesson, theme, images))
                    _card(lesson, progress.get(lesson.name, 0), images[-1], change)
    draft.say(problems)


def _outline(name: str, theme: str, change: Change) -> None:
    """Draw the steps of the selected lesson."""
    lesson = store.find(name)
    if lesson is None:
        return
    st.space("small")
    heading(lesson.title, "every step; the button opens it on its page")

    def opens(number: int) -> None:
        _open(lesson, number, f"Open step {number}", f"open_{number}", change)

    draft.steps(lesson, theme, opens)


def _picture(lesson: Lesson, theme: str, images: list[bytes | None]) -> bytes | None:
    """Return the picture of most steps' view, among unseen steps if any."""
    views = [(pages()[step.page], step.settings) for step in lesson.steps]
    cards = (gallery.GalleryCard(page, page.view(chosen)) for page, chosen in views)
    files = Counter(card.picture(theme) for card in cards).most_common()
    jpegs = filter(None, (gallery.jpeg(file) for file, _ in files))
    return min(jpegs, key=images.__contains__, default=None)


def _card(lesson: Lesson, reached: int, picture: bytes | None, change: Change) -> None:
    if picture:
        st.image(picture, width="stretch")
    st.markdown(f"**{texts.literal(lesson.title)}**")
    st.markdown(texts.literal(lesson.summary))
    names = dict.fromkeys(step.page.capitalize() for step in lesson.steps)
    count = len(lesson.steps)
    # The file may have become shorter since.
    reached = min(reached, count)
    st.caption(f"{counted(count, 'steps')}: {', '.join(names)}")
    if reached > 1:
        st.progress(reached / count, f"step {reached} of {count}")
    at = reached if 1 < reached < count else 1
    start = "Continue" if at > 1 else "Open again" if reached == count else "Start"
    with st.container(horizontal=True):
        _open(lesson, at, start, f"start_{lesson.name}", change, "primary")
        _open(lesson, 1, "Present", f"present_{lesson.name}", change, present=True)
        place.button(
            "All steps", f"read_{lesson.name}", change, {"outline": lesson.name}
        )


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
