"""Sparsity: paths over the penalty, a single coefficient, steps to corners."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Sparsity",
    "How many features can you remove without hurting the ranking?",
    key="sparse_view",
    order=("one_path", "coefficient", "compare_rules", "corners"),
    # On raw scales a penalty removes features by their units.
    opening={"normalise": "minmax"},
)
