"""The app's figures and rankings as live components, which redraw in place."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import live_figure
from live_figure import OnPoint
from pages.ui import glossary
from pages.ui.components import component
from pages.ui.lessons import place
from pages.ui.serving import early_style
from rankcore.plot import Picture, listed, packed
from rankcore.plot.palette import Palette
from rankcore.views import Block, Panel, Tiles
from rankcore.views.blocks import flat

# Appended to a block's key for the key of its figure.
FIGURE = "_figure"
# Type in figures, in the large-type view of a lesson.
ON_A_WALL = 1.35

_BUTTONS = "".join(
    f'<button type="button" disabled value="{kind}">{kind.upper()}</button> '
    for kind in ("png", "svg")
)
_save = component("save_figure", _BUTTONS, style="button")


def figure(
    picture: Picture,
    *,
    key: str,
    view: str,
    heading: str = "",
    **events: Any,
) -> None:
    """Draw a figure, or redraw it in place, as `live_figure.figure` does.

    Parameters
    ----------
    picture : Picture
        From `rankcore.plot`.
    """
    if not live_figure.available():
        st.html(heading)
        if place.presenting():
            picture = picture.larger(ON_A_WALL)
        st.plotly_chart(picture.figure(), key=key)
        return
    live_figure.figure(
        **content(picture, place.presenting()),
        key=key,
        view=view,
        alt=picture.alt,
        heading=heading,
        pictured=early_style.sent() and not place.presenting(),
        **events,
    )


def content(picture: Picture, larger: bool = False) -> dict[str, Any]:
    """Return the traces and layout of a picture in the browser's format."""
    if larger:
        picture = picture.larger(ON_A_WALL)
    data = [listed(t) if _drags(t) else packed(t) for t in picture.data]
    return {"data": data, "layout": packed(picture.layout)}


def ranking(
    block: Tiles, palette: Palette, heading: str, on_click: OnPoint | None
) -> None:
    """Draw a query's documents as chips, as `rankcore.views.Tiles` describes."""
    if not live_figure.available():
        st.html(heading)
        st.dataframe(block.table(), key=block.key)
        return
    live_figure.ranking(
        block.chips(palette),
        key=block.key,
        alt=block.alt,
        heading=heading,
        on_click=on_click,
    )


def frames(blocks: Sequence[Block], palette: Palette, large: bool) -> dict[str, Any]:
    """Return headings and contents of figures in the browser's format, by key."""
    return {
        block.key: {
            "heading": glossary.heading(block.title, block.note),
            "content": block.chips(palette)
            if isinstance(block, Tiles)
            else content(block.picture, large),
        }
        for block in flat(blocks)
        if isinstance(block, Panel | Tiles)
    }


def save(key: str, name: str) -> None:
    """Draw buttons that save a figure or ranking as ``name.png`` and ``name.svg``."""
    if live_figure.available():
        _save(key=f"save_{key}", data={"figure": key, "name": name}, width="content")


def _drags(trace: Mapping[str, Any]) -> bool:
    return "drag" in (trace.get("meta") or {})
