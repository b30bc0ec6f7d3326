"""Drawing of a view's content: facts, figures, and the blocks between them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.ui import glossary, link, registry, session, texts, widgets
from pages.ui.away import downloads, model_export
from pages.ui.catalogue import pages, place, setting
from pages.ui.components import component, live
from pages.ui.shared import AT, SPEED, SPEEDS
from pages.ui.widgets import Change, heading
from rankcore.views import (
    Act,
    Ask,
    Begin,
    Block,
    Caption,
    Changes,
    DocumentTiles,
    Edit,
    Fact,
    Go,
    Listing,
    Notice,
    Panel,
    Popover,
    Row,
    Runs,
    Shown,
    Table,
    TakeModel,
    Tiles,
    Toy,
    Values,
    Words,
    pins,
)

_GOING = "where a click goes"
_LINKS = "open in"

# Its numbers are sent once; moving its weight then needs no request.
_toy_ranking = component("toy")


def draw(shown: Shown, values: Values, change: Change) -> None:
    """Draw facts and blocks. Controls between figures need the values of the view's
    settings, and the function that callbacks call with changed ones."""
    if (going := st.session_state.pop(_GOING, None)) is not None:
        st.switch_page(f"pages/{going.page}.py", query_params=link_texts(going))
    with st.container(gap="xsmall"):
        facts(shown.facts)
        _all(shown.blocks, values, change)


def facts(rows: Sequence[Fact]) -> None:
    """Draw a strip of at most five facts; nothing if there are none."""
    if not rows:
        return
    cells = "".join(
        f'<div><span class="rs-meaning">{glossary.marked(fact.meaning)}</span>'
        f'<span class="rs-number">{escape(fact.number)}</span>'
        + (f'<span class="rs-note">{escape(fact.note)}</span>' if fact.note else "")
        + "</div>"
        for fact in rows
    )
    with st.container(key="facts"):
        st.html(f'<div class="rs-facts">{cells}</div>')


def explanation(tabs: Mapping[str, str]) -> None:
    """Draw the *Explain* panel, closed at first: title → text in Markdown."""
    if not tabs:
        return
    with st.expander(
        "Explain", icon=":material/school:", key="explain", on_change="rerun"
    ) as panel:
        if panel.open:
            for tab, text in zip(st.tabs(list(tabs)), tabs.values(), strict=True):
                tab.markdown(text)


def _all(blocks: Sequence[Block], values: Values, change: Change) -> None:
    for block in blocks:
        _draw(block, values, change)


@singledispatch
def _draw(block: Block, values: Values, change: Change) -> None:
    """Draw one block."""
    raise TypeError(f"{type(block).__name__} is not a block")


@_draw.register
def _row(block: Row, values: Values, change: Change) -> None:
    widths = block.widths or [1] * len(block.columns)
    outer = st.container(key=block.key) if block.key else st
    columns = outer.columns(widths, gap="medium")
    framed: dict[str, Any] = {"border": True, "height": "stretch"}
    for column, blocks in zip(columns, block.columns, strict=True):
        with column.container(**framed) if block.framed else column:
            _all(blocks, values, change)


@_draw.register
def _panel(block: Panel, values: Values, change: Change) -> None:
    key = block.key + live.FIGURE
    with st.container(key=block.key, gap=None):
        live.figure(
            block.picture,
            key=key,
            view=block.zoom or block.key,
            heading=glossary.heading(block.title, block.note),
            on_drag=_pointing(block.on_drag, change),
            on_click=_pointing(block.on_click, change),
            on_hover=_pointing(block.on_hover, change),
            on_brush=_pointing(block.on_brush, change),
        )
        downloads.behind(block.key, block.title, block.picture.numbers, key)


@_draw.register
def _tiles(block: Tiles, values: Values, change: Change) -> None:
    heading = glossary.heading(block.title, block.note)
    with st.container(gap=None):
        clicked = _pointing(block.on_click, change)
        live.ranking(block, values.palette, heading, clicked)
        downloads.behind(block.key, block.title, block.table, block.key)


@_draw.register
def _document_tiles(block: DocumentTiles, values: Values, change: Change) -> None:
    rows = "".join(
        f'<li><span style="background:{fill};color:{ink}">{escape(text)}</span></li>'
        for text, fill, ink in block.tiles(values.palette)
    )
    heading(block.title, block.note)
    st.html(f'<ol class="rs-chips">{rows}</ol>')
    if len(block.documents) > block.most:
        st.caption(f"and {len(block.documents) - block.most} more")


@_draw.register
def _toy(block: Toy, values: Values, change: Change) -> None:
    _toy_ranking(key=block.key, data=dict(block.data))


@_draw.register
def _words(block: Words, values: Values, change: Change) -> None:
    st.markdown(block.text, help=block.help or None)


@_draw.register
def _caption(block: Caption, values: Values, change: Change) -> None:
    st.caption(block.text)


@_draw.register
def _notice(block: Notice, values: Values, change: Change) -> None:
    say = st.warning if block.warns else st.info
    say(block.text, icon=f":material/{block.icon}:")


@_draw.register
def _table(block: Table, values: Values, change: Change) -> None:
    heading(block.title, block.note)
    numbers, lines = st.column_config.NumberColumn, st.column_config.LineChartColumn
    rows, formats = block.drawn()
    columns: dict[str, Any] = {
        name: numbers(format=text) for name, text in formats.items()
    }
    columns |= {name: lines() for name in block.lines}
    if block.links:
        words = block.links[0].page.capitalize()
        columns[_LINKS] = st.column_config.LinkColumn(display_text=words)
        links = [f"{link.page}?{urlencode(link_texts(link))}" for link in block.links]
        rows = {_LINKS: links, **rows}
    key, details = block.key, dict[str, Any]()
    chosen = {"selection": {"rows": list(block.selected), "columns": [], "cells": []}}
    if block.on_select is not None:
        key = session.control(block.key, chosen)

    def reported() -> None:
        rows = st.session_state[key].selection.rows
        if block.on_select is not None:
            change(_changes(partial(block.on_select, rows)))
        else:
            change(block.on_choose(rows[0]) if block.on_choose and rows else {})

    if block.on_choose is not None or block.on_select is not None:
        several = block.on_select is not None
        details["on_select"] = reported
        details["selection_mode"] = "multi-row" if several else "single-row"
        details["selection_default"] = chosen
    if block.height:
        details["height"] = block.height
    if block.narrow:
        details["width"] = "content"
    st.dataframe(rows, hide_index=True, key=key, column_config=columns, **details)


@_draw.register
def _ask(block: Ask, values: Values, change: Change) -> None:
    controls = [row for row in block.settings if row.computed is None]
    values = values | {row.key: row.fitted(values[row.key], values) for row in controls}
    rows = [row for row in block.settings if row.matters(values)]
    places = st.columns(len(rows)) if len(rows) > 1 else [st.container() for _ in rows]
    for column, row in zip(places, rows, strict=True):
        with column:
            widgets.draw(row, values, change)


@_draw.register
def _act(block: Act, values: Values, change: Change) -> None:
    def pressed() -> None:
        change(_changes(block.changes) if callable(block.changes) else block.changes)

    st.button(
        block.label,
        key=block.key,
        icon=f":material/{block.icon}:" if block.icon else None,
        help=block.help or None,
        shortcut=block.shortcut or None,
        disabled=block.disabled,
        on_click=pressed,
    )


@_draw.register
def _go(block: Go, values: Values, change: Change) -> None:
    details = {"icon": f":material/{block.icon}:", "help": block.help or None}
    page_link(block.label, block.page, link_texts(block), **details)


def link_texts(go: Go) -> dict[str, str]:
    """Return the settings of a link to another page, as texts for its URL."""
    return {
        key: str(value) if (row := setting(key)) is None else row.format(value)
        for key, value in go.settings.items()
    }


def page_link(words: str, page: str, values: Mapping[str, str], **details: Any) -> None:
    """Draw a link to a page; only its text if this page runs without the app."""
    try:
        st.page_link(f"pages/{page}.py", label=words, query_params=values, **details)
    except st.errors.StreamlitAPIException:
        st.markdown(words)


@_draw.register
def _edit(block: Edit, values: Values, change: Change) -> None:
    key = session.control(block.key, block.text)

    def take() -> None:
        text = session.reported(block.key, key)
        if text is not None and text != block.text:
            change(_changes(partial(block.write, text)))

    details: Any = {"key": key, "on_change": take, "placeholder": block.hint}
    if block.long:
        st.text_area(block.label, block.text, 68, **details)
    else:
        st.text_input(block.label, block.text, **details)


def _changes(changes: Callable[[], Changes]) -> Changes:
    """Return a function's changes; none, with a message, if the run store fails."""
    from rankcore.studies.store import StoreError

    try:
        return changes()
    except (StoreError, KeyError) as error:
        st.toast(
            texts.literal(getattr(error, "public", str(error.args[0]))),
            icon=":material/save:",
            duration="long",
        )
        return {}


