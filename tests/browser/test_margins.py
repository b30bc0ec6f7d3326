"""Margins in a browser: scores are dragged, C is moved, rounds arrive."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import expect_folded, figure, strip_of

HAND = "/margins?margin_source=by+hand"


# Where a point is on the screen, and where it would be at another score.
PLACES = """(figure, [point, goal]) => {
  figure.scrollIntoView({ block: "center" });
  const box = figure.getBoundingClientRect();
  const { data: [{ x, y }], _fullLayout: { xaxis, yaxis } } = figure;
  const down = box.top + yaxis._offset + yaxis.d2p(y[point]);
  return [x[point], goal].map(
    score => [box.left + xaxis._offset + xaxis.d2p(score), down]);
}"""


def drag(page, key, point, goal):
    """Drag a point of a figure sideways to a score."""
    start, end = figure(page, key).evaluate(PLACES, [point, goal])
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


@pytest.mark.soak
def test_dragging_a_score_moves_the_slack_and_the_link(open_page, assert_sound, settle):
    page = open_page(HAND)
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    expect(strip_of(page)).to_contain_text("1.28")
    orders = figure(page, "orders")
    expect(orders).to_contain_text("Δ 0.500")
    drag(page, "hand", 3, 0.6)

    expect(page.get_by_role("textbox", name="Scores and labels")).to_have_value(
        "0.5:0, 0.2:1, 0.1:0, 0.6:1"
    )
    settle(page)
    expect(strip_of(page)).not_to_contain_text("1.28")
    expect(orders).to_contain_text("Δ 0.167")
    expect(page).to_have_url(re.compile("margin_list=.*0.6"))
    facts = strip_of(page).inner_text()
    page.reload()
    expect(strip_of(page)).to_have_text(re.compile(facts.split("\n")[1]))
    assert_sound(page)


@pytest.mark.soak
def test_moving_c_redraws_the_query(open_page, assert_sound):
    page = open_page("/margins?data=toy-2d")
    orders = figure(page, "orders")
    expect(orders).to_be_visible()
    expect(orders).not_to_contain_text("Δ 0.679")
    page.get_by_role("slider", name=re.compile("Weight of the loss")).press("Home")

    # With C = 0 all scores are equal, and nothing holds the worst order back.
    expect(orders).to_contain_text("Δ 0.679")
    expect(page).to_have_url(re.compile(r"SVMMAP\.C="))
    assert_sound(page)


def test_rounds_and_planes_arrive_where_the_address_of_rounds_leads(
    open_page, assert_sound
):
    page = open_page("/margins?margin_view=Rounds&data=toy-2d&speed=unlimited")
    expect(page).to_have_url(re.compile("/train.*algorithm=SVMMAP"))
    page.get_by_role("button", name=re.compile("Play")).click()

    expect(figure(page, "planes")).to_be_visible()
    expect(figure(page, "rounds")).to_be_visible()
    assert_sound(page)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
@pytest.mark.soak
def test_a_claim_is_checked_and_shown_by_hand(open_page, assert_sound, settle, size):
    page = open_page("/margins?margin_view=What+is+true", width=size[0], height=size[1])
    strip = strip_of(page)
    expect(strip).to_contain_text("0.548")
    expect(strip).to_contain_text("above Σ C ξ: it fails")
    expect(figure(page, "claim_bound")).to_be_visible()
    assert_sound(page)
    if size[0] < 500:
        expect_folded(page)
        page.get_by_text("Settings", exact=True).click()
    page.get_by_role("slider", name=re.compile("Weight of every loss")).press("End")
    expect(strip).to_contain_text("it holds")
    settle(page)

    page.get_by_role("combobox", name=re.compile("Experiment")).click()
    page.get_by_role("option", name=re.compile("Merging by score")).click()
    expect(strip).to_contain_text("1.87")
    expect(figure(page, "claim_merge")).to_be_visible()
    expect(page).to_have_url(re.compile("papers_experiment=Merging"))
    assert_sound(page)
    page.reload()
    expect(strip).to_contain_text("0.867")
    page.get_by_role("link", name="Open as a list by hand").click()
    # For a moment the facts of the view before stand there, too.
    expect(strip.filter(has_text="1.87")).to_be_visible()
    expect(strip).to_have_count(1)
    assert_sound(page)
