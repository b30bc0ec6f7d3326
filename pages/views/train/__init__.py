"""Train: the measure and the coefficients while a model learns."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Train",
    "Watch NDCG and the coefficients while a model learns",
    order=("run",),
    presets_by_view=True,
)
