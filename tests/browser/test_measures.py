"""Measures in a browser: documents are dragged, moved by keys and relabelled."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import Answers, strip_of


def rows(page):
    return page.locator(".documents li")


def expect_order(page, names):
    expect(rows(page)).to_have_text([re.compile(f"^{name} ·") for name in names])


def test_documents_are_dragged_moved_by_keys_and_labelled(open_page):
    page = open_page("/measures")
    expect(strip_of(page)).to_contain_text("0.673")
    start = rows(page).nth(1).bounding_box()
    goal = rows(page).nth(0).bounding_box()
    page.mouse.move(start["x"] + 30, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + 30, goal["y"] + 2, steps=6)
    page.mouse.up()

    expect_order(page, "BACDE")
    expect(page).to_have_url(re.compile("ranking=B2-A0-C1-D0-E1"))
    expect(strip_of(page)).not_to_contain_text("0.673")

    page.set_viewport_size({"width": 390, "height": 844})
    rows(page).nth(4).press("ArrowUp")
    expect_order(page, "BACED")
    rows(page).nth(3).press("4")
    expect(page).to_have_url(re.compile("ranking=B2-A0-C1-E4-D0"))
    page.reload()
    expect_order(page, "BACED")
    box = rows(page).first.bounding_box()
    assert box["x"] + box["width"] <= 390


@pytest.mark.soak
def test_quick_keys_are_all_heard(open_page):
    """An answer to the first must not undo the second, whenever it comes."""
    page = open_page("/measures")
    for wait in (0, 90):
        page.goto(page.url.partition("?")[0])
        expect_order(page, "ABCDE")
        page.wait_for_timeout(500)
        rows(page).nth(4).press("ArrowUp")
        page.wait_for_timeout(wait)
        rows(page).nth(3).press("4")
        page.wait_for_timeout(wait)
        rows(page).nth(0).press("3")
        expect(page).to_have_url(re.compile("ranking=A3-B2-C1-E4-D0"))
        expect_order(page, "ABCED")


@pytest.mark.soak
def test_the_link_follows_though_its_last_change_is_not_known_yet(open_page, settle):
    """A request may still name the link before the one that is on its way."""
    page = open_page("/", apart=True)
    answers = Answers(page)
    page.goto(open_page.url + "/measures?alpha=20")
    settle(page)
    slider = page.get_by_role("slider", name="Sharpness")
    answers.hold()
    slider.press("ArrowLeft")
    while not any(b"alpha=10" in message for message in answers.held):
        page.wait_for_timeout(20)
    slider.press("ArrowRight")
    page.wait_for_timeout(1000)
    answers.let_go()
    expect(page).to_have_url(re.compile("alpha=20"))
    expect(strip_of(page)).to_be_visible()
    page.wait_for_timeout(500)
    expect(page).to_have_url(re.compile("alpha=20"))
