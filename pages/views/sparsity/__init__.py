"""Sparsity: paths over the penalty, a single coefficient, steps to corners."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Sparsity",
    "How many features can you remove without hurting the ranking?",
    key="sparse_view",
    order=("one_path", "coefficient", "compare_rules", "corners"),
    # On unscaled data, a penalty removes features according to their units.
    opening={"normalise": "minmax"},
)
