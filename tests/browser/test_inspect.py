"""The Inspector in a browser: click a document, change it, come from another page."""

import re

from playwright.sync_api import expect

from tests.browser.live import expect_redrawn, figure, frames, point_at, rest

ORDERS = "inspect_orders"


def test_a_document_is_clicked_changed_put_back_and_queries_are_searched(
    open_page, assert_sound, settle
):
    page = open_page("/data?data=planted&query=5")
    page.get_by_role("link", name="Inspect", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Inspector")
    expect(page).to_have_url(re.compile("/inspect\\?.*query=5"))
    settle(page)
    before = frames(page, ORDERS)
    rest(page.get_by_test_id("stMain"))
    bars = figure(page, ORDERS).locator(".barlayer .trace").first.locator(".point")
    # Plotly takes a click for that of what it has found below the pointer.
    place = point_at(page, ORDERS, bars.nth(4))
    page.mouse.click(*place)
    expect(page).to_have_url(re.compile("inspect_document="))
    expect_redrawn(page, ORDERS, before)
    expect(page.get_by_role("paragraph").filter(has_text=", rank 5")).to_be_visible()

    label = page.get_by_role("slider", name="Label")
    now = frames(page, ORDERS)
    label.press("ArrowLeft" if label.get_attribute("value") == "2" else "ArrowRight")
    expect(page).to_have_url(re.compile("edits="))
    expect_redrawn(page, ORDERS, now)
    value = page.get_by_role("slider", name="Value")
    value.press("End" if value.get_attribute("value") != "1" else "Home")
    undo = page.get_by_role("button", name="Undo 2 changes")
    undo.click()
    expect(undo).to_have_count(0)
    expect(page).not_to_have_url(re.compile("edits="))
    settle(page)
    assert_sound(page)

    search = page.get_by_role("textbox", name="Search queries")
    search.fill("no such query")
    search.press("Enter")
    expect(page.get_by_text("No query has these words")).to_be_visible()
    settle(page)
    # The server drops the pictures of a page that is left.
    page.wait_for_load_state("networkidle")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Data").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Data")
    expect(page.get_by_text("64 training queries")).to_be_visible()
