"""Clicks: what clicks reveal about relevance and about position."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Clicks",
    "What do clicks say about relevance?",
    opening={"data": "planted"},
)
