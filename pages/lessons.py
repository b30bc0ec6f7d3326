"""Lessons: guided ways through the app, and a lecturer's own."""

from streamlit.delta_generator import DeltaGenerator

from pages.ui import frame, lesson_panels


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its export in ``actions``."""
    lesson_panels.cards()
    lesson_panels.outline()
    lesson_panels.own()
    with actions:
        lesson_panels.export()


frame.run("Lessons", "What can be learnt here in a quarter of an hour?", body)
