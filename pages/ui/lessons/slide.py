"""The slide of a lesson: the figure takes two thirds of the screen, the text one.

Its elements keep their places from step to step. After the last step comes a closing
slide. What Streamlit cannot do (a blank screen, a halo around the pointer, notes in a
second window) is the component ``present``.
"""

from functools import lru_cache
from html import escape
from io import BytesIO
from typing import Any
from urllib.parse import quote, urlsplit

import segno
import streamlit as st

from pages.ui import link, texts
from pages.ui.away.copies import HOME
from pages.ui.components import component
from pages.ui.lessons import place, questions, store
from pages.ui.lessons.place import Redraw
from rankcore.reports.markdown import html_of
from rankcore.views import Page
from rankcore.views.lessons import Lesson, LessonStep

# The number of characters that fit on a slide in full size, and the number whose room a
# guess beside the answer takes.
FITS, GUESSED = 620, 90

_present = component("present")


def draw(
    lesson: Lesson, step: LessonStep, page: Page, again: str, redraw: Redraw
) -> None:
    """Draw the slide of the present step on the open page, or the closing slide.
    ``again`` is the label of the button that opens the step again; empty if nothing has
    changed since."""
    closes = place.number(lesson) > len(lesson.steps)
    with st.container(key="lesson_end" if closes else "lesson_slide"):
        if closes:
            _closing(lesson, page, redraw)
        else:
            _words(lesson, step, redraw)
    if not closes:
        st.html(f'<h2 class="rs-lesson">{escape(lesson.title)}</h2>')
    with st.container(key="lesson_foot", horizontal=True, gap="xsmall"):
        moves(lesson, again, redraw)
        if not closes:
            answer_button(step, redraw)
        _present(key="present", data=_view(lesson, step, closes), width="content")
        back = place.put, {"present": 0}, redraw
        place.button("Exit presentation", "lesson_present", *back, shortcut="Escape")


def moves(lesson: Lesson, again: str, redraw: Redraw) -> None:
    """Draw buttons to other steps, and to this one if settings have changed."""
    number, slide = place.number(lesson), place.presenting()
    end = len(lesson.steps) + int(slide)
    ways: list[tuple[str, str, int, dict[str, Any]]] = [
        ("Back", "back", number - 1, {"shortcut": "PageUp"}),
        ("Next", "next", number + 1, {"shortcut": "PageDown"}),
    ]
    if again:
        meaning = "Opens the step's page with its settings."
        ways.insert(0, (again, "again", number, {"help": meaning}))
    for label, name, to, details in ways:
        if not slide:
            details.pop("shortcut", None)
        if name != "again":
            details["icon"] = f":material/arrow_{'back' if to < number else 'forward'}:"
        details["disabled"] = not 1 <= to <= end
        step = place.open_step, lesson.name, to, slide, redraw
        place.button(label, f"lesson_{name}", *step, **details)


def answer_button(step: LessonStep, redraw: Redraw) -> None:
    """Draw the button that shows the answer, or hides it."""
    shown, may = place.answers(), questions.may_answer(step)
    place.button(
        "Hide the answer" if shown else "Show the answer",
        "lesson_show_answer",
        *(place.show_answer, step, not shown, redraw),
        shortcut="A" if place.presenting() else None,
        disabled=not may,
        help=None if may else questions.GUESS_FIRST,
    )


def _words(lesson: Lesson, step: LessonStep, redraw: Redraw) -> None:
    size = len(step.text) + len(step.asked) + len(step.answer)
    size += GUESSED * (step.guess is not None)
    fit = min(1.0, (FITS / size) ** 0.5)
    st.html(f"<style>.st-key-lesson_slide {{ --fit: {fit:.3f} }}</style>")
    with st.container(key="lesson_text"):
        st.markdown(step.text)
    with st.container(key="lesson_question"):
        if step.guess is not None:
            st.html('<h2 class="rs-predict">Predict first</h2>')
        questions.draw(lesson, step, redraw)
    st.html(_dots(place.number(lesson), len(lesson.steps)))


def _dots(number: int, count: int) -> str:
    """Return a dot for each step, filled up to this one."""
    dots = "".join(
        f'<i class="{"here" if n == number else "done" if n < number else ""}"></i>'
        for n in range(1, count + 1)
    )
    return (
        f'<p class="rs-dots"><span aria-hidden="true">{dots}</span>'
        f"<span>step {number} of {count}</span></p>"
    )


def _closing(lesson: Lesson, page: Page, redraw: Redraw) -> None:
    """Draw the last slide: a sentence for each step, and ways to continue."""
    rows = "\n".join(f"1. {step.learnt or step.question}" for step in lesson.steps)
    st.html(f'<h2 class="rs-lesson">{escape(lesson.title)}</h2>')
    words, ways = st.columns([7, 2], gap="large")
    with words:
        learnt = any(step.learnt for step in lesson.steps)
        st.html(f'<h2 class="rs-end">What we have {"seen" if learnt else "asked"}</h2>')
        st.markdown(rows)
    with ways:
        url = address(lesson, page)
        # On a telephone, localhost would be the telephone itself.
        if urlsplit(url).hostname not in ("127.0.0.1", "localhost"):
            st.image(_code(url), f"This lesson: {url}")
        if following := store.following(lesson):
            step = place.open_step, following.name, 1, True, redraw
            label = f"Next lesson: {texts.literal(following.title)}"
            place.button(label, "lesson_following", *step)


def address(lesson: Lesson, page: Page) -> str:
    """Return the address of a lesson's first step; ``page`` is the open page."""
    first = lesson.steps[0].page.removeprefix(HOME)
    return f"{link.server(page)}/{first}?lesson={quote(lesson.name)}"


@lru_cache(maxsize=64)
def _code(address: str) -> bytes:
    """Return an address as a QR code, in PNG."""
    image = BytesIO()
    segno.make(address, micro=False).save(image, kind="png", scale=6)
    return image.getvalue()


def _view(lesson: Lesson, step: LessonStep, closes: bool) -> dict[str, Any]:
    """Return the content of the speaker's window."""
    number, steps = place.number(lesson), lesson.steps
    if closes:
        return {"place": f"{lesson.title}: end", "parts": []}
    parts = [("Notes", step.notes), ("Question", step.asked), ("Answer", step.answered)]
    if number < len(steps):
        parts.append((f"Next: step {number + 1}", steps[number].text))
    else:
        parts.append(("Next", "The closing slide."))
    return {
        "place": f"{lesson.title}: step {number} of {len(steps)}",
        "parts": [[name, html_of(text)] for name, text in parts if text],
    }
