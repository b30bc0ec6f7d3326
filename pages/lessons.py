"""Lessons: guided ways through the app, and a lecturer's own."""

from pages.ui import frame, lesson_panels


def body() -> None:
    """What the page shows."""
    actions = frame.page("Lessons", "What can be learnt here in a quarter of an hour?")
    lesson_panels.cards()
    lesson_panels.outline()
    lesson_panels.own()
    with actions:
        lesson_panels.export()


frame.run(body)
