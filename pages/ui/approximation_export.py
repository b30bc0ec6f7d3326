"""What can be taken away from the Approximation page: its numbers as CSV and JSON."""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

Rows = Sequence[Mapping[str, object]]


def menu(rows: Callable[[], Rows], name: str) -> None:
    """A popover with both files of ``rows``, which are made when they are asked for."""
    with st.popover("Export", key="approx_export", on_change="rerun") as popover:
        if not popover.open:
            return
        if not rows():
            st.caption("Numbers can be downloaded once something is measured.")
            return
        st.download_button(
            "The numbers as CSV",
            lambda: as_csv(rows()),
            file_name=f"{name}.csv",
            mime="text/csv",
            on_click="ignore",
            key="approx_csv",
        )
        st.download_button(
            "The numbers as JSON",
            lambda: as_json(rows()),
            file_name=f"{name}.json",
            mime="application/json",
            on_click="ignore",
            key="approx_json",
        )
        st.caption("Each figure's own buttons save it as a picture.")


def as_csv(rows: Rows) -> str:
    """A line of names, then a line a row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Rows) -> str:
    """A list of rows; what is not a number, or infinite, is null."""
    return json.dumps(
        [{name: _plain(value) for name, value in row.items()} for row in rows], indent=1
    )


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
