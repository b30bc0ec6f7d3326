"""Lessons: guided ways through the app, and a lecturer's own."""

from rankcore.views import Page

PAGE = Page(__name__, "Lessons", "Guided lessons, 15 minutes each")
