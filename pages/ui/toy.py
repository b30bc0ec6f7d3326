"""The small ranking of the home page: drag one weight and watch nDCG jump.

The numbers come from `rankcore.insight.toy`, once; moving the weight afterwards happens
in the browser, without a word to the server.
"""

from pathlib import Path

import streamlit as st

from pages.ui.theme import colours
from rankcore.insight.toy import CUTOFF, DOCUMENTS, ideal_order, staircase

HERE = Path(__file__).parent

_toy = st.components.v2.component(
    "toy_ranking",
    css=(HERE / "toy.css").read_text("utf-8"),
    js=(HERE / "toy.js").read_text("utf-8"),
)


def toy_ranking(key: str, weight: float) -> None:
    """Draw the ranking, its ideal order and nDCG over the weight, with a slider.

    Parameters
    ----------
    key : str
    weight : float
        Where the slider stands at first, 0 to 1.
    """
    palette = colours()
    fills = [palette.label(document.label, highest=2) for document in DOCUMENTS]
    documents = [
        {
            "name": f"{document.name} · {document.label}",
            "relevant": document.label > 0,
            "fill": fill,
            "ink": palette.on(fill),
        }
        for document, fill in zip(DOCUMENTS, fills, strict=True)
    ]
    pieces = [
        {"start": p.start, "end": p.end, "order": p.order, "ndcg": p.ndcg}
        for p in staircase()
    ]
    data = {
        "documents": documents,
        "pieces": pieces,
        "ideal": ideal_order(),
        "measure": f"nDCG@{CUTOFF}",
        "start": min(max(weight, 0.0), 1.0),
    }
    _toy(key=key, data=data)


def toy_table() -> list[dict[str, str]]:
    """The stairs as rows of a table."""
    return [
        {
            "Weight of clicks from": f"{piece.start:.3f}",
            "to": f"{piece.end:.3f}",
            "Order": " ".join(DOCUMENTS[i].name for i in piece.order),
            f"nDCG@{CUTOFF}": f"{piece.ndcg:.3f}",
        }
        for piece in staircase()
    ]
