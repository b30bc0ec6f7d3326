"""The claim that votes of all pairs and one linear score rank documents alike."""

from functools import lru_cache

from pages.views.cones._cone import moves
from pages.views.cones.claims._points import vector, vectors
from rankcore import views
from rankcore.plot.numbers import minus
from rankcore.topics.cones import claims as insight
from rankcore.topics.cones import claims_figure as charts

CASES = 200
NAMES = tuple("ABCDEF")
DOCUMENTS = views.Points(
    "cone_documents",
    "",
    "Document",
    start=((0.9, 0.7), (0.2, 1.1), (1.1, -0.2), (-0.3, 0.4), (0.4, -0.6), (-0.8, -0.3)),
    names=NAMES,
    group=views.MORE,
)
VECTORS = vectors(((1.0, 0.2), (0.3, 0.9)))
TIED = views.Caption(
    "Documents with equal scores: votes put the second of the pair first, sorting "
    "keeps the order of the input."
)


@lru_cache(maxsize=1)
def _agreeing() -> str:
    return f"{CASES - insight.orders_that_differ(CASES)} of {CASES} agree"


def show(values: views.Values) -> views.Shown:
    """Return both orders of a list, and whether they are the same."""
    documents, basis = DOCUMENTS.points(values), VECTORS.points(values).T
    orders, palette = insight.order(basis, documents), values.palette
    left = views.Panel(
        "cone_documents_plane",
        "Documents and their places along a",
        "drag a point",
        charts.documents_figure(basis, documents, orders, NAMES, palette),
        on_drag=moves(values, documents=DOCUMENTS, u=VECTORS),
    )
    right = views.Panel(
        "cone_orders",
        "Two orders",
        "crossing lines: they differ",
        charts.orders_figure(orders, NAMES, palette),
    )
    same = bool((orders.by_score == orders.by_votes).all())
    facts = [
        views.Fact("These two orders", "the same" if same else "differ"),
        views.Fact("Random cones and lists", _agreeing(), "2–6 features, 1–8 vectors"),
        views.Fact("Total votes", str(int(orders.votes.sum())), "one per pair"),
        views.Fact("a", minus(vector(orders.direction)), "scores a document"),
    ]
    pairs = [
        {"pair": f"{NAMES[i]}, {NAMES[j]}", "1ᵀU⁺z": total}
        for i, j, total in insight.pair_sums(basis, documents)
    ]
    row = views.Row([[left], [right]], widths=(9, 5))
    return views.Shown(facts, [row, *([] if same else [TIED])], {"Pairs": pairs})


CLAIM = views.Claim(
    "Votes and the linear score",
    "Algorithm 2 counts the votes of all pairs, in O(n²NK). Sorting by one linear "
    "score gives the same order in O(nN).",
    "It holds. The sum of a pair's unconstrained weights is 1ᵀU⁺(x − x′) = aᵀx − aᵀx′ "
    "with a = (U⁺)ᵀ1, so a pair's vote is the sign of a difference of scores.",
    [DOCUMENTS, VECTORS],
    show,
)
