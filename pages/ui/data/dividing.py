"""The visitor's choice of how to split the queries of one uploaded file."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import texts
from rankcore.base.errors import DataError
from rankcore.data.dataset import FEWEST_FOLDS
from rankcore.data.readers import ByColumn, Division, Fold, Shares

SHARES, FOLDS, COLUMN = "By query, in shares", "k folds", "By column"
MOST_FOLDS = 20
HIGHEST_SEED = 2**31 - 1


def control(groups: Sequence[str], detected: str | None) -> Division:
    """Draw the control of the split. ``groups`` are columns that may hold the split of
    each query, and ``detected`` is the likely one; raises DataError for a text that is
    not a valid division."""
    kinds = [SHARES, FOLDS, *([COLUMN] if groups else [])]
    kind = st.selectbox(
        "Split the file",
        kinds,
        kinds.index(COLUMN) if detected else 0,
        key=f"upload_split {'by column' if detected else ''}",
        help="Queries are never divided: all their documents are in one split.",
    )
    return {SHARES: _shares, FOLDS: _fold}.get(
        kind, lambda: _column(groups, detected)
    )()


def _column(groups: Sequence[str], detected: str | None) -> Division:
    return ByColumn(
        st.selectbox(
            "Column with train, valid or test",
            groups,
            groups.index(detected) if detected else 0,
            format_func=texts.literal,
            key=f"upload_split_column {' '.join(groups)}",
        )
    )


def _fold() -> Division:
    folds, number, seed = st.columns(3)
    most = int(folds.number_input("Folds", FEWEST_FOLDS, MOST_FOLDS, 5, key="upload_k"))
    test = int(number.number_input("Test fold", 1, most, 1, key=f"upload_fold {most}"))
    division = Fold(test, most, _seed(seed))
    st.caption(
        f"Fold {test} is for testing, fold {test % most + 1} for validation, the "
        "others for training. Every page uses this fold."
    )
    return division


def _shares() -> Division:
    shares, seed = st.columns(2)
    text = shares.text_input(
        "Shares (%)",
        str(Shares()),
        key="upload_shares",
        help="Percentages of the queries for training, validation and test; two "
        "numbers leave the test split out.",
    )
    try:
        return Shares.parse(text, _seed(seed))
    except ValueError as error:
        problem = str(error).partition(";")[0]
        remedy = "Write percentages that sum to 100, such as 60/20/20"
        raise DataError(problem, remedy) from error


def _seed(place: DeltaGenerator) -> int:
    return int(place.number_input("Seed", 0, HIGHEST_SEED, key="upload_seed"))
