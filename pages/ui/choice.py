"""One of several: buttons in a row, or a select box.

Of the box, labels are shown while the link holds names. Streamlit's own binding writes
the label into the link; a label may change, a name may not. Such a setting is not
`bound` in the table of settings.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from pages.ui import state


def segments(label: str, key: str, names: Iterable[str], **details: Any) -> str:
    """Draw a bound setting as buttons, one of which is always chosen; which one.

    Parameters
    ----------
    label : str
    key : str
        Of the setting.
    names : iterable of str
        The values to choose from.
    **details
        For `st.segmented_control`.
    """
    return st.segmented_control(
        label,
        list(names),
        default=state.default(key),
        required=True,
        **state.widget(key),
        **details,
    )


def select(label: str, key: str, labels: Mapping[str, str], **details: Any) -> str:
    """Draw the box of an unbound setting; returns the name that is chosen.

    Parameters
    ----------
    label : str
    key : str
        Of the setting. The box itself has the key ``choose_<key>``.
    labels : dict
        What each name is called; typing in the box searches in it.
    **details
        For `st.selectbox`.
    """
    chosen = state.get(key)
    if chosen not in labels:
        chosen = (
            state.default(key) if state.default(key) in labels else next(iter(labels))
        )
    box(label, key, labels, chosen, **details)
    state.put(key, chosen)
    return chosen


def box(
    label: str, key: str, labels: Mapping[str, str], chosen: str, **details: Any
) -> None:
    """Draw the box of an unbound setting as `select` does, showing ``chosen``.

    The setting changes only when somebody picks another name.
    """
    shown = _distinct(labels)
    widget = f"choose_{key}"
    st.session_state[widget] = chosen
    st.selectbox(
        label,
        list(labels),
        format_func=lambda name: shown.get(name, name),
        key=widget,
        on_change=_pick,
        args=(key, widget, labels),
        **details,
    )


def _pick(key: str, widget: str, labels: Mapping[str, str]) -> None:
    """Take what has been picked; a label from before the last run is no name."""
    picked = st.session_state[widget]
    if picked in labels:
        state.put(key, picked)


def _distinct(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels, those that are the same told apart by their names."""
    times = Counter(labels.values())
    return {
        name: f"{label} ({name})" if times[label] > 1 else label
        for name, label in labels.items()
    }
