"""A page never blocks another visitor: one works while another's job trains."""

import re

import pytest
from playwright.sync_api import expect

from tests.soaking import soak

JOBS = {
    "/train?data=planted&RSRank.max_iter=5000": "Play",
    "/sparsity?data=planted&values=40&RSRank.max_iter=5000": "Train 40 models",
    "/approximation?approx_view=Along+training&data=planted&approx_passes=300": (
        "Train and measure"
    ),
    "/margins?margin_view=C+and+health&margin_learner=DORM&margin_points=16": (
        "Train 16 models"
    ),
}
ENDS = re.compile("^(Stop|Pause)")


@pytest.mark.parametrize("link", [*map(soak, JOBS)])
def test_another_visitor_is_served_while_a_job_trains(open_page, link):
    page = open_page(link)
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name=re.compile(f"^{JOBS[link]}")).first.click()
    end = main.get_by_role("button", name=ENDS).first
    expect(end).to_be_visible()

    other = open_page("/measures", apart=True)
    figure = other.locator(".st-key-moving .rs-live")
    expect(figure).to_have_attribute("data-frames", "1")
    other.get_by_role("slider", name="Sharpness").press("ArrowRight")
    expect(figure).to_have_attribute("data-frames", "2")

    expect(end).to_be_visible()
    end.click()
    expect(end).to_have_count(0)


@pytest.mark.soak
def test_a_job_pauses_when_its_last_page_is_closed_and_goes_on_when_asked(open_page):
    link = "/train?data=planted&RSRank.max_iter=5000&speed=2+steps+a+second"
    page = open_page(link)
    page.locator(".st-key-play button:visible").first.click()
    expect(page.locator(".st-key-pause button:visible").first).to_be_visible()
    page.wait_for_url("**job=**")
    address = page.url.removeprefix(open_page.url)
    other = open_page(address, apart=True)
    open_page("/measures")
    other.wait_for_timeout(35_000)
    expect(other.get_by_text("Running.")).to_be_visible()
    expect(other.get_by_text("Another visitor's run")).to_be_visible()
    expect(other.locator(".st-key-pause, .st-key-step_1")).to_have_count(0)
    other.context.close()
    open_page.tab.wait_for_timeout(35_000)

    later = open_page(address)
    expect(later.get_by_text("was closed")).to_be_visible()
    later.locator(".st-key-play button:visible").first.click()
    expect(later.locator(".st-key-pause button:visible").first).to_be_visible()
    later.locator(".st-key-pause button:visible").first.click()
    expect(later.locator(".st-key-play button:visible").first).to_be_visible()
