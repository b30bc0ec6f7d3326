"""Every view as those meet it who listen to it, or hold it in one hand."""

import re
from urllib.parse import urlencode

import pytest

from pages.ui.catalogue import pages
from tests.browser.live import expect_folded

NARROW = {"width": 390, "height": 844}
# What is not words: Markdown, LaTeX, HTML and the names of icons.
MARKS = re.compile(r"[$\\`*{}<>]|&\w+;|:material")
OPERATED = {
    "button", "checkbox", "combobox", "link", "listbox", "radio", "radiogroup",
    "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
}  # fmt: skip
FOLDED = ".st-key-controls details:not([open]) > summary"
PICTURES = "[class*=st-key-][class*=_figure], .rs-live"


def links():
    """The path of every view; with the first of each page in the quick tests."""
    for name, page in pages().items():
        path = "/" if name == "home" else f"/{name}"
        for number, view in enumerate(page.views):
            chosen = f"?{urlencode({page.key: view})}" if page.choice else ""
            marks = [pytest.mark.soak] if number else []
            yield pytest.param(path + chosen, id=f"{name}, {view}", marks=marks)


def names(page):
    """Role and name of all that can be operated, as a screen reader is told."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    seen = [node for node in nodes if not node["ignored"]]
    told = [(node["role"]["value"], node["name"]["value"]) for node in seen]
    return [(role, name) for role, name in told if role in OPERATED]


@pytest.mark.parametrize("link", list(links()))
def test_controls_have_plain_names_and_the_picture_is_in_sight(open_page, link):
    page = open_page(link, **NARROW)
    pictures = page.locator(PICTURES)
    if page.locator(".st-key-controls").count():
        expect_folded(page)
        if pictures.count():
            assert pictures.first.bounding_box()["y"] < NARROW["height"]
        while page.locator(FOLDED).count():
            page.locator(FOLDED).first.click()

    found = names(page)

    assert len(found) > 10
    assert [name for _, name in found if not name.strip() or MARKS.search(name)] == []
