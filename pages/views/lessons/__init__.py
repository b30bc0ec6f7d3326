"""Lessons: guided tours of the app, and lecturers' own lessons."""

from rankcore.views import Page

PAGE = Page(__name__, "Lessons", "Guided lessons, 15 minutes each")
