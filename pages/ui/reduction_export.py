"""What can be taken away from the Reduction page: its numbers as CSV."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.reduction_list import RankedList


def pairs(ranked: RankedList) -> dict[str, Sequence[Any]]:
    """Every pair of a list."""
    found = ranked.pairs
    names = {int(rank): name for rank, name in enumerate(ranked.names, start=1)}
    return {
        "better": [names[int(found.ranks[i])] for i in found.better],
        "worse": [names[int(found.ranks[i])] for i in found.worse],
        "rank of the better": found.ranks[found.better].tolist(),
        "rank of the worse": found.ranks[found.worse].tolist(),
        "weight": found.weight.tolist(),
        "wrong": found.wrong.tolist(),
        "margin": found.margin.tolist(),
    }


def button(columns: Mapping[str, Sequence[Any]], view: str) -> None:
    """Draw the menu of downloads."""
    with st.popover("Export", key="export_reduction", on_change="rerun") as popover:
        if not popover.open:
            return
        st.download_button(
            "Orders as CSV" if view == "Regrets" else "Pairs as CSV",
            _csv(columns),
            file_name=f"{'regrets' if view == 'Regrets' else 'pairs'}.csv",
            mime="text/csv",
            on_click="ignore",
            key="reduction_csv",
        )


def _csv(columns: Mapping[str, Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
