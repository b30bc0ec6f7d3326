"""Approximation in a browser: sliders move figures, scores are dragged, a run grows."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.live import (
    Answers,
    choose,
    choose_example,
    expect_redrawn,
    figure,
    frames,
    strip_of,
)

# Shows a figure pictures before the page does, and tells what it then shows.
AHEAD = """(pictures) => {
  const node = document.querySelector(".st-key-approx_positions .rs-live");
  for (const picture of pictures)
    node.dispatchEvent(new CustomEvent("ahead", { detail: picture }));
}"""
# Where the mark of the second document is drawn; the axis ends at the others.
MARK = """() => {
  const node = document.querySelector(".st-key-approx_positions .rs-live");
  const { uid } = node._fullData.find(({ meta }) => meta?.drag);
  const mark = node.querySelectorAll(`.trace${uid} .point`)[1];
  const box = mark.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
SHOWN = """() => JSON.stringify(
  document.querySelector(".st-key-approx_positions .rs-live").data
    .map(({ x, y }) => [x, y]))"""


@pytest.fixture
def tab(browser, app):
    """A tab of its own, whose requests are tampered with."""
    result = Watched(browser, app.url)
    yield result
    assert result.leave() == []
    result.tab.close()


def test_a_slider_moves_its_figures_before_the_page(tab, settle):
    answers = Answers(tab.tab)
    page = tab("/approximation")
    before, facts = frames(page, "approx_positions"), strip_of(page).inner_text()
    settle(page)
    answers.hold()
    page.get_by_role("slider", name="Sharpness of positions").press("ArrowRight")
    expect_redrawn(page, "approx_positions", before)
    assert strip_of(page).inner_text() == facts
    drawn = page.evaluate(SHOWN)
    answers.let_go()
    expect(strip_of(page)).not_to_have_text(facts)
    settle(page)
    # The page sends the same picture, which is not drawn again.
    assert frames(page, "approx_positions") == before + 1
    assert page.evaluate(SHOWN) == drawn


def second_document(page):
    """Where the mark of the second document is, in pixels."""
    return page.evaluate(MARK)


def held_list(tab, settle):
    """A page with three documents and what the server answers it, held back; how often
    the sum is drawn, and the facts."""
    answers = Answers(tab.tab)
    page = tab("/approximation?approx_list=3:1, 2:0, 1:0")
    before, facts = frames(page, "approx_sum"), strip_of(page).inner_text()
    frames(page, "approx_positions")
    settle(page)
    answers.hold()
    return page, answers, before, facts


def test_a_point_that_is_dragged_moves_all_figures_before_the_page(tab, settle):
    page, answers, before, facts = held_list(tab, settle)
    requests = answers.asked
    x, y = second_document(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y, steps=4)
    expect_redrawn(page, "approx_sum", before)
    # The mark is where the pointer is.
    assert second_document(page)[0] == pytest.approx(x - 20, abs=1.5)
    assert strip_of(page).inner_text() == facts
    # The page hears of it when the pointer rests, as it also may between two of the
    # four moves on a slow machine, and at the end.
    page.wait_for_timeout(600)
    assert requests < answers.asked <= requests + 4
    page.mouse.move(x - 40, y, steps=4)
    page.mouse.up()
    answers.let_go()
    expect(strip_of(page)).not_to_have_text(facts)
    settle(page)
    assert second_document(page)[0] == pytest.approx(x - 40, abs=1.5)
    box = page.get_by_role("textbox", name="Scores and labels")
    expect(box).to_have_value(re.compile(r"^3:1, 1\.\d+:0, 1:0$"))


def test_a_point_moved_by_keys_moves_all_figures_before_the_page(tab, settle):
    page, answers, before, facts = held_list(tab, settle)
    x, _ = second_document(page)
    page.locator(".st-key-approx_positions .rs-handles").focus()
    for key in ("ArrowDown", "Enter", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    expect_redrawn(page, "approx_sum", before)
    assert second_document(page)[0] < x - 5
    assert strip_of(page).inner_text() == facts
    answers.let_go()
    expect(strip_of(page)).not_to_have_text(facts)


def test_a_second_finger_leaves_the_point_that_is_dragged_to_the_first(tab, settle):
    page = tab("/approximation?approx_list=3:1, 2:0, 1:0")
    frames(page, "approx_positions")
    settle(page)
    x, y = second_document(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 10, y, steps=2)
    for kind in ("pointermove", "pointerup"):
        other = {"pointerId": 77, "clientX": x, "clientY": y, "bubbles": True}
        figure(page, "approx_positions").dispatch_event(kind, other)
    page.mouse.move(x - 30, y, steps=3)
    page.mouse.up()
    settle(page)
    assert second_document(page)[0] == pytest.approx(x - 30, abs=1.5)


def test_a_point_is_dragged_where_only_the_page_moves_figures(tab, settle):
    page = tab("/approximation?approx_list=3:1, 2:0, 1:0")
    before = frames(page, "approx_sum")
    frames(page, "approx_positions")
    settle(page)
    page.route("**/frames/next*", lambda route: route.fulfill(status=404))
    x, y = second_document(page)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(4):
        page.mouse.move(x - 10 * step, y)
        page.wait_for_timeout(200)
    expect_redrawn(page, "approx_sum", before)
    page.mouse.up()
    settle(page)
    assert second_document(page)[0] == pytest.approx(x - 30, abs=1.5)
    tab.faults.clear()


def test_a_figure_ends_as_the_page_has_it(tab, settle):
    """Whatever came before it: another picture, or the page's own and then another."""
    page = tab("/approximation")
    frames(page, "approx_positions")
    slider = page.get_by_role("slider", name="Sharpness of positions")
    result, pictures = {}, {}
    for key in ("ArrowRight", "ArrowLeft"):
        with page.expect_response("**/frames/next*") as answer:
            slider.press(key)
        pictures[key] = answer.value.json()["figures"]["approx_positions"]
        settle(page)
        result[key] = page.evaluate(SHOWN)
    assert result["ArrowRight"] != result["ArrowLeft"]
    page.route("**/frames/next*", lambda route: route.fulfill(json={"figures": None}))
    right, left = pictures["ArrowRight"], pictures["ArrowLeft"]
    for key, early in (
        ("ArrowRight", [left]),
        ("ArrowLeft", [right]),
        ("ArrowRight", [right, left]),
    ):
        page.evaluate(AHEAD, early)
        slider.press(key)
        page.wait_for_function(f"drawn => ({SHOWN})() === drawn", arg=result[key])
        settle(page)
        assert page.evaluate(SHOWN) == result[key]


def test_a_picture_that_comes_late_does_not_stay(tab, settle):
    """Nor one of a draw that is broken off; the page sends nothing after it."""
    page = tab("/approximation")
    frames(page, "approx_positions")
    slider = page.get_by_role("slider", name="Sharpness of positions")
    with page.expect_response("**/frames/next*") as answer:
        slider.press("ArrowRight")
    early = answer.value.json()["figures"]["approx_positions"]
    page.route("**/frames/next*", lambda route: route.fulfill(json={"figures": None}))
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("approx_alpha=20"))
    settle(page)
    result = page.evaluate(SHOWN)
    page.evaluate(AHEAD, [early])
    page.wait_for_function(f"drawn => ({SHOWN})() !== drawn", arg=result)
    page.wait_for_function(f"drawn => ({SHOWN})() === drawn", arg=result)


def test_a_server_without_pictures_ahead_is_asked_once(tab, settle):
    page = tab("/approximation")
    before, result = frames(page, "approx_positions"), []

    def refuse(route):
        result.append(route.request.url)
        route.fulfill(status=404)

    page.route("**/frames/next*", refuse)
    slider = page.get_by_role("slider", name="Sharpness of positions")
    for alpha in (15, 20):
        slider.press("ArrowRight")
        expect(page).to_have_url(re.compile(f"approx_alpha={alpha}"))
        settle(page)
    expect_redrawn(page, "approx_positions", before)
    assert len(result) == 1
    # The browser complains of it.
    assert ["404" in fault for fault in tab.faults] == [True]
    tab.faults.clear()


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
