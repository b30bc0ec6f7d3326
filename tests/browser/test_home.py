import re

from playwright.sync_api import expect


def test_moving_the_weight_by_key_makes_ndcg_jump(page):
    slider = page.get_by_role("slider", name=re.compile("Weight of clicks"))
    value = page.locator(".st-key-toy strong")
    expect(value).to_have_text("0.615")

    slider.press("End")
    expect(value).to_have_text("0.803")
    slider.press("ArrowLeft")
    expect(value).to_have_text("0.803")


def test_home_leads_to_the_other_pages(page, settle):
    page.get_by_test_id("stMain").get_by_role("link", name="Data").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Data")
    settle(page)
    assert "/data" in page.url


def test_copy_link_copies_the_address(open_page):
    page = open_page("/data?data=planted")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert "data=planted" in page.url
