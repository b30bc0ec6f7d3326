"""A query of a data set as the list of the Approximation page."""

import streamlit as st

from pages.ui import controls, query_choice, score_list, state
from pages.ui.score_list import ScoreList
from rankcore.dataset import RankingDataset
from rankcore.insight.approximate_list import query_list


def picker() -> None:
    """A popover that takes a query, its documents scored by one feature."""
    with query_choice.taking("approx") as splits:
        if splits is None:
            return
        train = splits.train
        query = controls.query_picker(train.n_queries)
        feature = st.selectbox(
            "Score by the feature", train.feature_names, key="approx_feature"
        )
        st.button(
            "Take it",
            key="approx_take_it",
            on_click=lambda: state.put(
                "approx_list", score_list.write(_listed(train, query - 1, feature))
            ),
        )
        st.caption(
            f"Its {score_list.MOST} best documents, scores from 0 to 1, labels at most "
            f"{score_list.HIGHEST}."
        )


def _listed(dataset: RankingDataset, query: int, feature: str) -> ScoreList:
    return ScoreList(
        *query_list(dataset, query, feature, score_list.MOST, score_list.HIGHEST)
    )
