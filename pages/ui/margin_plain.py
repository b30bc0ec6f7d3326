"""The Margins page as long as there is no structured learner."""

import streamlit as st

from pages.ui import controls, datasets, frame, margin_choice, query_choice
from rankcore import measures
from rankcore.insight.ranking import QueryRanking, query_ranking

ROWS = 16
MEASURE = "nDCG@10"


def show() -> dict[str, object]:
    """Say what is not there yet, and draw the order that a linear model prefers;
    returns its numbers."""
    settings, picture = frame.split()
    with settings:
        data = controls.dataset_picker()
        splits = datasets.load_or_stop(data)
        model = margin_choice.linear_model(data, splits.train.n_features)
        dataset, position = query_choice.picker(splits)
        query = dataset.query(position)
    found = query_ranking(query, query.X @ model.coef, measures.parse(MEASURE))
    with picture:
        st.info(margin_choice.NOT_THERE, icon=":material/hourglass_empty:")
        _argmax(str(query.id), found)
    return {
        "rank": list(range(1, len(found.labels) + 1)),
        "document": list(found.documents),
        "label": found.labels,
        "score": found.scores,
    }


def _argmax(query: str, found: QueryRanking) -> None:
    frame.heading(f"Query {query}", "the order the model prefers → the ideal one")
    st.latex(r"\hat y = \arg\max_y\, w^\top \phi(x_q, y)")
    labels = ", ".join(str(label) for label in found.labels[:ROWS])
    frame.chips(
        found,
        key="argmax",
        rows=ROWS,
        alt=f"Labels of the documents in the order of the model: {labels}.",
    )
    st.caption(
        "The argmax of a linear model sorts documents by score, here for "
        f"{MEASURE} {found.value:.3f}."
    )
