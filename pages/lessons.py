"""Lessons: guided ways through the app, and a lecturer's own."""

from pages.ui import page
from pages.ui.lessons import panels
from pages.views import lessons

page.show(lessons.PAGE, below=panels.draw)
