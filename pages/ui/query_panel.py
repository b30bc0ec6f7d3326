"""One query's ranking under a run, its ideal order beside it."""

import math

import streamlit as st

from pages.ui import controls, frame, query_choice, state
from pages.ui.run_view import RunView
from rankcore.dataset import RankingDataset
from rankcore.insight.ranking import QueryRanking, query_ranking, weakest_query

ROWS = 16


def show(view: RunView) -> None:
    """Choose a query and draw its ranking."""
    heading = st.container()
    dataset = query_choice.part(view.splits)
    query = dataset.query(_number(view, dataset) - 1)
    numbers = query_ranking(query, view.scores(query.X), view.measure, view.convention)
    with heading:
        frame.heading(f"Query {query.id}", "model → ideal")
    frame.chips(numbers, key="ranking", rows=ROWS, alt=_sentence(numbers))
    st.caption(_caption(numbers, str(view.measure)))


def _number(view: RunView, dataset: RankingDataset) -> int:
    def show_weakest() -> None:
        scores = view.scores(dataset.X)
        weakest = weakest_query(dataset, scores, view.measure, view.convention)
        state.put("query", weakest + 1)

    with st.container(horizontal=True, key="which_query"):
        number = controls.query_picker(dataset.n_queries, "collapsed")
        st.button(
            "Weakest",
            key="weakest",
            help="The query on which the model loses most.",
            on_click=show_weakest,
        )
    return number


def _sentence(numbers: QueryRanking) -> str:
    labels = ", ".join(str(label) for label in numbers.labels[:ROWS])
    return f"Labels of the documents in the order of the model: {labels}."


def _caption(numbers: QueryRanking, measure: str) -> str:
    if math.isnan(numbers.value):
        return f"{measure} is undefined: this query has no relevant document."
    hidden = len(numbers.documents) - ROWS
    more = f" {hidden} more documents are further down." if hidden > 0 else ""
    return (
        f"{measure} of this query: {numbers.value:.3f}. Lines that are steep near the "
        f"top cost the most.{more}"
    )
