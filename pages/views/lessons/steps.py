"""The lessons, and the setting that unfolds one of them."""

from collections.abc import Callable
from functools import partial

from pages.ui.away import reports
from pages.ui.lessons import store
from rankcore.views import Shown, Text, Values, View

OUTLINE = Text("outline", "", "Lesson whose steps are listed", inline=True)


def show(values: Values) -> Shown:
    """Return a table of all lesson steps, with files and reports for *Export*."""
    files: dict[str, Callable[[], bytes | str]] = {
        path.name: path.read_bytes for path in store.files().values()
    }
    for name in store.files():
        files[f"{name}.html"] = partial(reports.lesson, name)
    return Shown(tables={"Steps": _steps}, files=files)


def _steps() -> list[dict[str, object]]:
    return [
        {
            "lesson": lesson.title,
            "step": number,
            "page": step.page,
            "text": step.text,
            "question": step.asked,
            "answer": step.answered,
        }
        for lesson in store.everything()[0]
        for number, step in enumerate(lesson.steps, start=1)
    ]


VIEW = View("Lessons", "All lessons and their steps.", [OUTLINE], show)
