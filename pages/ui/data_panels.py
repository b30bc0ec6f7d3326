"""The panels of the Data page: each a figure, its finding and its table."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import datasets, frame
from pages.ui.theme import colours
from rankcore.catalogue import DatasetInfo, Splits
from rankcore.dataset import Query, RankingDataset
from rankcore.insight import data as insight

CHIPS = 18


def about(name: str) -> None:
    """Where a data set comes from and on which terms it may be used."""
    info: DatasetInfo = datasets.infos()[name]
    frame.heading(info.title, info.description)
    st.caption(f"Origin: {info.origin}. Licence: {info.licence}.")


def size_facts(size: insight.Size) -> None:
    """The strip of facts of one part."""
    length = f"{size.shortest:,} to {size.longest:,} a query"
    frame.facts(
        [
            frame.Fact("Queries", f"{size.queries:,}"),
            frame.Fact("Documents", f"{size.documents:,}", length),
            frame.Fact("Features", f"{size.features:,}"),
            frame.Fact("Labels", f"0–{size.highest_label}", "0 is irrelevant"),
            frame.Fact("Relevant", f"{size.relevant:.1%}", "label above 0"),
        ]
    )


def size_table(splits: Splits) -> None:
    """All parts side by side."""
    with st.expander("All parts as a table"):
        st.dataframe([vars(size) for size in insight.sizes(splits)], hide_index=True)


def notes(dataset: RankingDataset, spread: insight.Spread) -> None:
    """What to know before training; a good word where there is nothing."""
    sentences = insight.warnings(dataset, spread)
    if not sentences:
        st.success("Nothing stands in the way of training.", icon=":material/check:")
    for sentence in sentences:
        st.warning(sentence, icon=":material/info:")


def labels(dataset: RankingDataset) -> None:
    """How many documents have which label."""
    from rankcore.charts.data import labels_figure

    counts = insight.label_counts(dataset)
    frame.heading("Labels", "documents with each; bluer is more relevant")
    share = counts[0] / counts.sum()
    frame.figure(
        labels_figure(counts, colours()),
        key="labels",
        alt=f"{share:.0%} of the documents have label 0.",
        table={"label": np.arange(len(counts)), "documents": counts},
    )


def lengths(dataset: RankingDataset) -> None:
    """How many documents the queries have."""
    from rankcore.charts.data import lengths_figure

    histogram = insight.list_lengths(dataset)
    size = insight.size("", dataset)
    frame.heading(
        "List lengths", f"half the queries have {size.median_length:g} or more"
    )
    frame.figure(
        lengths_figure(histogram, colours()),
        key="lengths",
        alt=f"Queries have {size.shortest} to {size.longest} documents, "
        f"in the middle {size.median_length:g}.",
        table={
            "from": histogram.edges[:-1],
            "to": histogram.edges[1:] - 1,
            "queries": histogram.counts,
        },
    )


def features(spread: insight.Spread) -> None:
    """How the values of each feature are spread."""
    from rankcore.charts.data import spread_figure

    frame.heading(
        "Feature spread",
        "line: lowest to highest; thick: middle half; dot: median; hollow: cannot "
        "change any order",
    )
    useless = int(spread.useless.sum())
    frame.figure(
        spread_figure(spread, colours()),
        key="spread",
        alt=f"{len(spread.names)} features from {spread.low.min():.3g} to "
        f"{spread.high.max():.3g}; {useless} of them cannot change any order.",
        table={
            "feature": spread.names,
            "lowest": spread.low,
            "median": spread.median,
            "highest": spread.high,
            "share of zeros": spread.zeros,
            "constant": spread.constant,
            "cannot change an order": spread.useless,
        },
    )


def query_chips(query: Query, highest: int) -> None:
    """The documents of a query as chips, in the order of the file."""
    palette = colours()
    shown = list(zip(query.doc_ids, query.y.tolist(), strict=True))[:CHIPS]
    fills = [palette.label(y, highest) for y in range(highest + 1)]
    rows = "".join(
        f'<li><span style="background:{fills[y]};color:{palette.on(fills[y])}">'
        f"{escape(doc)} · {y}</span></li>"
        for doc, y in shown
    )
    st.html(f'<ol class="rs-chips">{rows}</ol>')
    if len(query) > CHIPS:
        st.caption(f"and {len(query) - CHIPS} more")


def query_table(query: Query, names: Sequence[str]) -> None:
    """The documents of a query with all their features."""
    columns: dict[str, Any] = {"document": query.doc_ids, "label": query.y}
    columns |= {name: query.X[:, j] for j, name in enumerate(names)}
    with st.expander("This query as a table"):
        st.dataframe(columns, hide_index=True, height=300)


def export(name: str, part: str, dataset: RankingDataset) -> None:
    """What can be taken away: the part that is shown, as it is scaled now."""
    with st.popover("Export", key="export_data", on_change="rerun") as popover:
        if not popover.open:
            return
        st.caption("The same data in Python")
        st.code(f"load_dataset({name!r}).{part}", language="python")
        st.download_button(
            f"The {part} part as CSV",
            lambda: dataset.to_frame().to_csv(index=False),
            file_name=f"{name}-{part}.csv".replace("/", "-"),
            mime="text/csv",
            on_click="ignore",
            key="data_csv",
        )
