"""Approximation: how far a smooth surrogate is from the measure it stands for."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import approximation_panels, frame, state


class View(NamedTuple):
    """One way to look: its settings, and what it draws with their values."""

    settings: Callable[[], Any]
    show: Callable[[Any], None]


VIEWS: Mapping[str, View] = {
    "One list": View(approximation_panels.settings, approximation_panels.show),
}


@st.fragment
def body() -> None:
    """Controls and figures of the chosen view, drawn anew together."""
    frame.page(
        "Approximation",
        "How far is the smooth surrogate from the measure it stands for?",
    )
    name = st.segmented_control(
        "View",
        list(VIEWS),
        default=state.default("approx_view"),
        required=True,
        label_visibility="collapsed",
        **state.widget("approx_view"),
    )
    view = VIEWS[name]
    controls, picture = frame.split()
    with controls:
        values = view.settings()
    with picture:
        view.show(values)


body()
