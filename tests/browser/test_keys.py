"""Every page without a pointer: ways past the navigation, and shortcuts."""

import re

import pytest
from playwright.sync_api import expect

from tests.soaking import soak

FOCUSED = "() => document.activeElement.closest('.st-key-play') !== null"


def shortcuts(page):
    """The dialog that lists the shortcuts."""
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def await_program(page):
    """Wait for the program that hears shortcuts, which comes after the elements."""
    button = page.locator("[data-to=list]").element_handle()
    page.wait_for_function("button => Boolean(button.onclick)", arg=button)


def test_play_is_five_keys_away(open_page):
    page = open_page("/train")
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    past = page.get_by_role("button", name="Skip to the settings")
    page.keyboard.press("Tab")
    expect(past).to_be_focused()
    assert past.bounding_box()["width"] > 100
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the figures")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED)


def test_settings_are_a_link_away(open_page):
    page = open_page("/measures")
    page.get_by_role("button", name="Skip to the settings").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(
        "() => document.activeElement.closest('.st-key-controls') !== null"
    )


@pytest.mark.parametrize("focus", ["slider", soak("body"), soak("button")])
def test_a_shortcut_works_wherever_the_focus_is(open_page, focus):
    page = open_page("/train?data=planted&RSRank.max_iter=5000")
    if focus != "body":
        page.locator(".st-key-controls").get_by_role(focus).last.focus()
    await_program(page)
    page.keyboard.press("p")
    expect(page.locator(".st-key-pause button:visible").first).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(".st-key-play button:visible").first).to_be_visible()
    expect(page.get_by_text(re.compile("^Paused"))).to_be_visible()


def test_a_letter_that_is_typed_is_no_shortcut(open_page):
    page = open_page("/train?data=planted")
    page.get_by_role("combobox", name="Algorithm").focus()
    page.keyboard.press("p")
    page.keyboard.press("?")
    expect(shortcuts(page)).to_have_count(0)
    expect(page.locator(".st-key-play button:visible").first).to_be_visible()


def test_a_question_mark_lists_the_shortcuts_of_the_page(open_page):
    page = open_page("/train")
    for name in ("Play", r"\+100", "Restart"):
        expect(page.get_by_role("button", name=re.compile(f"^{name}"))).to_be_visible()
    await_program(page)
    page.keyboard.press("?")
    dialog = shortcuts(page)
    for text in ("Play", "+100", "Restart"):
        expect(dialog.get_by_text(text, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
