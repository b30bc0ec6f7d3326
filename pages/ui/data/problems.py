"""The problems of uploaded files, and the button that skips their lines."""

import streamlit as st

from pages.ui import texts
from pages.ui.data import choices
from rankcore.errors import DataError
from rankcore.readers import Problems

MOST_SAID = 4
WIDTH = 640
# What missing values count as.
_MISSING = {"median": "the median of the feature", "zero": "0"}
# The file whose lines are skipped, and the lines.
_SKIPPED = "lines of the upload to skip"


def skipped(file: str) -> tuple[int, ...]:
    """The lines of a file, known by its id, that a person has chosen to skip."""
    known, lines = st.session_state.get(_SKIPPED, ("", ()))
    return lines if known == file else ()


def show(found: Problems, file: str | None) -> None:
    """Draw all problems of one file or of several, with line, column and remedy.

    Parameters
    ----------
    found : Problems
        With at least one error.
    file : str or None
        The file's id; None of several.
    """
    first, count = found.errors[0], len(found.errors)
    files = list(dict.fromkeys(error.file or "" for error in found.errors))
    if count == 1:
        st.error(texts.literal(str(first)), icon=":material/error:")
    else:
        more = "" if found.complete else " or more"
        said = [f"{', '.join(files)}: {count:,}{more} problems, in"]
        several = len(files) > 1
        said += [f"- {_place(error, several)}" for error in found.errors[:MOST_SAID]]
        said += ["- and more"] if count > MOST_SAID else []
        st.error(
            "\n".join([texts.literal(said[0]), "", *said[1:]]), icon=":material/error:"
        )
        _table(found, several)
    choices.ask(found.errors)
    if file is None or not found.lines:
        return
    n = len(found.lines)
    st.button(
        "Skip this line" if n == 1 else f"Skip these {n:,} lines",
        key="upload_skip",
        icon=":material/playlist_remove:",
        help="Each problem is confined to its line. The command for a terminal and the "
        "name of the data say what is skipped.",
        on_click=_skip,
        args=(file, found.lines),
    )


def _place(error: DataError, several: bool) -> str:
    place = error.place if several else error.place.removeprefix(f"{error.file}, ")
    return texts.literal(f"{place}: {error.problem}.")


def _table(found: Problems, several: bool) -> None:
    with st.popover("Problems and remedies", icon=":material/list:"):
        st.dataframe(
            [
                {
                    **({"file": error.file or ""} if several else {}),
                    "line": error.line,
                    "column": str(error.column or ""),
                    "problem": error.problem,
                    "remedy": error.remedy,
                }
                for error in found.errors
            ],
            hide_index=True,
            key="upload_problems",
            width=WIDTH,
        )


def _skip(file: str, lines: tuple[int, ...]) -> None:
    st.session_state[_SKIPPED] = file, tuple(sorted({*skipped(file), *lines}))


def filling(files: str) -> str | None:
    """What a person has chosen that missing values of these files count as."""
    return st.session_state.get(f"upload_missing {files}")


def ask_filling(files: str, share: str) -> None:
    """Draw the choice of what missing values count as, below how many they are."""
    if share:
        st.caption(texts.literal(share))
    st.segmented_control(
        "Missing values count as",
        list(_MISSING),
        format_func=_MISSING.__getitem__,
        key=f"upload_missing {files}",
    )
