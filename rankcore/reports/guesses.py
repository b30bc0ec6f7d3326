"""The answer to a question of a lesson, beside the reader's guess."""

from html import escape
from typing import Any

from rankcore.views.steps import Choices, Guess


def guess_html(guess: Guess, value: Any) -> str:
    """Return the answer as HTML, beside the guess, if any."""
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
    lines = "".join(
        f'<i class="{"right" if name == "answer" else "own"}" '
        f'style="left:{100 * guess.share(number):.2f}%"></i>'
        for name, number in marks
    )
    labels = "".join(
        f"<span{_marked(name == 'answer')}>{name}: {escape(guess.written(number))}"
        "</span>"
        for name, number in marks
    )
    ends = "".join(
        f"<small>{guess.numeral(number)}</small>" for number in (guess.low, guess.high)
    )
    return (
        f'<div class="rs-guess"><p>{labels}</p><div class="scale" aria-hidden="true">'
        f'{lines}</div><div class="ends" aria-hidden="true">{ends}</div></div>'
    )


def _marked(right: bool) -> str:
    return ' class="right"' * right
