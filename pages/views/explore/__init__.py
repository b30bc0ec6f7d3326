"""Explore: how the result depends on the settings of an algorithm."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Explore",
    "How do the measure and the number of features depend on the settings?",
    order=("map", "search", "trade_offs", "sensitivity"),
    opening={"data": "planted-900"},
    presets_by_view=True,
)
