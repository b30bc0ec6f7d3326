"""The question of a step: first the guess, then the answer beside the guess."""

from typing import Any

import streamlit as st

from pages.ui.lessons import place
from pages.ui.lessons.place import Redraw
from rankcore.reports.guesses import guess_html
from rankcore.views.lessons import Lesson, LessonStep
from rankcore.views.steps import Amount, Choices, Guess

GUESS_FIRST = "Guess first; the answer is then shown beside your guess."


def draw(lesson: Lesson, step: LessonStep, redraw: Redraw) -> None:
    """Draw the question, and below it the controls for the guess, or the answer."""
    st.container(key="lesson_asked").markdown(step.question)
    shown, guess = place.answers(), step.guess
    if guess is not None and not shown:
        _ask(guess, f"lesson_guess {lesson.name} {place.number(lesson)}", redraw)
    if shown:
        if guess is not None:
            st.html(guess_html(guess, place.guessed()))
        st.container(key="lesson_answer").markdown(step.answer)


def may_answer(step: LessonStep) -> bool:
    """Whether the answer may be shown; a presenter may show it without a guess."""
    waits = step.guess is not None and place.guessed() is None
    return place.presenting() or not waits


def _ask(guess: Guess, key: str, redraw: Redraw) -> None:
    def take() -> None:
        place.guess(st.session_state[key], redraw)

    value = place.guessed()
    details: Any = {"key": key, "label_visibility": "collapsed", "on_change": take}
    with st.container(key="lesson_guess"):
        if isinstance(guess, Choices):
            at = guess.choices.index(value) if value in guess.choices else None
            st.radio("Your guess", guess.choices, at, **details)
        else:
            number = _scale(guess, value, details)
            if value is None:
                label = f"Guess {guess.written(number)}"
                place.button(label, "lesson_preset", place.guess, number, redraw)


def _scale(guess: Amount, value: float | None, details: dict[str, Any]) -> float:
    """Draw a slider, which starts at its preset, and return its value."""
    kind: Any = float if guess.digits else int
    at = guess.preset if value is None else value
    numbers = (kind(number) for number in (guess.low, guess.high, at, guess.step))
    st.slider("Your guess", *numbers, format=f"%.{guess.digits}f", **details)
    st.caption(f"{guess.numeral(guess.low)} to {guess.written(guess.high)}")
    return at
