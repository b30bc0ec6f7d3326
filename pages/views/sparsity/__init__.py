"""Sparsity: one path over the penalty, and rules of soft thresholding compared."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Sparsity",
    "How many features can you remove without hurting the ranking?",
    key="sparse_view",
    order=("one_path", "compare_rules"),
    # On raw scales a penalty removes features by their units.
    opening={"normalise": "minmax"},
)
