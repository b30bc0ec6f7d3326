"""What one model of the landscape does to one query."""

import math

import streamlit as st

from pages.ui import controls, frame
from pages.ui import landscape_numbers as numbers
from pages.ui.landscape_numbers import Scene
from rankcore import measures
from rankcore.insight.ranking import QueryRanking, query_ranking

ROWS = 12


def show(scene: Scene, place: float) -> None:
    """Choose a query and draw its ranking at a place of the line or circle."""
    dataset = numbers.ground(scene)
    heading = st.container()
    query = dataset.query(controls.query_picker(dataset.n_queries, "collapsed") - 1)
    model = numbers.CURVES[scene.shape].models(place)
    found = query_ranking(query, query.X @ model, measures.parse(scene.measure))
    with heading:
        frame.heading(f"Query {query.id}", "this model → ideal")
    frame.chips(
        found,
        key="land_ranking",
        rows=ROWS,
        alt=f"Labels in the order of this model: {_labels(found)}.",
    )
    st.caption(_caption(found, scene.measure))


def _labels(found: QueryRanking) -> str:
    return ", ".join(str(label) for label in found.labels[:ROWS])


def _caption(found: QueryRanking, measure: str) -> str:
    if math.isnan(found.value):
        return f"{measure} is undefined: this query has no relevant document."
    hidden = len(found.documents) - ROWS
    more = f" {hidden} more documents are further down." if hidden > 0 else ""
    return (
        f"{measure} of this query: {found.value:.3f}. Documents change places only "
        f"where two scores cross.{more}"
    )
