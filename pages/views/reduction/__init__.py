"""Reduction: what pairwise ranking guarantees for NDCG, and what it does not."""

from rankcore.views import Page

PAGE = Page(
    __name__,
    "Reduction",
    "How much does pairwise accuracy guarantee?",
    key="red_view",
    order=("pairs", "losses", "swaps", "regrets"),
)
