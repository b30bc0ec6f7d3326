"""What can be taken away from a page: its numbers, as CSV and JSON."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.ui import live, texts
from rankcore.views import Shown
from rankcore.views.stored import plain


def shown(found: Shown, key: str) -> None:
    """Draw *Export*: facts, the tables of figures, and what else a view gives away.

    What is in it is made when a person takes it.

    Parameters
    ----------
    found : Shown
    key : str
        Of the popover; its state in the session says whether it is open.
    """
    with st.popover("Export", key=key, on_change="rerun") as popover:
        if not popover.open:
            return
        if found.command:
            st.caption("The same in a terminal or in Python")
            st.code(found.command, language=None, wrap_lines=True)
        tables = found.exports()
        for name, table in tables.items():
            _button(name, "csv", partial(as_csv, table))
            _button(name, "json", partial(as_json, partial(_rows, table)))
        for name, record in found.records.items():
            _button(name, "json", partial(as_json, record))
        for name, content in found.files.items():
            st.download_button(
                name, content, file_name=name, on_click="ignore", key=f"take_{name}"
            )
        if not (tables or found.records or found.files):
            st.caption("There are no numbers yet.")
        st.caption("*Data* above a figure saves it as a picture.")


def behind(
    key: str, title: str, table: Callable[[], Any], figure: str | None = None
) -> None:
    """Draw *Data*: the table behind a figure, to look at and to take, and the figure.

    Both are made when the button is pressed.

    Parameters
    ----------
    key : str
    title : str
        Of the figure; screen readers say it with the button.
    table : callable
    figure : str, optional
        The key of the figure that is saved as PNG and SVG.
    """
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
                partial(as_csv, table),
                file_name=f"{_stem(title)}.csv",
                mime="text/csv",
                on_click="ignore",
                key=f"take_{key}",
            )
            if figure is not None:
                live.save(figure, _stem(title))


def _look(table: Any) -> None:
    """A table with four digits a number."""
    import pandas as pd

    shown = pd.DataFrame(table)
    four = st.column_config.NumberColumn(format="%.4g")
    columns = dict.fromkeys(shown.select_dtypes("floating"), four)
    st.dataframe(shown, hide_index=True, column_config=columns)


def as_csv(table: Any) -> str:
    """A line of names, then a line a row; numbers read back to the bit."""
    import pandas as pd

    return pd.DataFrame(_made(table)).to_csv(
        index=False, na_rep="nan", lineterminator="\n"
    )


def as_json(value: Any) -> str:
    """JSON in which a number that is missing or infinite is null."""
    return json.dumps(plain(_made(value), digits=17), indent=1, ensure_ascii=False)


def _made(found: Any) -> Any:
    """What is exported, made now if a function gives it."""
    return found() if callable(found) else found


def _rows(table: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(_made(table)).to_dict("records")


def _button(name: str, kind: str, make: Callable[[], str]) -> None:
    st.download_button(
        f"{name} as {kind.upper()}",
        make,
        file_name=f"{_stem(name)}.{kind}",
        mime="text/csv" if kind == "csv" else "application/json",
        on_click="ignore",
        key=f"take_{name}_{kind}",
    )


def _stem(name: str) -> str:
    """The name of a table as that of a file."""
    return name.lower().replace(" ", "-").replace("/", "-")
