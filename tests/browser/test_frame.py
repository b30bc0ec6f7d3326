"""The frame of a page in a browser: on a narrow screen a figure is soon in sight."""

import pytest
from playwright.sync_api import expect

from rankcore.plot.palette import palette
from tests.browser.conftest import Watched, serving
from tests.browser.live import expect_drawn, expect_folded

# The colours of the texts of all figures.
INKS = """() => [...new Set([...document.querySelectorAll(".js-plotly-plot")]
    .map(figure => figure._fullLayout.font.color))]"""


@pytest.fixture
def narrow(open_page):
    """Open a page on a narrow screen."""
    return lambda path: open_page(path, width=390, height=844)


def test_an_example_is_chosen_from_a_list_with_what_it_sets(narrow):
    page = narrow("/measures")
    button = page.locator(".st-key-examples button")
    button.click()
    examples = page.get_by_test_id("stPopoverBody")
    expect(examples.get_by_role("radio").first).to_be_checked()
    expect(examples.get_by_text("Tied documents at the top: 4.")).to_be_visible()
    examples.get_by_text("Tied documents at the top", exact=True).click()
    expect(button).to_contain_text("Example: Tied documents at the top")


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


def test_on_a_telephone_the_buttons_of_a_page_are_one_menu(narrow):
    page = narrow("/measures")
    menu = page.get_by_role("button", name="More", exact=True)
    reset = page.get_by_role("button", name="Reset", exact=True)
    copy = page.get_by_role("button", name="Copy link", exact=True)
    for button in (reset, copy):
        expect(button).to_be_hidden()
    menu.click()
    expect(copy).to_be_visible()
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_test_id("stPopoverBody").get_by_text("Copy as")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("h1").click()
    expect(reset).to_be_hidden()
    menu.press("Enter")
    expect(reset).to_be_visible()
    menu.press("Tab")
    expect(page.get_by_role("button", name="Export")).to_be_focused()
    page.keyboard.press("Escape")
    expect(reset).to_be_hidden()
    expect(menu).to_be_focused()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(menu).to_be_hidden()
    expect(reset).to_be_visible()


@pytest.mark.soak
def test_a_fresh_server_says_that_it_compiles_and_looks_as_ever(browser, tmp_path):
    with serving(NUMBA_CACHE_DIR=str(tmp_path)) as url:
        watched = Watched(browser, url)
        page = watched("/train")
        sidebar = page.get_by_test_id("stSidebar")
        assert sidebar.bounding_box()["width"] == 220
        expect(sidebar.get_by_text("Compiling")).to_be_visible()
        assert watched.leave() == []


@pytest.mark.parametrize("link", ["/measures", "/papers"])
def test_figures_follow_the_theme_of_the_operating_system(open_page, settle, link):
    page = open_page(link)
    expect_drawn(page)
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            f"ink => String(({INKS})()) === ink", arg=palette(theme).secondary
        )
        settle(page)
        expect_drawn(page)
