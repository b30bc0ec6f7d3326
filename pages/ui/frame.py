"""The frame of every page: title, question, presets, buttons; and its body."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from pages.ui import lesson_bar, live, rerun, sent, state, warmup
from pages.ui.figures_first import FiguresFirst, runs_a_part
from pages.ui.theme import colours
from pages.ui.view import Fact
from rankcore.charts import Picture
from rankcore.insight.ranking import QueryRanking

__all__ = [
    "Fact",
    "chips",
    "facts",
    "figure",
    "heading",
    "link",
    "part",
    "run",
    "split",
]

HERE = Path(__file__).parent

PACE = "pace of a part that is drawn again by itself"

Presets = Mapping[str, Mapping[str, Any]]


def run(
    title: str,
    question: str,
    body: Callable[[DeltaGenerator], None],
    presets: Presets | Callable[[], Presets] | None = None,
    every: float | None = None,
) -> None:
    """Draw a page; when a control changes, only ``body`` is drawn anew.

    Parameters
    ----------
    title, question : str
        What the page is, and the one question that it answers.
    body : callable
        Draws all below the head of the page. It is given the place beside *Copy link*,
        for the page's own buttons such as *Export*.
    presets : dict, or a function that gives it, optional
        Scenarios: what one sees in them → the settings that make it so.
    every : float, optional
        Seconds after which the body is drawn again by itself.
    """
    _enter_through_app()
    with st.sidebar:
        warmup.note()
    st.html(HERE / "frame.css")
    lesson_bar.show()
    actions = _head(title, question)
    offered = presets if callable(presets) else lambda: presets or {}
    _chips(offered())
    drawn = _marked(offered()), lesson_bar.look()
    figures_first = FiguresFirst(waits=every is None)

    def renew_head() -> None:
        # The head stays as it is, unless it would look different now.
        if (_marked(offered()), lesson_bar.look()) != drawn:
            rerun.whole_page()

    with sent.to_the_end():
        figures_first.fragment(lambda: body(actions), every=every, then=renew_head)


def part(draw: Callable[[], None], every: float | None = None) -> None:
    """A part of the body that is drawn alone when a control in it changes.

    Where it was drawn again by itself and now is not, or at another pace, the whole
    page is drawn: only then does the browser stop asking for it. What has gone from the
    page, such as a button, it might keep, too, when it asks in between.

    Parameters
    ----------
    draw : callable
    every : float, optional
        Seconds after which it is drawn again by itself.
    """
    before = st.session_state.get(PACE)
    st.session_state[PACE] = every
    if before not in (None, every) and runs_a_part():
        rerun.whole_page()
    FiguresFirst(waits=every is None).fragment(draw, every=every, then=lambda: None)


def split() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two places: one for the controls and, to its right, one for the figures.

    On a narrow screen the controls fold into an expander above the figures.
    """
    left, right = st.columns([3, 9], gap="medium")
    controls = left.container(key="controls").expander("Settings", expanded=True)
    with left:
        _fold(key="fold")
    return controls, right


def facts(rows: Sequence[Fact]) -> None:
    """A strip of at most five facts."""
    noted = any(fact.note for fact in rows)
    cells = "".join(
        f'<div><span class="rs-meaning">{escape(fact.meaning)}</span>'
        f'<span class="rs-number">{escape(fact.number)}</span>'
        + (f'<span class="rs-note">{escape(fact.note)}</span>' if noted else "")
        + "</div>"
        for fact in rows
    )
    st.html(f'<div class="rs-facts">{cells}</div>')


def heading(name: str, note: str = "") -> None:
    """The caption above a figure: its name, and how to read it."""
    st.html(f'<h2 class="rs-heading">{escape(name)} <small>{escape(note)}</small></h2>')


