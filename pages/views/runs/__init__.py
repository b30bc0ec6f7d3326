"""Runs: every kept training run, to find, name, compare, open again and remove."""

from rankcore.views import Page

PAGE = Page(__name__, "Runs", "Find, compare and reopen stored training runs")
