"""Measures: the contribution of each rank, conventions, and smooth versions."""

from pages.ui.view import Page

PAGE = Page(
    __name__,
    "Measures",
    "What does each measure see when documents change places?",
)
