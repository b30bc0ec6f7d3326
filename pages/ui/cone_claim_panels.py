"""The view of the Cones page that puts claims of the paper to the test."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from pages.ui import (
    cone_claim_folding,
    cone_claim_interior,
    cone_claim_negative,
    cone_claim_votes,
    state,
)
from pages.ui.cone_claim_parts import Tables


class Claim(NamedTuple):
    """A claim: its controls, and what it draws and returns as tables by name."""

    settings: Callable[[], None]
    show: Callable[[], Tables]


CLAIMS: Mapping[str, Claim] = {
    "Votes and the linear score": Claim(
        cone_claim_votes.settings, cone_claim_votes.show
    ),
    "Clipping is a projection": Claim(
        cone_claim_folding.settings, cone_claim_folding.show
    ),
    "A cone of few vectors is proper": Claim(
        cone_claim_interior.settings, cone_claim_interior.show
    ),
    "The negative projects to zero": Claim(
        cone_claim_negative.settings, cone_claim_negative.show
    ),
}


def settings() -> Claim:
    """Choose a claim, and what it is about."""
    name = st.radio(
        "Claim",
        list(CLAIMS),
        on_change=_forget,
        **state.widget("cone_claim"),
    )
    claim = CLAIMS[name]
    claim.settings()
    return claim


def show(claim: Claim) -> Tables:
    """The chosen claim beside its check; returns its numbers."""
    return claim.show()


def _forget() -> None:
    """Another claim begins with its own points."""
    for key in ("cone_vectors", "cone_target"):
        state.put(key, "")
