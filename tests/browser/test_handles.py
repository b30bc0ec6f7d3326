"""Points of figures that are moved by keys, or pulled past the end of an axis."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import expect_redrawn, frames

RANGE = (
    "key => document.querySelector(`.st-key-${key} .js-plotly-plot`).layout.xaxis.range"
)
# Where the middle of the ring about the chosen point is, and that of the mark.
RING = """key => {
  const middle = element => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const figure = document.querySelector(`.st-key-${key}`);
  return middle(figure.querySelector(".rs-ring"));
}"""
# Keys that reach the page.
HEARD = """() => {
  window.heard = [];
  document.addEventListener("keydown", ({ key }) => heard.push(key));
}"""
NUMBER = r"[−\d.]*\d"
SEEN = "element => getComputedStyle(element).visibility"
# How the ring is drawn, and whether its colour is that of text on the page.
DRAWN = """element => {
  const { outlineStyle, outlineWidth, outlineColor, color } = getComputedStyle(element);
  return [outlineStyle, outlineWidth, outlineColor === color];
}"""


def handles(page, key):
    """What has the focus while keys move points of a figure."""
    return page.locator(f".st-key-{key} .rs-handles")


def tab_to(page, key):
    """Press Tab until the points of a figure have the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if handles(page, key).evaluate("layer => layer === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {key}")


def status(page, key):
    return handles(page, key).get_by_role("status")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_point_is_chosen_taken_moved_and_put_back_by_keys(open_page, settle, theme):
    page = open_page("/approximation?approx_list=3:1, 2:0, 1:0", theme=theme)
    before = frames(page, "approx_positions"), frames(page, "approx_sum")
    box = page.get_by_role("textbox", name="Scores and labels")
    page.get_by_role("button", name="Skip to the figures").focus()
    tab_to(page, "approx_positions")
    ring = handles(page, "approx_positions").locator(".rs-ring")
    assert ring.evaluate(SEEN) == "visible"
    assert ring.evaluate(DRAWN) == ["dashed", "2px", True]
    expect(status(page, "approx_positions")).to_contain_text("x1: score 3.")
    press(page, "ArrowDown")
    expect(status(page, "approx_positions")).to_have_text("x2: score 2.")
    begun = page.evaluate(RING, "approx_positions")
    press(page, "Enter", "ArrowLeft", "ArrowLeft", "Shift+ArrowLeft")
    assert ring.evaluate(DRAWN) == ["solid", "3px", True]
    expect(status(page, "approx_positions")).to_have_text("x2: score 1.76.")
    expect_redrawn(page, "approx_sum", before[1])
    expect(box).to_have_value("3:1, 1.76:0, 1:0")
    settle(page)
    expect(status(page, "approx_positions")).to_have_text("x2: score 1.76.")
    assert page.evaluate(RING, "approx_positions")[0] < begun[0] - 5
    press(page, "Escape")
    expect(status(page, "approx_positions")).to_have_text("x2: score 2. Put back.")
    expect(box).to_have_value("3:1, 2:0, 1:0")
    settle(page)
    assert page.evaluate(RING, "approx_positions") == pytest.approx(begun, abs=1)
    # What is placed stays; a point that is not taken does not move.
    press(page, "Space", "ArrowRight", "Enter")
    expect(status(page, "approx_positions")).to_have_text("x2: score 2.02. Placed.")
    press(page, "ArrowRight")
    expect(status(page, "approx_positions")).to_have_text("x3: score 1.")
    expect(box).to_have_value("3:1, 2.02:0, 1:0")
    press(page, "Tab")
    assert ring.evaluate(SEEN) == "hidden"


def test_a_point_is_put_back_to_the_last_digit(open_page):
    page = open_page("/approximation?approx_list=3.14159:1, 2:0, 1:0")
    frames(page, "approx_positions")
    box = page.get_by_role("textbox", name="Scores and labels")
    page.get_by_role("button", name="Skip to the figures").focus()
    tab_to(page, "approx_positions")
    press(page, "Enter", "ArrowLeft")
    expect(box).to_have_value("3.122:1, 2:0, 1:0")
    press(page, "Escape")
    expect(box).to_have_value("3.14159:1, 2:0, 1:0")
    # A later step has three digits again.
    press(page, "Enter", "ArrowLeft", "Enter")
    expect(box).to_have_value("3.122:1, 2:0, 1:0")


def test_a_point_in_space_moves_along_all_axes_by_keys(open_page):
    page = open_page("/cones?cone_size=3-D&cone_view=Geometry")
    frames(page, "cone_space")
    page.get_by_role("button", name="Skip to the figures").focus()
    tab_to(page, "cone_space")
    text = status(page, "cone_space")
    first = re.findall(NUMBER, text.inner_text())
    # The page has shortcuts of the same keys, such as those of slides.
    page.evaluate(HEARD)
    press(page, "Enter", "Shift+PageUp", "Shift+ArrowUp", "Shift+ArrowRight")
    now = re.findall(NUMBER, text.inner_text())
    assert len(now) == 3
    assert all(a != b for a, b in zip(first, now, strict=True))
    assert set(page.evaluate("heard")) == {"Shift"}


def test_keys_of_points_are_listed(open_page):
    page = open_page("/reduction?red_view=Regrets")
    frames(page, "red_along")
    page.get_by_role("button", name="Skip to the figures").focus()
    tab_to(page, "red_along")
    press(page, "Enter", "ArrowRight", "Enter")
    expect(page.get_by_role("slider", name="Probability")).to_have_value("0.61")
    press(page, "?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Take the point, or place it")).to_be_visible()


def test_axes_stay_while_a_point_is_pulled_past_their_end(open_page, settle):
    page = open_page("/approximation?approx_list=3:1, 2:0, 1:0")
    before = frames(page, "approx_sum")
    frames(page, "approx_positions")
    first = page.evaluate(RANGE, "approx_positions")
    # The ring is about the chosen point, also where nothing has the focus.
    x, y = page.evaluate(RING, "approx_positions")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 400, y, steps=5)
    expect_redrawn(page, "approx_sum", before)
    settle(page)
    assert page.evaluate(RANGE, "approx_positions") == first
    page.mouse.up()
    settle(page)
    page.wait_for_function(
        f"last => ({RANGE})('approx_positions')[1] > last", arg=first[1]
    )
