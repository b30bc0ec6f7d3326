"""A query of a data set: which part, which query, and its documents as a list."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import streamlit as st

from pages.ui import controls, datasets, sortable, state
from rankcore.catalogue import Splits
from rankcore.dataset import RankingDataset
from rankcore.errors import DataError
from rankcore.insight.data import parts
from rankcore.insight.ranking import labels_in_order

AS_GIVEN = "as in the data"


class QueryChoice(NamedTuple):
    """A part of the data and the position of a query in it, from 0."""

    dataset: RankingDataset
    query: int


def part(splits: Splits) -> RankingDataset:
    """Choose a part of the data."""
    offered = parts(splits)
    if st.session_state.get("part", "train") not in offered:
        st.session_state["part"] = next(iter(offered))
    return offered[controls.part_picker(list(offered))]


def picker(splits: Splits) -> QueryChoice:
    """Choose a part of the data and a query of it."""
    dataset = part(splits)
    return QueryChoice(dataset, controls.query_picker(dataset.n_queries) - 1)


@contextmanager
def taking(key: str) -> Iterator[Splits | None]:
    """A popover in which data are chosen; gives them, or None while there are none."""
    with st.popover(
        "Take a query of the data",
        key=f"{key}_take",
        on_change="rerun",
        type="tertiary",
    ) as popover:
        yield _chosen() if popover.open else None


def _chosen() -> Splits | None:
    name = controls.dataset_picker()
    try:
        return datasets.load(name, str(state.get("normalise")))
    except DataError as error:
        st.warning(str(error), icon=":material/database_off:")
        return None


def take_picker(key: str) -> None:
    """A popover that puts the first documents of a query into the ranking ``key``."""
    with taking(key) as splits:
        if splits is None:
            return
        dataset, query = picker(splits)
        order = st.selectbox(
            "In the order", [AS_GIVEN, *dataset.feature_names], key=f"{key}_order"
        )
        feature = None if order == AS_GIVEN else order
        st.button(
            "Take it",
            key=f"{key}_take_it",
            on_click=lambda: sortable.fill(
                key, labels_in_order(dataset, query, feature)
            ),
        )
        st.caption(
            f"Its first {sortable.MOST} documents, labels at most {sortable.HIGHEST}; "
            "a feature puts its highest values first."
        )
