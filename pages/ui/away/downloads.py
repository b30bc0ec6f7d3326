"""Exports of a page: a report, links and commands for it, and its numbers."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import texts
from pages.ui.components import live
from rankcore.reports.formats import FORMATS, TableFormat, json_text
from rankcore.views import Shown


class StageContent(NamedTuple):
    """The content of the stage, for export: the stem of file names, texts that
    reproduce it elsewhere, by name, and the function that makes the report, which may
    run in another thread."""

    shown: Shown = Shown()
    stem: str = "view"
    ways: Mapping[str, str] = MappingProxyType({})
    report: Callable[[], str] | None = None


def shown(contents: StageContent, key: str) -> None:
    """Draw *Export*: a report, ways to reproduce the view, facts, tables, and other
    files. Files are made when a visitor downloads them.

    The session has the popover's state, open or closed, under ``key``.
    """
    with st.popover("Export", key=key, on_change="rerun") as popover:
        if not popover.open:
            return
        if contents.report is not None:
            st.download_button(
                "Download report",
                contents.report,
                file_name=f"{contents.stem}.html",
                mime="text/html",
                on_click="ignore",
                key="take_report",
                type="primary",
                help="This view as one HTML file, which opens without a network.",
            )
        if contents.ways:
            st.caption("Copy as")
            for tab, (name, text) in zip(
                st.tabs(list(contents.ways)), contents.ways.items(), strict=True
            ):
                language = "python" if name == "Python" else None
                tab.code(text, language=language, wrap_lines=True)
        _numbers(contents.shown)
        st.caption("*Data* above a figure saves it as a picture.")


def _numbers(contents: Shown) -> None:
    """Draw the downloads of tables, in the selected format, and of other files."""
    tables = contents.exports()
    if tables:
        titles = {one.title: one for one in FORMATS.values()}
        chosen = st.segmented_control(
            "Tables as", list(titles), default="CSV", required=True, key="table_format"
        )
        for name, table in tables.items():
            _table(name, table, titles[chosen or "CSV"])
    for name, record in contents.records.items():
        st.download_button(
            f"{name} as JSON",
            partial(_record, record),
            file_name=f"{_stem(name)}.json",
            mime="application/json",
            on_click="ignore",
            key=f"take_{name}_json",
        )
    for name, content in contents.files.items():
        st.download_button(
            name, content, file_name=name, on_click="ignore", key=f"take_{name}"
        )
    if not (tables or contents.records or contents.files):
        st.caption("There are no numbers yet.")


def behind(key: str, title: str, table: Callable[[], Any], figure: str) -> None:
    """Draw *Data*: the table behind a figure, to view and to download, and the figure
    of the key ``figure`` as PNG and SVG. Both are made when the button is pressed;
    screen readers read the figure's title with it."""
    label = f"Data:gray[ of {texts.literal(title)}]"
    with st.popover(
        label, key=f"data_of_{key}", type="tertiary", width="content", on_change="rerun"
    ) as popover:
        if not popover.open:
            return
        _look(table())
        with st.container(horizontal=True, gap="xsmall"):
            st.download_button(
                "CSV",
                partial(_file_of, table, FORMATS["csv"]),
                file_name=f"{_stem(title)}.csv",
                mime="text/csv",
                on_click="ignore",
                key=f"take_{key}",
            )
            live.save(figure, _stem(title))


def _look(table: Any) -> None:
    """Draw a table with three digits per number; whole numbers stay whole."""
    import pandas as pd

    shown = pd.DataFrame(table)
    reals = shown.select_dtypes("floating")
    three = st.column_config.NumberColumn(format="%.3g")
    columns = {name: three for name in reals if (reals[name].dropna() % 1).any()}
    st.dataframe(shown, hide_index=True, column_config=columns, width="content")


def _content_of(content: Any) -> Any:
    """Return the content to export; call it first if it is a function."""
    return content() if callable(content) else content


def _file_of(table: Any, kind: TableFormat, caption: str = "") -> bytes:
    return kind.write(_content_of(table), caption)


def _record(record: Any) -> str:
    return json_text(_content_of(record))


def _table(name: str, table: Any, kind: TableFormat) -> None:
    st.download_button(
        f"{name} as {kind.title}",
        partial(_file_of, table, kind, name),
        file_name=f"{_stem(name)}.{kind.ending}",
        mime=kind.mime,
        on_click="ignore",
        key=f"take_{name}_{kind.ending}",
    )


def _stem(name: str) -> str:
    """Return a table's name as a file name."""
    return name.lower().replace(" ", "-").replace("/", "-")
