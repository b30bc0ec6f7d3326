"""Every page without a pointer: ways past the navigation, and shortcuts."""

import re

import pytest
from playwright.sync_api import expect

from tests.soaking import soak

FOCUSED = "key => document.activeElement.closest(`.st-key-${key}`) !== null"


def shortcuts(page):
    """The dialog that lists the shortcuts."""
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def await_program(page):
    """Wait for the program that hears shortcuts, which comes after the elements."""
    button = page.locator("[data-to=list]").element_handle()
    page.wait_for_function("button => Boolean(button.onclick)", arg=button)


def test_play_is_five_keys_away_and_a_question_mark_lists_its_shortcut(open_page):
    page = open_page("/train?data=planted")
    await_program(page)
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    past = page.get_by_role("button", name="Skip to the settings")
    page.keyboard.press("Tab")
    expect(past).to_be_focused()
    assert past.bounding_box()["width"] > 100
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the figures")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED, "play")
    past.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED, "controls")

    # What is typed is no shortcut.
    page.get_by_role("combobox", name="Algorithm").focus()
    page.keyboard.press("p")
    page.keyboard.press("?")
    expect(shortcuts(page)).to_have_count(0)
    page.keyboard.press("Escape")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("?")
    for text in ("Play", "+100", "Restart"):
        button = page.get_by_role("button", name=re.compile(f"^{re.escape(text)}"))
        expect(button).to_be_visible()
        expect(shortcuts(page).get_by_text(text, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(shortcuts(page)).to_have_count(0)


@pytest.mark.parametrize("focus", ["slider", soak("body"), soak("button")])
def test_a_shortcut_works_wherever_the_focus_is(open_page, focus):
    page = open_page("/train?data=planted&RSRank.max_iter=5000")
    if focus != "body":
        page.locator(".st-key-controls").get_by_role(focus).last.focus()
    await_program(page)
    page.keyboard.press("1")
    expect(page.locator(".rs-facts .rs-number").first).to_have_text("1")
    expect(page.get_by_text(re.compile("^Paused"))).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(".st-key-pause button:visible").first).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(".st-key-play button:visible").first).to_be_visible()
    expect(page.get_by_text(re.compile("^Paused"))).to_be_visible()
