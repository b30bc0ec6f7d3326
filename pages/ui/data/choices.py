"""Choices that make an upload readable: its encoding, first line and labels."""

from collections.abc import Iterable

import streamlit as st

from rankcore.base.errors import DataError
from rankcore.data.readers import NO_HEADER

TITLES = {
    "header": "The first line holds",
    "encoding": "Encoding of the text",
    "labels": "Grades of the labels",
}
VALUES = {
    "header": {NO_HEADER: "a row, without the names of the columns"},
    "encoding": {
        "windows-1252": "windows-1252 (western)",
        "windows-1250": "windows-1250 (central)",
        "windows-1251": "windows-1251 (Cyrillic)",
        "utf-16": "UTF-16",
        "shift_jis": "Shift JIS",
        "gb18030": "GB 18030",
    },
}
_FILES = "files that choices are about"


def options_of(files: str) -> dict[str, str]:
    """Return the reader options that a visitor chose for files, given by their ids; the
    next choices are for the same files."""
    st.session_state[_FILES] = files
    answers = {option: st.session_state.get(_key(option)) for option in TITLES}
    return {option: value for option, value in answers.items() if value}


def ask(errors: Iterable[DataError] = ()) -> None:
    """Draw the choices that remedies name, and those already made."""
    remedies = " ".join(error.remedy for error in errors)
    for option, title in TITLES.items():
        key = _key(option)
        if f"{option}='" not in remedies and not st.session_state.get(key):
            continue
        if option in VALUES:
            show = VALUES[option].__getitem__
            st.segmented_control(title, [*VALUES[option]], format_func=show, key=key)
        else:
            st.text_input(
                title,
                key=key,
                help="Thresholds of the grades 1, 2, … (`0.3, 0.6`), words (`bad=0, "
                "good=2`), or `fractional`, which keeps fractions.",
            )


def _key(option: str) -> str:
    return f"upload_{option} {st.session_state.get(_FILES, '')}"
