"""Approximation in a browser: sliders move figures, scores are dragged, a run grows."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import (
    choose,
    choose_example,
    expect_redrawn,
    figure,
    frames,
    strip_of,
)


@pytest.mark.soak
def test_two_quick_presses_leave_a_scenario_for_good(open_page, settle):
    """The second is sent before the browser has heard that no scenario is on."""
    for wait in (0, 150):
        page = open_page("/approximation")
        frames(page, "approx_positions")
        chosen = page.locator(".st-key-examples button")
        expect(chosen).to_contain_text("Example: Table 1")
        page.get_by_role("slider", name="Sharpness of positions").press("ArrowRight")
        page.wait_for_timeout(wait)
        page.get_by_role("slider", name="Cutoff").press("ArrowRight")
        expect(chosen).to_contain_text("Examples")
        settle(page)
        expect(page).to_have_url(re.compile("approx_k=3"))
        assert "approx_alpha=15" in page.url


def test_the_sharpness_moves_the_figures_and_a_claim_is_a_click_away(
    open_page, assert_sound
):
    page = open_page("/approximation")
    before = frames(page, "approx_positions")
    page.get_by_role("slider", name=re.compile("Sharpness of positions")).press("End")

    expect(strip_of(page)).to_contain_text("vanished")
    expect_redrawn(page, "approx_positions", before)
    expect(page).to_have_url(re.compile("approx_alpha=1000"))
    page.reload()
    expect(strip_of(page)).to_contain_text("vanished")

    page.goto(page.url.partition("/approximation")[0] + "/papers")
    choose_example(page, "Ties break the formula")
    strip = strip_of(page)
    expect(strip.filter(has_text="1.23")).to_be_visible()
    expect(strip).to_have_count(1)
    expect(figure(page, "claim_ties")).to_be_visible()
    page.get_by_role("link", name="Show it on the list").click()
    expect(figure(page, "approx_positions")).to_be_visible()
    assert_sound(page)


@pytest.mark.soak
def test_a_score_and_a_slider_are_dragged(open_page):
    page = open_page("/approximation?approx_list=3:1, 2:0, 1:0")
    expect(figure(page, "approx_positions")).to_be_visible()
    frames(page, "approx_positions")
    expect(strip_of(page)).to_contain_text("1.000")
    place = page.evaluate(
        """() => {
            const figure = ".st-key-approx_positions_figure .js-plotly-plot";
            const node = document.querySelector(figure);
            node.scrollIntoView({ block: "center" });
            const box = node.getBoundingClientRect();
            const { xaxis: x, yaxis: y } = node._fullLayout;
            return [3, 0].map((score) => [
                box.left + x._offset + x.d2p(score), box.top + y._offset + y.d2p(0)]);
        }"""
    )
    (x, y), (goal, _) = place
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(goal, y, steps=8)
    page.mouse.up()

    expect(page.get_by_role("textbox", name="Scores and labels")).to_have_value(
        re.compile(r"^-?0(\.\d+)?:1, 2:0, 1:0$")
    )
    expect(strip_of(page)).to_contain_text("0.333")

    before = frames(page, "approx_positions")
    slider = page.get_by_role("slider", name="Sharpness of positions")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    page.mouse.up()
    expect_redrawn(page, "approx_positions", before)
    expect(page).to_have_url(re.compile("approx_alpha="))


@pytest.mark.soak
def test_runs_are_measured_and_drawn(open_page, assert_sound):
    page = open_page(
        "/approximation?approx_view=Along+training&data=planted&approx_passes=10"
    )
    page.get_by_role("button", name="Train and measure models").click()

    for key in ("approx_by_alpha", "approx_by_beta", "approx_spread", "approx_flat"):
        expect(figure(page, key)).to_be_visible()
    expect(page.get_by_text("All 9 runs have ended.")).to_be_visible()
    facts = strip_of(page)
    expect(facts).to_contain_text("trained at α = 10, β = 10")
    choose(page, page.get_by_role("combobox", name="Run shown"), "α = 300, β = 10")
    expect(facts).to_contain_text("trained at α = 300, β = 10")
    assert_sound(page)
