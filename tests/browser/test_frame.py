"""The frame of a page in a browser: on a narrow screen a figure is soon in sight."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched, serving
from tests.browser.live import expect_folded

# The last of many scenarios.
LAST = (
    "/margins?margin_view=What+is+true&margin_claim=SVMcombo+bounds+every+loss"
    "&margin_claim_labels=0,+1,+0,+1&margin_claim_C=0.1"
)


@pytest.fixture
def narrow(open_page):
    """Open a page on a narrow screen."""
    return lambda path: open_page(path, width=390, height=844)


def scenarios(page):
    return page.locator("[class*=st-key-preset]").get_by_role("radio")


def test_scenarios_are_one_line_that_shows_the_one_in_the_link(narrow):
    page = narrow(LAST)
    expect(scenarios(page).last).to_be_checked()
    expect(scenarios(page).last).to_be_in_viewport(ratio=1)
    tops = scenarios(page).evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().top)"
    )
    assert len(tops) > 5
    assert len(set(tops)) == 1
    expect(scenarios(page).first).not_to_be_in_viewport()


def test_what_follows_the_settings_is_as_near_as_all_else(narrow):
    page = narrow("/approximation")
    expect_folded(page)
    page.wait_for_function(
        """() => {
          const box = selector => document.querySelector(selector)
            .getBoundingClientRect();
          const between = (above, below) => box(below).top - box(above).bottom;
          const settings = between(".st-key-controls", ".rs-facts");
          return settings > 0
            && settings === between(".st-key-top", ".st-key-controls");
        }"""
    )


@pytest.mark.soak
def test_a_fresh_server_says_that_it_compiles_and_looks_as_ever(browser, tmp_path):
    with serving(NUMBA_CACHE_DIR=str(tmp_path)) as url:
        watched = Watched(browser, url)
        page = watched("/train")
        sidebar = page.get_by_test_id("stSidebar")
        assert sidebar.bounding_box()["width"] == 220
        expect(sidebar.get_by_text("Compiling")).to_be_visible()
        assert watched.leave() == []
