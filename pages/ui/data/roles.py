"""The first rows of an upload and, for a table, a menu for the role of each column."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui import texts
from pages.ui.data.problems import WIDTH
from rankcore.data.formats.parts.first_rows import FIRST_FEATURES
from rankcore.data.readers import FirstRows, Preview, reading_options
from rankcore.data.readers.preview import (
    FEATURE,
    GROUP,
    IGNORE,
    SCORE,
    PreviewColumn,
    is_weight,
    shown,
)
from rankcore.topics.datasets.roles import ROLES, SEVERAL, check_roles

# More columns than this share one menu, which selects those to ignore.
MOST_MENUS = 12
MOST_SHOWN = 30
_ROLE_OF, _IGNORED = "upload_role ", "upload_ignored"


def menus(preview: Preview, file: str) -> dict[str, Any]:
    """Draw a table's columns with their roles; returns the options for the reader.
    Raises DataError if a role is missing, or two columns have it."""
    plain = lambda of: of.role == FEATURE and not is_weight(of.name)  # noqa: E731
    columns = sorted(preview.columns, key=plain)
    columns, others = columns[:MOST_MENUS], columns[MOST_MENUS:]
    summary = st.empty()
    with st.popover("Columns", key="upload_columns", icon=":material/table:"):
        roles = {column.name: _menu(column) for column in columns}
        roles |= _others(others)
        names = preview.roles
        st.markdown("**First rows**")
        st.dataframe(
            {
                name: [shown(row[at]) for row in preview.rows]
                for at, name in enumerate([*names][:MOST_SHOWN])
            },
            hide_index=True,
            key="upload_rows",
        )
    summary.caption(_summary(roles))
    check_roles(roles, file)
    return reading_options(preview, {name: roles[name] for name in names})


def first_rows(frame: FirstRows) -> None:
    """Draw the first rows of a file whose columns have no names."""
    with st.popover("First rows", key="upload_first", icon=":material/table:"):
        if frame.more:
            st.caption(f"With the first {FIRST_FEATURES} features.")
        st.dataframe(frame.rows, hide_index=True, key="upload_rows", width=WIDTH)


def _menu(column: PreviewColumn) -> str:
    """Return a row of the table: the column, its role, and why it was detected."""
    name, menu, reason = st.columns([3, 3, 4], vertical_alignment="center")
    with name.container(gap=None):
        st.markdown(f"**{texts.literal(column.name)}**")
        if column.examples:
            st.caption(texts.literal(", ".join(column.examples)))
    role = menu.selectbox(
        f"Role of {texts.literal(column.name)}",
        list(ROLES),
        list(ROLES).index(column.role),
        format_func=ROLES.__getitem__,
        key=f"{_ROLE_OF}{column.name}",
        label_visibility="collapsed",
    )
    reason.caption(
        f"{column.reason}."
        if role == column.role
        else f"You chose this. Detected: {ROLES[column.role]}."
    )
    return role


def _others(columns: list[PreviewColumn]) -> dict[str, str]:
    """Return the roles of the columns without a menu of their own."""
    if not columns:
        return {}
    ignored = st.multiselect(
        f"Of the other {len(columns):,} columns, ignore",
        [column.name for column in columns],
        [column.name for column in columns if column.role == IGNORE],
        key=_IGNORED,
    )
    return {c.name: IGNORE if c.name in ignored else FEATURE for c in columns}


def _summary(roles: Mapping[str, str]) -> str:
    """Return the columns by role, in a line."""
    one = {role: name for name, role in roles.items() if role not in SEVERAL}
    parts = [
        f"{ROLES[role].capitalize()}: {texts.literal(one[role])}"
        for role in ROLES
        if role in one
    ]
    count = Counter(roles.values())
    for kind, title in ((GROUP, "Groups of queries"), (SCORE, "Scores in use")):
        if members := [name for name, role in roles.items() if role == kind]:
            parts.append(f"{title}: {texts.literal(', '.join(members))}")
    parts.append(f"Features: {count[FEATURE]:,}")
    if count[IGNORE]:
        parts.append(f"Ignored: {count[IGNORE]:,}")
    return " · ".join(parts)
