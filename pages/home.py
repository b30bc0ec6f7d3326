"""Home: what RankScope is, in one screen, and where to go."""

from functools import partial
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui import finder, frame, gallery, link, stage
from pages.ui.catalogue import pages
from pages.ui.components import component
from pages.ui.lessons import place, store
from pages.ui.widgets import Change
from pages.views import home
from pages.views.home import first
from rankcore.topics.home import ways
from rankcore.views import Begin, Shown, Training, Values, read

_stored_runs = component("first_sight")


def first_screen(values: Values, change: Change) -> None:
    """All that stands above the staircase; nothing while a lesson shows that."""
    if place.place().lesson:
        return
    with st.container(horizontal=True, key="begin"):
        _buttons(values, change)
    _stored_runs(key="first_sight", data=first.sight(values))
    st.header("Why is this hard?", anchor=False)


def ways_on(values: Values, _change: Change) -> None:
    """Draw what stands below the staircase; nothing while a lesson is open."""
    if place.place().lesson:
        return
    _roads()
    _questions(values)


def _buttons(values: Values, change: Change) -> None:
    """Draw the three ways in: watch a run, take a lesson, bring data."""
    with st.container(width="content"):
        stage.draw(Shown(blocks=[_watch()]), values, change)
    st.button(
        "Take the 15-minute lesson",
        key="first_lesson",
        on_click=place.open_step,
        args=(next(iter(store.files())), 1, False, partial(change, {})),
    )
    if st.button("Use my own data", key="own_data"):
        link.go("data")


def _watch() -> Begin:
    """Return the button that begins the run that is drawn first, and plays it."""
    raw = first.drawn_first()
    view = pages()["train"].view(raw)
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    assert isinstance(work, Training)
    return Begin(
        "Watch it learn",
        "watch",
        "train",
        partial(work.run, values),
        view.studied(values, raw),
        icon="play_arrow",
        plays=True,
    )


def _roads() -> None:
    with st.container(key="roads"):
        columns = st.columns(len(ways.ROADS), gap="medium")
    for column, road in zip(columns, ways.ROADS, strict=True):
        with column.container(gap="xsmall"):
            st.subheader(f":material/{road.icon}: {road.title}", anchor=False)
            for words, where in road.links.items():
                _link(words, where)
            st.caption(f"In a terminal: `{road.command}`")


def _questions(values: Values) -> None:
    st.header("What do you want to know?", anchor=False)
    finder.draw()
    with st.container(horizontal=True, key="gallery"):
        for name, words in ways.QUESTIONS.items():
            card = gallery.GalleryCard(pages()[name], pages()[name].view({}))
            with st.container(border=True, gap="xsmall"):
                _link(words, name)
                st.caption(card.page.question)
                picture = gallery.jpeg(card.picture(values.theme))
                if picture is not None:
                    st.image(picture, width="stretch", alt="")


def _link(words: str, where: str) -> None:
    """Draw a link to another page."""
    page, _, settings = where.partition("?")
    stage.page_link(f":primary[{words}]", page, dict(parse_qsl(settings)))


frame.show(home.PAGE, above=first_screen, below=ways_on)
