"""The page Clicks in a browser: its figures move in their places while it learns."""

import re

from playwright.sync_api import expect

LINK = "/clicks?data=toy-2d&click_sessions=2500&click_shown=5"
# The headings of the curves until the learning has ended, and their elements.
WATCH = """() => new Promise((done) => {
  const place = () => document.querySelector(".st-key-click_curves");
  const seen = new Set(), nodes = new Set();
  const timer = setInterval(() => {
    const node = place()?.querySelector(".rs-live");
    if (!node) return;
    nodes.add(node);
    seen.add(place().querySelector("h2").innerText);
    if (!document.body.innerText.includes("Complete:")) return;
    clearInterval(timer);
    done([[...seen], nodes.size]);
  }, 5);
})"""


def test_figures_move_in_their_places_until_the_learning_has_ended(open_page):
    page = open_page(LINK)
    page.get_by_role("button", name="Let users click").click()
    headings, nodes = page.evaluate(WATCH)
    moving = [one for one in headings if re.search(r"\d+ of \d+ models", one)]
    assert len(moving) >= 2
    assert nodes == 1
    # What the page has drawn meanwhile is in sight at the end.
    expect(page.locator(".st-key-click_curves h2")).to_contain_text("bands: seeds")


def test_without_frames_the_page_draws_its_figures(open_page):
    page = open_page(LINK)
    page.route("**/frames*", lambda route: route.abort())
    page.get_by_role("button", name="Let users click").click()
    expect(page.get_by_text("Complete:")).to_be_visible()
    expect(page.locator(".st-key-click_curves h2")).to_contain_text("bands: seeds")
    expect(page.locator(".st-key-click_curves .main-svg").first).to_be_visible()
