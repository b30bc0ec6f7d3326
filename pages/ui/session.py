"""The settings of a visitor: one value each, for the length of the visit.

Values are kept separately from Streamlit's state of its controls. A control reports a
change to `take`; everything else, such as a preset, calls `put`. Where the value of a
setting is no longer the one that its control shows, `control` gives the control a new
key, so that late reports of the old one change nothing.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.catalogue import setting
from rankcore.views import Setting, Values, read
from rankcore.views.settings import RefusedValue

_VERSION = "how often settings have changed"
_NUMBERS = "numbers of controls"
_NAMES = "names in controls"
_REFUSALS = "what settings refuse of the link"
_OPENING = "settings that the page has opened with"
_UNCHECKED = "what the link names, not checked beside the other settings"
_UNSEEN = "what the link names, not checked beside the figures"
_VIEWER = "viewer"


def raw() -> Mapping[str, Any]:
    """Return the chosen values by key, without settings at their defaults."""
    return st.session_state.to_dict()


def values(rows: Sequence[Setting]) -> Values:
    """Return the values of settings that belong to no page."""
    keys = (row.key for row in rows)
    return read(rows, {k: st.session_state[k] for k in keys if k in st.session_state})


def viewer() -> str:
    """Return an unguessable name for this visit."""
    return str(st.session_state.setdefault(_VIEWER, secrets.token_hex(8)))


def version() -> int:
    """Return a number that changes with the settings."""
    return int(st.session_state.get(_VERSION, 0))


def put(changes: Mapping[str, Any]) -> None:
    """Set the values of settings, whatever their controls show."""
    st.session_state[_VERSION] = version() + 1
    for key, value in changes.items():
        st.session_state[key] = value
    _settle(changes)


def forget(keys: Iterable[str]) -> None:
    """Reset settings to their defaults, except lasting ones."""
    st.session_state[_VERSION] = version() + 1
    for key in keys:
        row = setting(key)
        if row is None or not row.lasting:
            st.session_state.pop(key, None)
        _settle([key])


def open_with(settings: Mapping[str, Any]) -> None:
    """Take the settings that a page opens with, except those the visitor has chosen."""
    opening = {k: value for k, value in settings.items() if k not in st.session_state}
    put(opening)
    st.session_state[_OPENING] = opening


def end_opening() -> None:
    """Forget the previous page's opening values, unless the visitor changed them."""
    opening = st.session_state.pop(_OPENING, {})
    forget([k for k, value in opening.items() if st.session_state.get(k) == value])


def begin_link(refusals: Mapping[str, RefusedValue], chosen: Mapping[str, Any]) -> None:
    """Store the refused values of a link, and all its values, which are checked against
    the other settings once none is refused."""
    st.session_state[_REFUSALS] = dict(refusals)
    st.session_state[_UNCHECKED] = dict(chosen)
    st.session_state.pop(_UNSEEN, None)


def refusals(
    check: Callable[[Mapping[str, Any]], Mapping[str, RefusedValue]],
) -> Mapping[str, RefusedValue]:
    """Return the link's refused values, until they are changed; ``check`` returns those
    that do not fit the link's other values."""
    refused = st.session_state.setdefault(_REFUSALS, {})
    if not refused and (unchecked := st.session_state.pop(_UNCHECKED, None)):
        st.session_state[_UNSEEN] = unchecked
        refused = refuse(check(unchecked))
    return dict(refused)


def has_unseen() -> bool:
    """Return whether the link has values that only a figure's choices can refuse."""
    return bool(st.session_state.get(_UNSEEN))


def refused_in_sight(
    check: Callable[[Mapping[str, Any]], Mapping[str, RefusedValue]],
) -> Mapping[str, RefusedValue]:
    """Return the link's values refused by settings whose choices come from a figure,
    once that is complete; ``check`` as in `refusals`."""
    unseen = st.session_state.pop(_UNSEEN, None)
    return refuse(check(unseen)) if unseen else {}


def refuse(refused: Mapping[str, RefusedValue]) -> Mapping[str, RefusedValue]:
    """Reset settings to their defaults, and store these values as refused."""
    forget(refused)
    st.session_state[_REFUSALS] = dict(refused)
    return refused


def accept() -> None:
    """Drop the link's refused values, in a callback."""
    _settle(list(st.session_state.get(_REFUSALS, {})))


def _settle(keys: Iterable[str]) -> None:
    """Forget the link's values of settings that have changed since."""
    for key in keys:
        for noted in (_REFUSALS, _UNCHECKED, _UNSEEN):
            st.session_state.get(noted, {}).pop(key, None)


def reset() -> None:
    """Give every setting its default."""
    forget(key for key in raw() if setting(key) is not None)


def control(key: str, value: Any, names: Sequence[str] | None = None) -> str:
    """Return the key of a setting's control that shall show ``value``.

    ``names`` are the control's names for its values, if any: a browser reports names,
    so other names need another control.
    """
    numbers = st.session_state.setdefault(_NUMBERS, {})
    labels = st.session_state.setdefault(_NAMES, {})
    renamed = labels.get(key, names) != names
    if renamed or st.session_state.get(_key_of(key, numbers), value) != value:
        numbers[key] = numbers.get(key, 0) + 1
    labels[key] = names
    return _key_of(key, numbers)


def shows(key: str, value: Any) -> bool:
    """Whether the control of a setting, if it has one, shows ``value``."""
    numbers = st.session_state.get(_NUMBERS, {})
    return bool(st.session_state.get(_key_of(key, numbers), value) == value)


def stands(key: str, control: str) -> bool:
    """Whether a control is still its setting's current one."""
    return control == _key_of(key, st.session_state.get(_NUMBERS, {}))


def reported(key: str, control: str) -> Any:
    """Return the value of a control; None if the control was replaced."""
    return st.session_state.get(control) if stands(key, control) else None


def _key_of(key: str, numbers: Mapping[str, int]) -> str:
    return f"{key}#{numbers.get(key, 0)}"