@_draw.register
def _begin(block: Begin, values: Values, change: Change) -> None:
    begin = partial(
        registry.begin,
        block.run,
        place(pages()[block.page], {}),
        block.settings,
        play=block.plays,
        resumes=block.resumes,
    )

    def pinned() -> None:
        job = begin(looks=False)
        if job is not None:
            pin = pins.pin_of(job.id, block.settings, setting)
            change(lambda now: {block.pins: pins.with_new(now[block.pins], pin)})

    pressed = st.button(
        block.label,
        key=block.key,
        icon=f":material/{block.icon}:",
        type="primary" if block.plays and not block.pins else "secondary",
        help=block.help or None,
        on_click=pinned if block.pins else None,
    )
    # A callback cannot change the page.
    if pressed and not block.pins:
        steering = registry.steering(begin())
        if steering is not None:
            if block.plays:
                steering.limit(SPEEDS[SPEED.default])
            else:
                steering.step()
            at = {AT.key: block.at} if block.at else {}
            link.go(block.page, {link.JOB: steering.job.id} | at)


@_draw.register
def _take_model(block: TakeModel, values: Values, change: Change) -> None:
    with st.popover(block.title, key=block.key, on_change="rerun") as popover:
        if popover.open:
            model_export.show(block)


@_draw.register
def _popover(block: Popover, values: Values, change: Change) -> None:
    with st.popover(
        block.title, key=block.key, on_change="rerun", type="tertiary"
    ) as popover:
        if popover.open:
            # A popover is as wide as its content.
            narrow = [
                inner._replace(narrow=True) if isinstance(inner, Table) else inner
                for inner in block.blocks()
            ]
            _all(narrow, values, change)


