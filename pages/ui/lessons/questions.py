"""The question of a step: what is guessed first, then the answer beside the guess."""

from html import escape
from typing import Any

import streamlit as st

from pages.ui.lessons import place
from pages.ui.lessons.place import Redraw
from rankcore.views.lessons import Lesson, LessonStep
from rankcore.views.steps import Amount, Choices, Guess

GUESS_FIRST = "Guess first; the answer is then shown beside your guess."


def draw(lesson: Lesson, step: LessonStep, redraw: Redraw) -> None:
    """Draw the question, and below it a place for the guess or the answer."""
    st.container(key="lesson_asked").markdown(step.question)
    shown, guess = place.answers(), step.guess
    if guess is not None and not shown:
        _ask(guess, f"lesson_guess {lesson.name} {place.number(lesson)}", redraw)
    if shown:
        if guess is not None:
            st.html(_both(guess, place.guessed()))
        st.container(key="lesson_answer").markdown(step.answer)


def may_answer(step: LessonStep) -> bool:
    """Whether the answer may be shown; a presenter may show it without a guess."""
    waits = step.guess is not None and place.guessed() is None
    return place.presenting() or not waits


def _ask(guess: Guess, key: str, redraw: Redraw) -> None:
    def taken() -> None:
        place.guess(st.session_state[key], redraw)

    value = place.guessed()
    details: Any = {"key": key, "label_visibility": "collapsed", "on_change": taken}
    with st.container(key="lesson_guess"):
        if isinstance(guess, Choices):
            at = guess.choices.index(value) if value in guess.choices else None
            st.radio("Your guess", guess.choices, at, **details)
        else:
            _scale(guess, value, details)


def _scale(guess: Amount, value: float | None, details: dict[str, Any]) -> None:
    """Draw a slider, in the middle at first."""
    kind: Any = float if guess.digits else int
    half = round((guess.high - guess.low) / guess.step / 2)
    at = guess.low + guess.step * half if value is None else value
    numbers = (kind(number) for number in (guess.low, guess.high, at, guess.step))
    st.slider("Your guess", *numbers, format=f"%.{guess.digits}f", **details)
    st.caption(f"{guess.written(guess.low)} to {guess.written(guess.high)}")


def _both(guess: Guess, value: Any) -> str:
    """Guess and answer as HTML."""
    if isinstance(guess, Choices):
        rows = "".join(
            f"<li{_marked(choice == guess.answer)}>{escape(choice)}"
            f"{' <small>your guess</small>' * (choice == value)}</li>"
            for choice in guess.choices
        )
        return f'<ul class="rs-guess rs-choices">{rows}</ul>'
    marks = [("answer", guess.answer)]
    if value is not None:
        marks.insert(0, ("your guess", value))
    drawn = "".join(
        f'<i class="{"right" if name == "answer" else "own"}" '
        f'style="left:{100 * guess.share(number):.2f}%"></i>'
        for name, number in marks
    )
    said = "".join(
        f"<span{_marked(name == 'answer')}>{name}: {escape(guess.written(number))}"
        "</span>"
        for name, number in marks
    )
    ends = "".join(
        f"<small>{number:.10g}</small>" for number in (guess.low, guess.high)
    )
    return (
        f'<div class="rs-guess"><p>{said}</p><div class="scale" aria-hidden="true">'
        f'{drawn}</div><div class="ends" aria-hidden="true">{ends}</div></div>'
    )


def _marked(right: bool) -> str:
    return ' class="right"' * right
