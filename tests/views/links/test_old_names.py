"""Addresses and lessons that name views of earlier versions lead to those of now."""

import pytest

from pages.ui.away import links
from pages.ui.lessons.store import read
from rankcore.views import read as read_values
from rankcore.views.old_names import OLD_VALUES, OLD_VIEWS

# Page and settings of earlier versions → page, view and settings of now.
MOVED = {
    "margins?margin_view=Rounds": ("train", "Run", "SVMMAP"),
    "margins?margin_view=Rounds&margin_learner=SVMAUC": ("train", "Run", "SVMAUC"),
    "approximation?approx_view=Paper versus experiment": ("papers", "Claims", "Ties"),
    "approximation?approx_view=What is true&approx_claim=Long lists": (
        "papers",
        "Claims",
        "Long lists",
    ),
    "cones?cone_view=Paper versus experiment&cone_claim=Clipping is a projection": (
        "papers",
        "Claims",
        "Clipping is a projection",
    ),
    "margins?margin_view=What is true&margin_claim=The values of Δ_mrr": (
        "papers",
        "Claims",
        "The values of Δₘᵣᵣ",
    ),
    "approximation?approx_claim=Long lists": ("papers", "Claims", "Long lists"),
    "cones?cone_claim=Clipping is a projection": (
        "papers",
        "Claims",
        "Clipping is a projection",
    ),
    "approximation?approx_view=One list&approx_claim=Long lists": (
        "approximation",
        "One list",
    ),
    "compare?compare_view=Cost&compared_cost=seconds": ("compare", "Models", "seconds"),
    "cones?cone_view=Quality and K&cone_most=7": ("explore", "Map", "ConeRank", "7"),
    "margins?margin_view=Regularisation C&margin_learner=SVMCombo": (
        "explore",
        "Map",
        "C_map",
        "0.1",
    ),
    "margins?margin_view=C and health&margin_points=15": (
        "explore",
        "Map",
        "SVMMAP",
        "16",
    ),
    "cones?cone_view=Geometry": ("cones", "Geometry"),
    "cones?cone_view=Any data": ("cones", "Geometry", "any data set"),
    "margins?margin_view=By hand": ("margins", "One list", "by hand"),
    "margins?margin_view=One query": ("margins", "One list", "a query of the data"),
}
LESSON = (
    """\
title: A title
summary: What it is about.
steps:
"""
    + 2
    * (
        "  - page: {page}\n    settings:\n{settings}    text: One. And two.\n"
        "    question: Why?\n    answer: Because.\n"
    )
)


def view_and_values(page, raw):
    """The name of the view that settings lead to, and the values of its settings."""
    values = read_values(page.rows(raw), raw)
    return page.name, page.view(raw).name, values


def test_every_view_that_moved_is_opened_here():
    old = {key for key in (*OLD_VALUES, *OLD_VIEWS) if key[0].endswith("_view")}
    opened = {tuple(link.split("?")[1].split("&")[0].split("=")) for link in MOVED}
    assert old - opened == {
        ("cone_view", "What is true"),
        ("margin_view", "Paper versus experiment"),
    }


@pytest.mark.parametrize("link", MOVED)
def test_an_address_leads_to_the_view_of_now(link):
    opened = links.opened(link)
    page, view, *settings = MOVED[link]
    values = view_and_values(opened.page, opened.raw)
    assert values[:2] == (page, view)
    assert set(settings) <= {str(values[2].get(key)) for key in opened.raw}


@pytest.mark.parametrize("link", MOVED)
def test_a_lesson_leads_to_the_view_of_now(link):
    name, _, query = link.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&")]
    lines = "".join(f"      {key}: {value}\n" for key, _, value in pairs)
    text = LESSON.format(page=name, settings=lines)
    step, _ = read(text.encode(), "old.yaml", "old").steps
    page, view, *settings = MOVED[link]
    opened = links.opened(page).page
    values = view_and_values(opened, step.settings)
    assert (step.page, values[1]) == (page, view)
    assert set(settings) <= {str(value) for value in step.settings.values()}
