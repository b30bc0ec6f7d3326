"""A claim of a paper beside what is true of it, and the numbers that show it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import frame, state

Tables = dict[str, Any]


def nothing() -> Mapping[str, Any]:
    """The controls of a claim that has none."""
    return {}


class Claim(NamedTuple):
    """A claim of a paper and its check.

    Attributes
    ----------
    says, holds : str
        What the paper says and what is true, in Markdown.
    check : callable
        Draws the numbers, and returns them as tables by name.
    scene : dict
        Settings that show it on a list of another view.
    settings : callable
        Draws the controls of its own, and returns what they add to the scene.
    """

    says: str
    holds: str
    check: Callable[[], Tables]
    scene: Mapping[str, Any]
    settings: Callable[[], Mapping[str, Any]] = nothing


def show(claim: Claim, key: str, label: str) -> Tables:
    """Draw a claim beside its check; returns its numbers.

    Parameters
    ----------
    claim : Claim
    key, label : str
        Of the button that goes to its scene.
    """
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        frame.heading("The paper says")
        st.markdown(claim.says)
    with right, st.container(border=True, height="stretch"):
        frame.heading("What is true")
        st.markdown(claim.holds)
    tables = claim.check()
    st.button(
        label,
        key=key,
        icon=":material/arrow_forward:",
        on_click=state.apply,
        args=(claim.scene,),
    )
    return tables
