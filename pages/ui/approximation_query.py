"""A query of a data set as the list of the Approximation page."""

import numpy as np
import streamlit as st

from pages.ui import controls, query_choice, score_list, state
from pages.ui.score_list import ScoreList
from rankcore.dataset import RankingDataset


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
                "approx_list", score_list.write(listed(train, query - 1, feature))
            ),
        )
        st.caption(
            f"Its {score_list.MOST} best documents, scores from 0 to 1, labels at most "
            f"{score_list.HIGHEST}."
        )


def listed(dataset: RankingDataset, query: int, feature: str) -> ScoreList:
    """A query's best documents by a feature, scores scaled from 0 to 1."""
    begin, end = dataset.offsets[query], dataset.offsets[query + 1]
    values = dataset.X[begin:end, list(dataset.feature_names).index(feature)]
    labels = np.minimum(dataset.y[begin:end], score_list.HIGHEST)
    best = np.argsort(-values, kind="stable")[: score_list.MOST]
    low, spread = values[best].min(), float(np.ptp(values[best])) or 1.0
    scores, labels = np.round((values[best] - low) / spread, 4), labels[best]
    if len(scores) < score_list.FEWEST:
        scores, labels = np.append(scores, -1.0), np.append(labels, 0)
    return ScoreList(scores, labels)
