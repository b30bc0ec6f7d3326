"""Reduction in a browser: documents and p are dragged, points are clicked."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import expect_redrawn, figure, frames, strip_of


@pytest.mark.soak
def test_dragging_a_document_moves_both_losses(open_page):
    page = open_page("/reduction")
    expect(strip_of(page)).to_contain_text("0.548")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    weights, plane = frames(page, "red_weights"), frames(page, "red_plane")
    rows = page.locator(".documents li")
    start, goal = rows.nth(1).bounding_box(), rows.nth(0).bounding_box()
    page.mouse.move(start["x"] + 30, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + 30, goal["y"] + 2, steps=6)
    page.mouse.up()

    expect(page).to_have_url(re.compile("ranking=B2-A0-C1-D0-E1"))
    expect(strip_of(page)).not_to_contain_text("0.548")
    expect_redrawn(page, "red_weights", weights)
    expect_redrawn(page, "red_plane", plane)


@pytest.mark.soak
def test_p_moves_by_slider_and_by_dragging_and_a_click_is_in_the_link(open_page):
    page = open_page("/reduction?red_view=Regrets")
    points = figure(page, "red_regrets").locator(".trace").nth(1)
    expect(points.locator(".points path")).to_have_count(6)
    expect(strip_of(page)).to_contain_text("0.131")
    points.locator(".points path").nth(0).click(force=True)
    expect(strip_of(page)).to_contain_text("0.177")
    expect(page).to_have_url(re.compile("red_order="))
    page.reload()
    expect(strip_of(page)).to_contain_text("0.177")

    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    before, along = frames(page, "red_regrets"), frames(page, "red_along")
    page.get_by_role("slider", name=re.compile("Probability")).press("ArrowLeft")
    expect_redrawn(page, "red_regrets", before)
    expect_redrawn(page, "red_along", along)
    expect(page).to_have_url(re.compile("red_p=0.59"))

    before = frames(page, "red_regrets")
    box = page.locator(".st-key-red_along .points path").last.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"], steps=8)
    page.mouse.up()
    expect_redrawn(page, "red_regrets", before)
    expect(page).not_to_have_url(re.compile("red_p=0.59"))
