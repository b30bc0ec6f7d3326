"""The problems of uploaded files, and the button that skips their lines."""

import streamlit as st

from pages.ui import texts
from rankcore.errors import DataError
from rankcore.readers import Problems

MOST_SAID = 4
WIDTH = 640
# The file whose lines are skipped, and the lines.
_SKIPPED = "lines of the upload to skip"


def skipped(file: str) -> tuple[int, ...]:
    """The lines of a file, known by its id, that a person has chosen to skip."""
    known, lines = st.session_state.get(_SKIPPED, ("", ()))
    return lines if known == file else ()


def show(found: Problems, file: str) -> None:
    """Draw all problems of a file, with line, column and remedy.

    Parameters
    ----------
    found : Problems
        With at least one error.
    file : str
        The file's id.
    """
    first, count = found.errors[0], len(found.errors)
    if count == 1:
        st.error(texts.literal(str(first)), icon=":material/error:")
    else:
        more = "" if found.complete else " or more"
        said = [f"{first.file}: {count:,}{more} problems, in"]
        said += [f"- {_place(error)}" for error in found.errors[:MOST_SAID]]
        said += ["- and more"] if count > MOST_SAID else []
        st.error(
            "\n".join([texts.literal(said[0]), "", *said[1:]]), icon=":material/error:"
        )
        _table(found)
    if not found.lines:
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


def _place(error: DataError) -> str:
    column = "" if error.column is None else f", column {error.column}"
    return texts.literal(f"line {error.line}{column}: {error.problem}.")


def _table(found: Problems) -> None:
    with st.popover("Problems and remedies", icon=":material/list:"):
        st.dataframe(
            [
                {
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