@_draw.register
def _runs(block: Runs, values: Values, change: Change) -> None:
    heading(block.title, block.note)
    with st.container(gap=None, key="runs"):
        for row in block.rows:
            _listed(row, block, change)


def _listed(row: Listing, block: Runs, change: Change) -> None:
    """Draw a run: its colour, whether it is shown, its name, a button to remove it."""
    name = f"run_name {row.id} {row.name}"

    def put(**changes: Any) -> None:
        change(
            lambda now: {
                block.setting: pins.with_pin(block.pins(now), row.id, **changes)
            }
        )

    swatch = f'<span class="rs-swatch" style="background:{row.colour}"></span>'
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(swatch, width="content")
        if not row.id:
            st.caption(f"**{texts.literal(row.name)}** {row.note}")
            return
        label, shown = texts.literal(f"{row.name} {row.note}"), not row.hidden
        key = f"run_shown {row.id} {row.hidden}"
        st.checkbox(label, shown, key=key, on_change=put, kwargs={"hidden": shown})
        edits: Any = {"icon": ":material/edit:", "type": "tertiary"}
        with st.popover("", key=f"run {row.id}", **edits):
            st.text_input(
                "Name",
                row.name,
                key=name,
                on_change=lambda: put(name=st.session_state[name].strip()),
            )
            st.button(
                "Remove from the list",
                key=f"run_removed {row.id}",
                on_click=lambda: change(lambda now: block.removed(now, row.id)),
            )


def _pointing(
    on_point: Callable[..., Any] | None, change: Change
) -> Callable[..., None] | None:
    """Return a figure's callback for points dragged or clicked, or axes brushed."""
    if on_point is None:
        return None

    def pointed(*point: Any) -> None:
        outcome = on_point(*point)
        if isinstance(outcome, Go):
            # A callback cannot change the page.
            st.session_state[_GOING] = outcome
            outcome = {}
        change(outcome)

    return pointed
