"""Papers: the claims of five papers, and the results of the same experiments here."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Papers",
    "The claims of five papers, and the results of the same experiments here",
    order=("claims", "leaderboard"),
)
