"""Measures: the contribution of each rank, conventions, and smooth versions."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Measures",
    "What does each measure see when documents change places?",
)
