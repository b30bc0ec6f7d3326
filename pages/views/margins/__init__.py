"""Margins: most violated orders, slacks, and training by cutting planes."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Margins",
    "How a structured SVM scores a whole list",
    key="margin_view",
    order=("one_list", "trained_tested", "feature_maps"),
    opening={"margin_source": "by hand"},
)
