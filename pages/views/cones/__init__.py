"""Cones: ConeRank's cone among document differences, and its ranking."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Cones",
    "How a cone of document differences defines a ranking",
    key="cone_view",
    order=("geometry",),
)
