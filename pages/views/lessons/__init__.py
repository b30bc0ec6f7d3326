"""Lessons: guided ways through the app, and a lecturer's own."""

from rankcore.views import Page

PAGE = Page(__name__, "Lessons", "Six guided lessons, 15 minutes each")
