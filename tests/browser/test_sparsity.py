"""Sparsity in a browser: a path grows in the background, its points can be chosen."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import strip_of

LINK = "/sparsity?data=planted&values=4&RSRank.max_iter=20"


@pytest.fixture
def train(settle):
    """Train the path of a page; when nothing moves any more, keys are heard."""

    def trained(page):
        page.get_by_role("button", name="Train 4 models").click()
        expect(page.get_by_text("All 4 values are trained.")).to_be_visible()
        expect(page.locator(".js-plotly-plot")).to_have_count(3)
        settle(page)

    return trained


@pytest.mark.soak
def test_another_point_and_a_refresh(open_page, train, settle):
    page = open_page(LINK)
    train(page)
    expect(page).to_have_url(re.compile("job="))
    slider = page.get_by_role("slider", name=re.compile("Selected"))
    slider.press("Home")
    slider.press("ArrowRight")
    expect(page.locator(".rs-facts").last).to_contain_text(
        re.compile(r"Selected g\s*0.25")
    )
    expect(page).to_have_url(re.compile("path_at=0.25"))

    page.reload()
    settle(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(3)


@pytest.mark.soak
def test_a_click_on_a_point_looks_at_it(open_page, train):
    page = open_page(LINK)
    train(page)
    facts = page.locator(".rs-facts").last
    before = facts.inner_text()
    dots = page.locator(".st-key-trade_off .trace").first.locator(".points path")
    expect(dots).to_have_count(4)
    dots.nth(0).click(force=True)

    expect(facts).not_to_have_text(before, use_inner_text=True)
    expect(page).to_have_url(re.compile("path_at=0"))


@pytest.mark.soak
def test_a_model_goes_to_train_and_to_a_file(open_page, train, settle):
    page = open_page(LINK)
    train(page)
    page.get_by_role("slider", name=re.compile("Selected")).press("End")
    expect(page.locator(".rs-facts").last).to_contain_text("250")
    page.get_by_role("button", name="Export model").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("model at g = 250")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download model").click()
    assert download.value.suggested_filename == "RSRank-g-250.json"
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Train this model").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Train")
    settle(page)
    sparsity = page.get_by_role("slider", name=re.compile("Sparsity"))
    expect(sparsity).to_have_attribute("aria-valuetext", "250")
    passes = page.get_by_role("slider", name=re.compile("Maximum iterations"))
    expect(passes).to_have_attribute("aria-valuetext", "20")


@pytest.mark.soak
def test_rules_are_compared(open_page, assert_sound):
    page = open_page(f"{LINK}&sparse_view=Compare+rules")
    page.get_by_role("button", name="Train 12 models").click()
    expect(page.get_by_text("All 3 paths are trained.")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(strip_of(page)).to_contain_text("K = 10, as in the paper")
    assert_sound(page)
