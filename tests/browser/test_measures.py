"""Measures in a browser: documents are dragged, moved by keys and relabelled."""

import re

import pytest
from playwright.sync_api import expect

SIZES = [(1440, 900), (390, 844)]


def rows(page):
    return page.locator(".documents li")


def expect_order(page, names):
    expect(rows(page)).to_have_text([re.compile(f"^{name} ·") for name in names])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_measures_draws_in_every_size_and_theme(
    open_page, assert_sound, width, height, theme
):
    page = open_page("/measures", width=width, height=height, theme=theme)

    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    expect(rows(page)).to_have_count(5)
    box = rows(page).first.bounding_box()
    assert box["x"] + box["width"] <= width
    assert_sound(page)


def test_dragging_a_document_moves_every_measure(open_page):
    page = open_page("/measures")
    expect(page.locator(".rs-facts")).to_contain_text("0.673")
    start = rows(page).nth(1).bounding_box()
    goal = rows(page).nth(0).bounding_box()
    page.mouse.move(start["x"] + 30, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + 30, goal["y"] + 2, steps=6)
    page.mouse.up()

    expect_order(page, "BACDE")
    expect(page).to_have_url(re.compile("ranking=B2-A0-C1-D0-E1"))
    expect(page.locator(".rs-facts")).not_to_contain_text("0.673")


def test_keys_move_and_label_documents(open_page):
    page = open_page("/measures")
    rows(page).nth(4).press("ArrowUp")
    expect_order(page, "ABCED")
    rows(page).nth(3).press("4")

    expect(page).to_have_url(re.compile("ranking=A0-B2-C1-E4-D0"))
    page.reload()
    expect_order(page, "ABCED")


def test_a_slider_moves_the_smooth_lines(open_page, settle):
    page = open_page("/measures?ranking=A0-B2-C1")
    chart = page.locator(".st-key-moving .js-plotly-plot")
    expect(chart.get_by_text("α = 3")).to_be_visible()
    page.get_by_role("slider", name=re.compile("Sharpness")).press("ArrowRight")

    expect(chart.get_by_text("α = 5")).to_be_visible()
