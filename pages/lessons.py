"""Lessons: guided ways through the app, and a lecturer's own."""

from pages.ui import frame
from pages.ui.lessons import panels
from pages.views import lessons

frame.show(lessons.PAGE, below=panels.draw)
