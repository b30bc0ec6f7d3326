"""Cones: the cone of ConeRank among differences of documents, and what it ranks."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Cones",
    "How a cone of document differences defines a ranking",
    key="cone_view",
    order=("geometry",),
)
