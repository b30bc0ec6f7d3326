"""Home: an animated stored run, links to all pages, and why ranking is hard."""

from rankcore.algorithms import list_algorithms
from rankcore.views import Page

PAGE = Page(
    __name__,
    "Watch ranking algorithms learn",
    f"Train {len(list_algorithms())} published ranking algorithms in your browser. "
    "See NDCG rise, features vanish and documents change places.",
    exports=False,
)
