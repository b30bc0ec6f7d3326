"""What can be taken away from a page: its numbers, as CSV and JSON."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.view import Fact, Shown


def menu(
    tables: Mapping[str, Callable[[], Any]],
    records: Mapping[str, Callable[[], Mapping[str, Any]]] | None = None,
    files: Mapping[str, Callable[[], bytes]] | None = None,
) -> None:
    """Draw the page's *Export*; what is in it is made when somebody takes it.

    Parameters
    ----------
    tables : dict
        What a table is called → what gives it: columns by name, rows as dictionaries,
        or a DataFrame. Each is offered as CSV and as JSON.
    records : dict, optional
        What is no table → what gives it as a dictionary; offered as JSON.
    files : dict, optional
        The name of a text file → what gives its content; offered as it is.
    """
    with st.popover("Export", key="downloads", on_change="rerun") as popover:
        if not popover.open:
            return
        for name, table in tables.items():
            if len(table()) == 0:
                st.caption(f"{name}: there are no numbers yet.")
                continue
            _button(name, "csv", lambda table=table: as_csv(table()))
            _button(name, "json", lambda table=table: as_json(_rows(table())))
        for name, record in (records or {}).items():
            _button(name, "json", lambda record=record: as_json(record()))
        for name, content in (files or {}).items():
            st.download_button(
                name,
                content,
                file_name=name,
                mime="text/plain",
                on_click="ignore",
                key=f"take_{name}",
            )
        if not files:
            st.caption("The buttons of a figure save it as a picture.")


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
            made = table if callable(table) else lambda table=table: table
            _button(name, "csv", lambda made=made: as_csv(made()))
            _button(name, "json", lambda made=made: as_json(_rows(made())))
        for name, record in found.records.items():
            _button(name, "json", lambda record=record: as_json(record()))
        for name, content in found.files.items():
            st.download_button(
                name, content, file_name=name, on_click="ignore", key=f"take_{name}"
            )
        if not (tables or found.records or found.files):
            st.caption("There are no numbers yet.")
        st.caption("The buttons of a figure save it as a picture.")


def facts(rows: Sequence[Fact]) -> list[dict[str, str]]:
    """A strip of facts as a table."""
    return [
        {"what": fact.meaning, "value": fact.number, "note": fact.note} for fact in rows
    ]


def as_csv(table: Any) -> str:
    """A line of names, then a line a row; numbers read back to the bit."""
    import pandas as pd

    return pd.DataFrame(table).to_csv(index=False, na_rep="nan", lineterminator="\n")


def as_json(value: Any) -> str:
    """JSON in which a number that is missing or infinite is null."""
    return json.dumps(_plain(value), indent=1, ensure_ascii=False)


def _rows(table: Any) -> list[dict[Any, Any]]:
    import pandas as pd

    return pd.DataFrame(table).to_dict("records")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


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
