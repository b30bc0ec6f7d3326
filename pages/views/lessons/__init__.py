"""Lessons: guided ways through the app, and a lecturer's own."""

from rankcore.views import Page

PAGE = Page(__name__, "Lessons", "Twelve guided lessons, 15 minutes each")
