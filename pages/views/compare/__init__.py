"""Compare: which algorithm is better, and whether the difference could be noise."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Compare",
    "Which algorithm is better on these queries, and could the difference be noise?",
    order=("curves", "queries", "slices", "models"),
    opening={"data": "planted-900"},
)
