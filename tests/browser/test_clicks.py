"""The page Clicks in a browser: its figures move in their places while it learns."""

from playwright.sync_api import expect

LINK = "/clicks?data=planted&click_sessions=25000"
# Counts the frames that come between two draws of the page.
WATCH = """() => {
  window.place = document.querySelector(".st-key-click_curves .rs-live");
  window.frames_seen = 0;
  window.place.addEventListener("frame", ({ detail }) => {
    if (detail) window.frames_seen += 1;
  });
}"""
SAME = "() => place === document.querySelector('.st-key-click_curves .rs-live')"


def begun(open_page):
    page = open_page(LINK)
    page.get_by_role("button", name="Let users click").click()
    return page, page.locator(".st-key-click_curves h2")


def test_figures_move_in_their_places_until_the_learning_is_stopped(open_page):
    page, heading = begun(open_page)
    expect(heading).to_contain_text(" of 91 models")
    page.evaluate(WATCH)
    page.wait_for_function("() => frames_seen >= 3")
    page.get_by_role("button", name="Stop").click()
    # What the page has drawn meanwhile is in sight.
    expect(heading).to_contain_text("bands: seeds")
    assert page.evaluate(SAME)
