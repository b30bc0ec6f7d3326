"""The claim that votes of all pairs and one linear score order documents alike."""

from functools import lru_cache

import numpy as np
import streamlit as st

from pages.ui import cone_points, downloads, frame
from pages.ui.cone_claim_parts import Tables, colour, vector_names, verdict
from pages.ui.theme import colours
from rankcore.charts import cone_claims as charts
from rankcore.insight import cone_claims as insight

CASES = 200
DOCUMENTS = np.array(
    [[0.9, 0.7], [0.2, 1.1], [1.1, -0.2], [-0.3, 0.4], [0.4, -0.6], [-0.8, -0.3]]
)
NAMES = tuple("ABCDEF")
ACUTE = np.array([[1.0, 0.2], [0.3, 0.9]])


def settings() -> None:
    """Documents and vectors to change."""
    cone_points.fields("cone_documents", DOCUMENTS, NAMES, "Document")
    cone_points.fields("cone_vectors", ACUTE, vector_names(2), "Vector")


def show() -> Tables:
    """Both orders of a list, and whether they are the same."""
    documents = cone_points.read("cone_documents", DOCUMENTS)
    basis = cone_points.read("cone_vectors", ACUTE).T
    found = insight.order(basis, documents)
    same = bool((found.by_score == found.by_votes).all())
    verdict(
        "Algorithm 2 counts votes of all pairs, in O(n²NK). Sorting by one linear "
        "score does the same in O(nN).",
        "The sum of a pair's free weights is 1ᵀU⁺(x − x′) = aᵀx − aᵀx′ with "
        "a = (U⁺)ᵀ1, so a pair's vote is the sign of a difference of scores.",
        holds=True,
    )
    facts = _facts(found, same=same)
    frame.facts(facts)
    ordered = {
        "document": list(NAMES),
        "feature 1": documents[:, 0],
        "feature 2": documents[:, 1],
        "score": found.scores,
        "votes": found.votes,
    }
    pairs = [
        {"pair": f"{NAMES[i]}, {NAMES[j]}", "1ᵀU⁺z": value}
        for i, j, value in insight.pair_sums(basis, documents)
    ]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        frame.heading(
            "Documents and their places along a", "drag a document or a vector"
        )
        frame.figure(
            charts.documents_figure(
                basis, documents, found, NAMES, colour(), colours()
            ),
            key="cone_documents_plane",
            alt=f"{NAMES[found.by_score[0]]} lies furthest along a and is first.",
            table=ordered,
            on_drag=_drag_document,
        )
    with right:
        frame.heading("Two orders", "a line that crosses would be a difference")
        frame.figure(
            charts.orders_figure(found, NAMES, colours()),
            key="cone_orders",
            alt="Votes and scores give "
            + ("the same order." if same else "orders that differ."),
            table=pairs,
        )
    if not same:
        st.caption(
            "Documents of equal score: the vote of such a pair goes to the second, "
            "where sorting keeps the order of the input."
        )
    return {"Facts": downloads.facts(facts), "Documents": ordered, "Pairs": pairs}


def _facts(found: insight.Order, *, same: bool) -> list[frame.Fact]:
    return [
        frame.Fact("These two orders", "the same" if same else "differ"),
        frame.Fact(
            "Random cones and lists",
            f"{CASES - _differing()} of {CASES} agree",
            "2 to 6 features, 1 to 8 vectors",
        ),
        frame.Fact("Votes in all", str(int(found.votes.sum())), "one a pair"),
        frame.Fact(
            "a",
            "({:.3f}, {:.3f})".format(*found.direction).replace("-", "−"),
            "scores a document",
        ),
    ]


def _drag_document(trace: str, place: int, x: float, y: float) -> None:
    if trace == "documents":
        cone_points.move("cone_documents", DOCUMENTS, place, (x, y))
    elif trace == "u":
        cone_points.move("cone_vectors", ACUTE, place, (x, y))


@lru_cache(maxsize=1)
def _differing() -> int:
    return insight.orders_that_differ(CASES)
