"""The list that the Reduction page takes apart: one by hand, or a query of the data."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.ui import controls, datasets, frame, query_choice, sortable, state
from pages.ui.choice import segments
from rankcore.catalogue import Splits
from rankcore.dataset import RankingDataset
from rankcore.insight.pair_losses import ListPairs, list_pairs
from rankcore.insight.ranking import query_ranking

SOURCES = ("by hand", "a query of the data")
GAPS = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0)
STEPS = 60
MOST_SECONDS = 1.5
ROWS = 16


class RankedList(NamedTuple):
    """A list from the top down, its pairs, and where it comes from.

    Attributes
    ----------
    names, labels : tuple of n str, tuple of n int
    numbers : (n,) int64
        A permutation of 0 to n - 1: the i that each document has.
    pairs : ListPairs
    dataset, scores : RankingDataset and (m,) float64, or None
        The whole part of the data that a query belongs to, and its scores.
    """

    names: tuple[str, ...]
    labels: tuple[int, ...]
    numbers: np.ndarray
    pairs: ListPairs
    dataset: RankingDataset | None = None
    scores: np.ndarray | None = None

    @property
    def by_hand(self) -> bool:
        """Whether the visitor orders it."""
        return self.dataset is None


def settings() -> Callable[[], RankedList]:
    """Draw the controls of the list; returns what makes it and draws it."""
    source = segments(
        "List",
        "red_source",
        SOURCES,
    )
    if source == SOURCES[0]:
        return _by_hand_settings()
    return _query_settings()


def _by_hand_settings() -> Callable[[], RankedList]:
    documents = sortable.read(str(state.get("ranking"))) or []
    st.session_state["documents"] = len(documents) or 5
    st.number_input(
        "Documents",
        2,
        sortable.MOST,
        key="documents",
        on_change=lambda: sortable.resize("ranking", st.session_state["documents"]),
    )
    gap = st.select_slider(
        "Scores are apart by",
        GAPS,
        state.default("red_gap"),
        help="Each document's score is this much below that of the one above it. The "
        "surrogate losses depend on it; 1 − NDCG and L do not.",
        **state.widget("red_gap"),
    )
    return lambda: _by_hand(gap)


def _by_hand(gap: float) -> RankedList:
    frame.heading("The list", "drag, or arrow keys; + and − set the label")
    documents = sortable.ranking("ranking")
    names = tuple(document.name for document in documents)
    labels = tuple(document.label for document in documents)
    return RankedList(
        names,
        labels,
        np.argsort(np.argsort(names)),
        list_pairs(labels, -gap * np.arange(len(labels))),
    )


def _query_settings() -> Callable[[], RankedList]:
    splits = datasets.load_or_stop(controls.dataset_picker())
    dataset, query = query_choice.picker(splits)
    path = trained(splits)
    step = st.slider(
        "Steps of RSRank",
        0,
        STEPS,
        state.default("red_steps"),
        help="The query is ranked by RSRank after this many steps on the training "
        "data; 0 is where it starts.",
        **state.widget("red_steps"),
    )
    if step >= len(path):
        st.caption(f"On this much data only {len(path) - 1} steps were taken.")
    scores = dataset.X @ path[min(step, len(path) - 1)]
    return lambda: _query(dataset, query, scores)


def _query(dataset: RankingDataset, number: int, scores: np.ndarray) -> RankedList:
    from rankcore.measures import parse

    query = dataset.query(number)
    own = scores[query.slice]
    pairs = list_pairs(query.y, own)
    order = np.argsort(pairs.ranks)
    frame.heading(f"Query {query.id}", "RSRank → ideal")
    frame.chips(
        query_ranking(query, own, parse("nDCG")),
        key="red_chips",
        rows=ROWS,
        alt="Labels in the order of RSRank: "
        + ", ".join(str(label) for label in query.y[order][:ROWS])
        + ".",
    )
    names = tuple(query.doc_ids[i] for i in order)
    labels = tuple(int(label) for label in query.y[order])
    st.button(
        f"Drag its first {min(len(labels), sortable.MOST)} by hand",
        key="red_by_hand",
        on_click=_take_over,
        args=(labels,),
    )
    return RankedList(names, labels, order, pairs, dataset, scores)


def _take_over(labels: Sequence[int]) -> None:
    """Put the first documents of a query into the list that is ordered by hand."""
    sortable.fill("ranking", labels)
    state.apply({"red_source": SOURCES[0]})


def trained(splits: Splits) -> np.ndarray:
    """(steps + 1, d) coefficients of RSRank along its training."""
    return _trained(splits.train.fingerprint, splits.train)


@st.cache_data(max_entries=8, show_spinner="Training RSRank for 60 steps …")
def _trained(fingerprint: str, _dataset: RankingDataset) -> np.ndarray:
    from rankcore.algorithms import get_algorithm
    from rankcore.training import train_briefly

    algorithm = get_algorithm("RSRank")(max_iter=STEPS)
    run = train_briefly(algorithm, _dataset, max_iterations=STEPS, seconds=MOST_SECONDS)
    return np.array([record.coef for record in run.history.records])
