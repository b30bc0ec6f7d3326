"""Home: what RankScope is, one picture, and where to go."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Home",
    "Train rankers by optimising NDCG directly, and see how each method works around "
    "its missing gradient.",
)
