"""One of several: buttons in a row, a select box, or a box with a number.

Of the select box, labels are shown while the link holds names. Streamlit's own binding
writes the label into the link; a label may change, a name may not. Such a setting is
not `bound` in the table of settings; nor is one that has a box with a number.
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


def number(label: str, key: str, low: int, high: int, **details: Any) -> int:
    """Draw the box of an unbound whole number; returns it, or ``low`` if out of range.

    Where the program has set the number, it stands in a new box. The old one tells its
    own again until the browser has drawn that anew, as where a run asks for the page
    many times a second; and drawn once more meanwhile, it would keep it for ever.

    Parameters
    ----------
    label : str
    key : str
        Of the setting. The box itself has the key ``choose_<key>_<n>``.
    low, high : int
        The least and the largest number.
    **details
        For `st.number_input`.
    """
    chosen = state.get(key)
    if not low <= chosen <= high:
        chosen = low
    state.put(key, chosen)
    shown, boxes = st.session_state.get(_boxed(key), (chosen, 0))
    if chosen != shown:
        boxes += 1
    st.session_state[_boxed(key)] = chosen, boxes
    widget = f"choose_{key}_{boxes}"
    st.number_input(
        label,
        low,
        high,
        chosen,
        key=widget,
        on_change=_take,
        args=(key, widget, boxes),
        **details,
    )
    return chosen


def _take(key: str, widget: str, boxes: int) -> None:
    """Take the number from the box, which stays; none from a box that has gone."""
    if st.session_state[_boxed(key)][1] == boxes:
        chosen = st.session_state[widget]
        state.put(key, chosen)
        st.session_state[_boxed(key)] = chosen, boxes


def _boxed(key: str) -> str:
    return f"{key} in its box"


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
