"""Compare in the browser: started, compared and exported in at most eight clicks."""

import re
import zipfile
from pathlib import Path

from playwright.sync_api import expect

LINK = "/compare?data=toy-2d&compared_limit=3"
MOST_CLICKS = 8


def test_a_table_with_significance_takes_at_most_eight_clicks(open_page, settle):
    page = open_page(LINK, width=1440, height=1400)
    settle(page)
    clicks = 0

    def click(locator):
        nonlocal clicks
        clicks += 1
        locator.click()

    # Four algorithms and three seeds are there already; five values of each.
    more = page.get_by_role("button", name="Step up").or_(
        page.get_by_test_id("stNumberInputStepUp")
    )
    click(more.first)
    click(more.first)
    train = page.get_by_role("button", name=re.compile("^Train 60 models"))
    expect(train).to_be_visible()
    click(train)
    expect(page.get_by_text("All 60 runs have ended.")).to_be_visible()
    pairs = page.locator(".st-key-compared_pairs")
    expect(pairs).to_have_count(1)
    expect(pairs).to_contain_text("RankSVM")

    click(page.get_by_role("button", name="Export"))
    with page.expect_download() as taken:
        click(page.get_by_role("button", name="comparison.tex"))
    table = Path(taken.value.path()).read_text("utf-8")
    assert clicks <= MOST_CLICKS
    assert r"\toprule" in table
    assert r"Holm" in table
    assert len(re.findall(r"^ +[a-d] & ", table, re.M)) == 4
    with page.expect_download() as taken:
        page.get_by_role("button", name="rankings-trec.zip").click()
    with zipfile.ZipFile(taken.value.path()) as files:
        assert len(files.namelist()) == 4 + 1
    page.keyboard.press("Escape")

    # A click on a query leads to both rankings; the runs are the same in every view.
    page.get_by_role("radio", name="Each query").or_(
        page.get_by_role("button", name="Each query")
    ).first.click()
    expect(page.get_by_text("All 60 runs have ended.")).to_be_visible()
    bars = page.locator(".st-key-compared_queries .bars .point")
    expect(bars).to_have_count(2)
    bars.nth(0).click(force=True)
    expect(page).to_have_url(re.compile("compared_query="))
    chips = page.locator(".st-key-compared_rankings [role=button]")
    expect(chips.first).to_be_visible()
    assert chips.count() % 3 == 0
    expect(page.locator(".st-key-compared_why")).to_contain_text("Why is")
    expect(page.locator(".stException")).to_have_count(0)


def test_enter_takes_one_algorithm(open_page):
    page = open_page(LINK)
    algorithms = page.get_by_role("combobox", name=re.compile("Algorithms"))
    algorithms.fill("SVMN")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("compared=RSRank[^&]*RankSVM[^&]*SVMNDCG(&|$)"))
