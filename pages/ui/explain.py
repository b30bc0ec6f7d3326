"""The Explain panel: equation, source, how to read the figures, a thing to try."""

from collections.abc import Mapping

import streamlit as st


def panel(tabs: Mapping[str, str]) -> None:
    """Draw the panel, closed until a visitor opens it.

    Parameters
    ----------
    tabs : dict
        Title → text in Markdown.
    """
    with st.expander(
        "Explain", icon=":material/school:", key="explain", on_change="rerun"
    ) as expander:
        if expander.open:
            for tab, text in zip(st.tabs(list(tabs)), tabs.values(), strict=True):
                tab.markdown(text)
