"""What calls the server from time to time is still once a page is left.

A request that still names the page before would take the place of the one opened.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched, serving
from tests.browser.live import Answers

# Longer than anything waits that calls the server.
LONG = 2000


def opens_the_third_step(message):
    return "step=3" in message.page_info_changed.query_string


@pytest.mark.soak
def test_a_step_on_another_page_ends_the_calls_of_a_run(open_page):
    answers = Answers(open_page.tab)
    slow = "data=planted&RSRank.max_iter=30000&speed=10+iterations/s"
    page = open_page(f"/train?lesson=3-zeros&step=2&{slow}")
    page.get_by_role("button", name="Play").click()
    iteration = page.locator(".rs-facts .rs-number").first
    expect(iteration).to_have_text(re.compile("[1-9]"))
    answers.hold_after(opens_the_third_step)
    page.get_by_role("button", name="Next").click()
    while not answers.holds:
        page.wait_for_timeout(20)
    before = answers.asked
    page.wait_for_timeout(LONG)
    assert answers.asked == before
    answers.let_go()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sparsity")


@pytest.mark.soak
def test_a_page_opened_while_kernels_are_compiled_is_shown(browser, tmp_path):
    with serving(NUMBA_CACHE_DIR=str(tmp_path)) as url:
        watched = Watched(browser, url)
        answers = Answers(watched.tab)
        page = watched("/")
        note = page.get_by_test_id("stSidebar").get_by_text("Compiling")
        expect(note).to_be_visible()
        answers.hold()
        page.get_by_role("button", name="Use my own data").click()
        page.wait_for_timeout(LONG)
        answers.let_go()
        expect(page.get_by_role("heading", level=1)).to_have_text("Data")
        expect(page.get_by_text("Upload").first).to_be_visible()
        expect(note).to_be_visible()
        assert watched.leave() == []
