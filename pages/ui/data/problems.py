"""The problems of uploaded files."""

import streamlit as st

from pages.ui import texts
from pages.ui.data import choices
from rankcore.base.errors import DataError
from rankcore.data.readers import Problems

MOST_SAID = 4
WIDTH = 640


def show(problems: Problems) -> None:
    """Draw all problems of one file or of several, one or more, with line, column and
    remedy."""
    first, count = problems.errors[0], len(problems.errors)
    files = list(dict.fromkeys(error.file or "" for error in problems.errors))
    if count == 1:
        st.error(texts.literal(str(first)), icon=":material/error:")
    else:
        more = "" if problems.complete else " or more"
        rows = [f"{', '.join(files)}: {count:,}{more} problems, in"]
        several = len(files) > 1
        rows += [f"- {_place(error, several)}" for error in problems.errors[:MOST_SAID]]
        rows += ["- and more"] if count > MOST_SAID else []
        st.error(
            "\n".join([texts.literal(rows[0]), "", *rows[1:]]), icon=":material/error:"
        )
        _table(problems, several)
    choices.ask(problems.errors)


def _place(error: DataError, several: bool) -> str:
    place = error.place if several else error.place.removeprefix(f"{error.file}, ")
    return texts.literal(f"{place}: {error.problem}.")


def _table(problems: Problems, several: bool) -> None:
    with st.popover("Problems and remedies", icon=":material/list:"):
        st.dataframe(
            problems.rows(several), hide_index=True, key="upload_problems", width=WIDTH
        )
