"""Runs: all stored training runs, to find, name, compare, reopen and delete."""

from rankcore.views import Page

PAGE = Page(__name__, "Runs", "Find, compare and reopen stored training runs")
