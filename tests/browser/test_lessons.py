"""Lessons in a browser: from step to step, in large type, by keyboard alone."""

import contextlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

SIZES = [(1440, 900), (390, 844)]
FIRST = "1-no-slope"
TEMPLATE = Path(__file__).parents[2] / "pages" / "lessons" / f"{FIRST}.yaml"


def slide(page, number):
    return page.get_by_text(re.compile(rf"step {number} of \d"))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_step_sets_its_page_up_and_a_refresh_keeps_it(
    open_page, assert_sound, settle, width, height
):
    page = open_page("/lessons", width=width, height=height)
    expect(page.get_by_role("button", name="Start")).to_have_count(6)
    page.locator(f".st-key-start_{FIRST} button").click()
    expect(slide(page, 1)).to_be_visible()
    for number in (2, 3, 4):
        page.get_by_role("button", name="Next").click()
        expect(slide(page, number)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Measures")
    expect(page).to_have_url(re.compile(r"alpha=1(&|$)"))

    page.reload()
    settle(page)
    expect(slide(page, 4)).to_be_visible()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text("Up, and at every score")).to_be_visible()
    assert_sound(page)


def test_a_step_left_by_hand_can_be_set_up_again(open_page):
    page = open_page(f"/measures?lesson={FIRST}&step=5")
    again = page.get_by_role("button", name="Set up again")
    expect(again).to_have_count(0)
    page.get_by_role("slider", name="Sharpness").press("ArrowLeft")
    again.click()
    expect(again).to_have_count(0)
    expect(page).to_have_url(re.compile(r"alpha=20(&|$)"))


def test_a_lesson_of_ones_own_is_checked_and_started(open_page):
    page = open_page("/lessons")
    chooser = page.locator(".st-key-lesson_upload input[type=file]")
    content = TEMPLATE.read_bytes()
    for sent in (content.replace(b"page: home", b"page: hme", 1), content):
        chooser.set_input_files(
            {"name": "mine.yaml", "mimeType": "text/yaml", "buffer": sent}
        )
        if sent is not content:
            expect(page.get_by_text("mine.yaml, line")).to_be_visible()
    page.get_by_role("button", name="Start the lesson").click()
    expect(slide(page, 1)).to_be_visible()
    expect(page).to_have_url(re.compile("lesson=upload-"))
    page.get_by_role("button", name="Leave").click()
    expect(slide(page, 1)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("lesson"))


def press_until(page, key, sign):
    """Press a key, and again where it came before the page was listening."""
    for _ in range(5):
        page.keyboard.press(key)
        with contextlib.suppress(AssertionError):
            expect(sign).to_be_visible(timeout=8_000)
            return
    expect(sign).to_be_visible()


def test_a_lesson_is_presented_from_the_keyboard(open_page, assert_sound, settle):
    page = open_page(f"/measures?lesson={FIRST}&step=5&present=1")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(slide(page, 5)).to_be_visible()
    size = page.locator(".st-key-lesson_text p").evaluate(
        "text => parseFloat(getComputedStyle(text).fontSize)"
    )
    assert size >= 22

    press_until(page, "a", page.get_by_text("That is the trade of the next"))
    page.keyboard.press("PageDown")
    expect(slide(page, 6)).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("heading", level=1)).to_have_text("Train live")
    settle(page)
    page.keyboard.press("PageUp")
    expect(slide(page, 6)).to_be_visible()
    expect(page).to_have_url(re.compile("present=1"))
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))
    assert_sound(page)


def test_figures_grow_with_the_type(open_page):
    def height(link):
        page = open_page(f"/measures?lesson={FIRST}&step=5{link}")
        drawn = page.locator(".js-plotly-plot").first
        expect(drawn).to_be_visible()
        return drawn.bounding_box()["height"]

    assert height("&present=1") > 1.2 * height("")