def figure(
    picture: Picture,
    key: str,
    alt: str,
    table: Any,
    on_drag: live.OnPoint | None = None,
    on_click: live.OnPoint | None = None,
) -> None:
    """A figure that changes in place when a person acts, with its numbers behind it.

    Parameters
    ----------
    picture : Picture
    key : str
    alt : str
        What one sees in it, in a sentence; not what kind of chart it is.
    table : anything `st.dataframe` shows, or a function that gives it when it is asked
    on_drag, on_click : callable, optional
        As in `live.figure`.
    """
    with st.container(key=key, gap="small"):
        live.figure(
            picture,
            key=f"{key}_figure",
            view=key,
            alt=alt,
            on_drag=on_drag,
            on_click=on_click,
        )
        _numbers(key, table)


def chips(
    ranking: QueryRanking, key: str, rows: int, alt: str, beside: str = "ideal rank"
) -> None:
    """A ranking as chips, another order beside it, with its numbers behind it.

    Parameters
    ----------
    ranking : QueryRanking
    key : str
    rows : int
        How many documents of either order are drawn; the numbers are those of all.
    alt : str
        What one sees in it, in a sentence.
    beside : str
        What the numbers call the place in the other order.
    """
    live.ranking(ranking, key=key, rows=rows, palette=colours(), alt=alt)
    _numbers(
        key,
        lambda: {
            "rank": np.arange(1, len(ranking.documents) + 1),
            "document": ranking.documents,
            "label": ranking.labels,
            "score": ranking.scores,
            beside: ranking.ideal + 1,
        },
    )


def _numbers(key: str, table: Any) -> None:
    """The table behind a picture, made when it is opened."""
    with st.expander("The numbers", key=f"{key}_numbers", on_change="rerun") as numbers:
        if numbers.open:
            st.dataframe(table() if callable(table) else table, hide_index=True)


def link(path: str, label: str, **details: Any) -> None:
    """A link to another page; its plain name where a page runs on its own."""
    try:
        st.page_link(path, label=label, **details)
    except st.errors.StreamlitAPIException:
        st.caption(label)


def _enter_through_app() -> None:
    """Start again through app.py if a direct link, the server's first, skipped it."""
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        rerun.whole_page()


def _head(title: str, question: str) -> DeltaGenerator:
    """Title and question, and beside them the buttons; the place for more of these."""
    left, buttons = st.columns([5, 3], vertical_alignment="center")
    with left.container(gap=None):
        st.title(title, anchor=False)
        st.caption(question)
    row = buttons.container(
        key="actions", horizontal=True, horizontal_alignment="right"
    )
    own = row.container(horizontal=True, width="content")
    with row:
        _copy_link(key="copy_link", width="content", height="content")
        st.button(
            "Reset",
            key="reset",
            on_click=state.reset,
            help="Put every setting back to its default.",
        )
    return own


def _chips(presets: Presets) -> None:
    """Offer the scenarios, the one that is on marked."""
    chosen, titles = _marked(presets)
    if titles:
        st.session_state["preset"] = chosen
        st.pills(
            "Presets",
            titles,
            key="preset",
            label_visibility="collapsed",
            on_change=_choose,
            args=(presets,),
        )


def _marked(presets: Presets) -> tuple[str | None, list[str]]:
    """The scenario whose settings are all as they are now, and the titles of all."""
    chosen = next((title for title in presets if state.matches(presets[title])), None)
    return chosen, list(presets)


def _choose(presets: Presets) -> None:
    """Set what a scenario sets, where somebody has pressed it.

    That runs the whole page. What comes with a press in a part of the page is the mark
    from before, which the browser sends until it has heard that it is gone.
    """
    title = st.session_state["preset"]
    if runs_a_part():
        st.session_state["preset"] = None
    elif title is not None:
        state.apply(presets[title])


_fold = st.components.v2.component("fold", js=(HERE / "fold.js").read_text("utf-8"))

_copy_link = st.components.v2.component(
    "copy_link",
    html='<button type="button" title="Everything on this page is in its address">'
    "Copy link</button>",
    css=(HERE / "copy_link.css").read_text("utf-8"),
    js=(HERE / "copy_link.js").read_text("utf-8"),
)
