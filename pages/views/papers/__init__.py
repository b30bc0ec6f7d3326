"""Papers: what five papers claim, and what the same experiments give here."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Papers",
    "What five papers claim, and what the same experiment gives here",
    order=("claims", "leaderboard"),
)
