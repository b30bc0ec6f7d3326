"""What a server still holds when the next run begins must not be lost."""

import re

import pytest
from playwright.sync_api import expect

from rankcore.data.catalogue import load
from tests.browser.conftest import Watched, serving

LINK = "/train?data=planted&RSRank.max_iter=30000&query=3&speed="
SAME = "element => element.same = true"
IS_SAME = "element => element.same === true"


@pytest.fixture(scope="module")
def slow(browser):
    """Pages of a server that sends only now and then."""
    with serving("tests.browser.slow_server") as url:
        yield Watched(browser, url)


@pytest.fixture
def open_train(slow):
    """Open Train at the third query, with a speed in the link."""
    yield lambda speed: slow(LINK + speed.replace(" ", "+"))
    assert slow.leave() == []


def query(page):
    """The box with the name of the query; one whose place it took may be hidden."""
    return page.locator(".st-key-which_query input:visible")


def named_beside(page) -> str:
    """The query whose ranking is drawn."""
    heading = page.locator(".rs-heading", has_text="model → ideal")
    return f"q{re.match(r'Q(uery [^ ]+)', heading.inner_text())[1]}"


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.soak
def test_the_end_of_a_run_leaves_query_and_figure_in_place(open_train, runs):
    page = open_train("100 iterations/s")
    figure = page.locator(".st-key-curves .rs-live")
    for element in (query(page), figure):
        element.evaluate(SAME)
    iteration = page.locator(".rs-facts .rs-number").first
    for run in range(runs):
        page.get_by_role("button", name="+100").click()
        expect(iteration).to_have_text(f"{100 * (run + 1)}")
        expect(page.get_by_text("Paused.")).to_be_visible()
    expect(query(page)).to_have_value(named_beside(page))
    assert named_beside(page) == load("planted").train.query(2).name
    assert query(page).evaluate(IS_SAME)
    assert figure.evaluate(IS_SAME)


@pytest.mark.soak
def test_a_query_that_is_found_during_a_run_is_the_one_shown(open_train):
    page = open_train("30 iterations/s")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("Running.")).to_be_visible()
    page.get_by_role("button", name="Worst query").click()
    third = load("planted").train.query(2)
    heading = page.locator(".rs-heading", has_text="model → ideal")
    expect(heading).not_to_contain_text(f"{third.title} ")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
    expect(query(page)).to_have_value(named_beside(page))
    assert named_beside(page) != third.name


@pytest.mark.soak
@pytest.mark.parametrize("times", [1, 3])
def test_another_page_that_is_opened_while_a_run_plays_is_shown(open_train, times):
    page = open_train("unlimited")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("Running.")).to_be_visible()
    for name in ("Measures", "Train") * times:
        page.get_by_role("link", name=name, exact=True).first.click()
        heading = page.get_by_role("heading", level=1, name=name)
        expect(heading).to_be_visible()
        # Whatever was on its way to the server has been answered by then.
        page.wait_for_timeout(2000)
        expect(heading).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
