"""A race in the browser: it runs to its end, and a click on a document explains it."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.live import ALL_COLUMNS

RACE = "/train?train_view=Race&data=planted&race_limit=5&racers=RSRank,ListNet"


def test_a_race_ends_with_a_verdict_and_explains_a_document(open_page, settle):
    page = open_page(RACE, width=1440, height=1800)
    settle(page)
    page.locator(".st-key-study_start button").click()
    # The computed example has a verdict, too, and documents that cannot be clicked.
    expect(page.get_by_text("All runs have ended.").first).to_be_visible()
    verdict = page.get_by_text(re.compile(r"leads|share the lead|none leads"))
    expect(verdict.first).to_be_visible()

    chips = page.locator(".st-key-race_lists [role=button]")
    expect(chips).to_have_count(30)
    chips.nth(4).click()
    page.wait_for_url(re.compile("why_document="))
    name = parse_qs(urlsplit(page.url).query)["why_document"][0]
    expect(chips.and_(page.locator(":focus"))).to_contain_text(name)
    result = re.compile(rf"Why is {name} below|Why is .+ below {name}")
    expect(page.locator(".st-key-why")).to_contain_text(result)
    expect(page.locator(".stException")).to_have_count(0)


@pytest.mark.soak
def test_a_chosen_row_shows_the_query(open_page, settle):
    page = open_page("/train?data=planted&part=valid", width=1440, height=1400)
    settle(page)
    page.get_by_role("button", name="All queries").click()
    table = page.locator("[data-testid=stDataFrame] .dvn-scroller").first
    expect(table).to_be_visible()
    page.wait_for_function(ALL_COLUMNS, arg=table.element_handle())
    table.click(position={"x": 12, "y": 35 * 3 + 17})
    expect(page).to_have_url(re.compile(r"query=\d+"))
