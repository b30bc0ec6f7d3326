"""Cones in a browser: sliders, a training that plays, a dragged difference."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import expect_redrawn, figure, frames, strip_of


def test_a_training_plays_to_its_end_and_sliders_draw_other_cones(open_page):
    page = open_page("/cones?cone_k=1&ConeRank.lambda_high=1.5")
    plane = figure(page, "cone_plane")
    expect(plane).to_be_visible()
    page.locator(".st-key-play button").click()
    expect(page.locator(".st-key-pause button")).to_be_visible()
    expect(page.locator(".st-key-play button")).to_be_visible()
    slider = page.get_by_role("slider", name=re.compile("Iteration of training"))
    expect(slider).to_have_value("3")

    vectors = page.get_by_role("slider", name=re.compile("Basis vectors"))
    vectors.press("ArrowRight")
    expect(plane.get_by_text("u₂")).to_be_visible()
    expect(plane.get_by_text("u₃")).to_have_count(0)
    vectors.press("ArrowRight")
    expect(plane.get_by_text("u₃")).to_be_visible()
    expect(page).to_have_url(re.compile("cone_k=3"))
    page.get_by_role("slider", name=re.compile("Largest sum")).press("Home")
    page.wait_for_url(re.compile("ConeRank.lambda_high=none"))
    page.reload()
    expect(plane.get_by_text("u₃")).to_be_visible()


def test_a_figure_lower_than_expected_leaves_no_room_below(open_page):
    """With one scale for both axes, it is no higher than a phone is wide."""
    page = open_page("/cones", width=390, height=844)
    frames(page, "cone_plane")
    place = page.locator(".st-key-cone_plane_figure").first.bounding_box()
    drawn = figure(page, "cone_plane").bounding_box()
    assert place["y"] + place["height"] <= drawn["y"] + drawn["height"] + 1


def drag(page, key, start, goal):
    """Drag what is at a place of a plane to another."""
    at = """([key, x, y]) => {
      const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
      const box = chart.getBoundingClientRect();
      const {xaxis, yaxis} = chart._fullLayout;
      return [box.left + xaxis._offset + xaxis.d2p(x),
              box.top + yaxis._offset + yaxis.d2p(y)];
    }"""
    figure(page, key).scroll_into_view_if_needed()
    places = [page.evaluate(at, [key, *place]) for place in (start, goal)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()


def test_a_dragged_difference_is_folded_in_anew_and_kept_in_space(open_page):
    page = open_page("/cones?cone_z=1.2,0.3")
    expect(figure(page, "cone_plane")).to_be_visible()
    before = frames(page, "cone_weights")
    drag(page, "cone_plane", (1.2, 0.3), (0.2, -0.6))

    expect_redrawn(page, "cone_weights", before)
    page.wait_for_url(re.compile(r"cone_z=0\.[12]\d*(,|%2C)-0\.[56]"))
    fields = page.get_by_role("spinbutton", name=re.compile("Pair z"))
    expect(fields).to_have_count(2)
    expect(fields.nth(1)).to_have_value(re.compile(r"-0\.[56]"))
    at = fields.nth(1).input_value()

    page.get_by_role("radio", name="3-D").press("Space")
    page.wait_for_url(re.compile(r"cone_z=0\.[12]\d*(,|%2C)-0\.[56]\d*(,|%2C)0"))
    expect(fields).to_have_count(3)
    expect(fields.nth(1)).to_have_value(at)
    expect(fields.nth(2)).to_have_value("0.000")


@pytest.mark.soak
def test_a_claim_is_put_to_the_test_by_dragging(open_page):
    claim = "cone_claim=The+negative+projects+to+zero"
    page = open_page(f"/cones?cone_view=Paper+versus+experiment&{claim}")
    expect(figure(page, "cone_negative")).to_be_visible()
    facts = strip_of(page)
    expect(facts).to_contain_text("135°")
    page.get_by_text("More settings").click()
    page.get_by_role("spinbutton").nth(1).fill("1")
    page.get_by_role("spinbutton").nth(1).press("Enter")

    expect(facts).to_contain_text("90°")
    drag(page, "cone_negative", (-1.0, 0.0), (-1.0, -1.0))
    field = page.get_by_role("spinbutton", name="Difference, coordinate 2")
    expect(field).to_have_value(re.compile(r"-(0\.9|1\.0)"))
