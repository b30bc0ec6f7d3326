"""The colours of the visitor's theme."""

import streamlit as st

from rankcore.charts.palette import MARKERS, Palette, palette


def colours() -> Palette:
    """The palette of the theme the visitor uses; it follows a change of theme."""
    return palette(st.context.theme.type)


def algorithm_style(name: str) -> tuple[str, str]:
    """The colour and marker an algorithm has on every page."""
    from rankcore.algorithms import list_algorithms

    names = list_algorithms()
    position = names.index(name) if name in names else 0
    runs = colours().runs
    marker = MARKERS[position // len(runs) % len(MARKERS)]
    return runs[position % len(runs)], marker
