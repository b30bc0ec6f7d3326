"""Approximation: how far a smooth surrogate is from the measure it approximates."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Approximation",
    "How far is a smooth surrogate from the measure it approximates?",
    key="approx_view",
    order=("one_list", "training", "landscape"),
    presets_by_view=True,
)
