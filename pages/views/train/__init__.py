"""Train live: the measure and the coefficients while a model learns."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Train live",
    "Watch NDCG and the coefficients while a model learns",
    order=("run",),
    presets_by_view=True,
)
