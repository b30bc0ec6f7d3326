"""The first figure of a cold tab is a still picture until Plotly has come."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settle
from tests.browser.live import without_components

# The first plot of a figure, and its picture: left, top, right and bottom.
PLACE = """(selector) => {
  const { left, top, right, bottom } =
    document.querySelector(selector).getBoundingClientRect();
  return [left, top, right, bottom];
}"""
PLOTLY = "**/plotly-cartesian.min.js"
PICTURE, PLOT = ".rs-still svg", ".rs-live-figure .nsewdrag"
# Plotly measures what stands beside the axes, and moves them by as much.
NEAR = 8


@pytest.fixture
def cold(browser, app):
    """Opens a page in a tab of its own, whose Plotly waits for a call."""
    contexts = []

    def open_page(name, size=(1440, 900), theme="light"):
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme
        )
        contexts.append(context)
        page, held = context.new_page(), []
        page.set_default_timeout(120_000)

        def hold(route):
            held.append(route)

        page.route(PLOTLY, hold)
        page.goto(f"{app.url}/{name}")
        expect(page.locator(PICTURE).first).to_be_visible()

        def let_go():
            for route in held:
                route.continue_()

        return page, let_go

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("size", "theme"), [((1440, 900), "light"), ((390, 844), "dark")]
)
def test_a_picture_stands_where_the_figure_will_stand(cold, size, theme):
    page, let_go = cold("measures", size, theme)
    heading = page.get_by_role("heading", level=2, name="Terms of")
    expect(heading).to_have_count(1)
    figure = page.locator(".rs-live-figure").first
    expect(figure).to_have_attribute("data-frames", "0")
    expect(page.locator(".rs-still")).to_have_attribute("aria-hidden", "true")
    assert page.locator(".rs-still rect").count() >= 5
    before = page.evaluate(PLACE, PICTURE)
    let_go()
    expect(figure).to_have_attribute("data-frames", "1")
    expect(page.locator(".rs-still")).to_be_hidden()
    after = page.evaluate(PLACE, PLOT)
    assert before == pytest.approx(after, abs=NEAR)
    expect(heading).to_have_count(1)


def test_a_picture_does_not_come_back(cold):
    page, let_go = cold("measures")
    let_go()
    expect(page.locator(".rs-still")).to_be_hidden()
    settle(page)
    slider = page.get_by_role("slider").first
    slider.press("ArrowRight")
    settle(page)
    expect(page.locator(".rs-still:visible")).to_have_count(0)
    page.get_by_test_id("stSidebarNav").get_by_text("Cones", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Cones")).to_be_visible()
    settle(page)
    expect(page.locator(".rs-still:visible")).to_have_count(0)


def test_a_picture_changes_with_what_the_page_sends(cold):
    page, _ = cold("measures")
    page.evaluate("""() => {
      const place = document.querySelector(".st-key-still_picture");
      const sent = document.createTreeWalker(place, NodeFilter.SHOW_TEXT).nextNode();
      sent.data = sent.data.replace("Terms of", "Changed terms of");
    }""")
    expect(page.locator(".rs-still")).to_contain_text("Changed terms of")
    expect(page.locator(".rs-still")).to_have_count(1)


def test_a_picture_waits_for_the_script_that_shows_it(browser, app):
    page, held = browser.new_context().new_page(), []
    page.route(PLOTLY, lambda _: None)
    page.route("**/early.js", lambda route: held.extend([route]))
    page.goto(f"{app.url}/measures", wait_until="commit")
    expect(page.locator(".rs-live-figure").first).to_be_attached()
    settle(page)
    expect(page.locator(PICTURE)).to_have_count(0)
    held[0].continue_()
    expect(page.locator(PICTURE).first).to_be_visible()
    page.context.close()


def test_the_library_of_figures_comes_before_the_first_figure(browser, app):
    page, held = without_components(browser)
    page.goto(app.url + "/train")
    page.wait_for_function("window.Plotly")
    assert held
    assert page.locator(".rs-live").count() == 0
    page.context.close()
