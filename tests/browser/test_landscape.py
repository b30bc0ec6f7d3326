"""The landscape in a browser: sliders and drags move it, the globe turns."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import expect_redrawn, figure, frames, strip_of

CIRCLE = "/approximation?approx_view=Landscape&data=toy-2d"
SPHERE = "/approximation?approx_view=Landscape&data=toy-3d&land_shape=Sphere"


@pytest.mark.soak
def test_sharpness_and_direction_redraw_the_steps(open_page):
    page = open_page(CIRCLE)
    facts = strip_of(page)
    expect(facts).to_contain_text("2 peaks, α = 10")
    before = frames(page, "landscape")
    page.get_by_role("slider", name=re.compile("Sharpness")).press("ArrowRight")

    expect(facts).not_to_contain_text("2 peaks, α = 10")
    expect_redrawn(page, "landscape", before)
    page.get_by_role("slider", name=re.compile("direction")).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"land_angle=30\.5"))
    page.reload()
    slider = page.get_by_role("slider", name=re.compile("direction"))
    expect(slider).to_have_value("30.5")

    # The model looked at is dragged along the circle.
    chart = figure(page, "landscape")
    chart.scroll_into_view_if_needed()
    point = chart.locator(".scatterlayer .trace").last.locator(".point").first
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y, steps=5)
    page.mouse.up()
    expect(slider).not_to_have_value("30.5")
    expect(page).to_have_url(re.compile(r"land_angle=(?!30\.5)\d"))


@pytest.mark.soak
def test_restarts_run_and_end(open_page, assert_sound):
    page = open_page(f"{CIRCLE}&land_restarts=2")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    page.get_by_role("button", name="Run 10 restarts").click()

    expect(page.get_by_text("All 10 restarts have ended.")).to_be_visible()
    expect(figure(page, "buying")).to_be_visible()
    expect(page).to_have_url(re.compile("job="))
    assert_sound(page)


@pytest.mark.soak
def test_table_5_runs_survives_a_reload_and_leaves_the_landscape_alone(
    open_page, assert_sound
):
    page = open_page(f"{CIRCLE}&land_restarts=2")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    page.get_by_role("radio", name="all features").click()
    expect(page.get_by_text("on all 2 features and all 6 training")).to_be_visible()
    page.get_by_role("button", name="Run Table 5").click()

    expect(page.get_by_text("All 6 restarts have ended.")).to_be_visible()
    assert frames(page, "spread") > 0
    expect(page).to_have_url(re.compile("job="))
    page.reload()
    expect(page.get_by_text("All 6 restarts have ended.")).to_be_visible()
    expect(page.get_by_role("radio", name="all features")).to_be_checked()
    expect(page.get_by_role("heading", name=re.compile("^Table 5"))).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    assert_sound(page)
