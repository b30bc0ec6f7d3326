"""Inspector: one query under a model, document by document."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Inspector",
    "See why a model ranks the documents of a query as it does, and what would change "
    "the order",
)
