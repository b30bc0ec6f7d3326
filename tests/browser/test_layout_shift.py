"""Nothing that a page shows jumps while it opens.

Every shift counts, also those that lie far apart. On a slow machine, where parts come
one by one that come at once elsewhere, windows of time would divide their sum.
"""

import pytest
from playwright.sync_api import expect

from benchmarks._shifts import SIZES, observe, shifts
from pages.ui.catalogue import pages
from tests.browser.conftest import serving, settle
from tests.browser.live import expect_drawn, without_components
from tests.soaking import soak

MOST = 0.1
QUICK = ["train"]


def address(server, name):
    """Where a page is."""
    return f"{server}/{'' if name == 'home' else name}"


def opened(browser, address, size):
    """The shifts of a page that a browser with an empty cache opens until nothing is to
    come any more."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(120_000)
    observe(page)
    page.goto(address)
    settle(page)
    expect_drawn(page)
    result = shifts(page)
    context.close()
    return result


def assert_still(found):
    """What moves is named."""
    largest = sorted(found, key=lambda shift: -shift.value)[:3]
    assert sum(shift.value for shift in found) < MOST, largest


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]} wide")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else soak(name) for name in pages()]
)
def test_nothing_jumps_while_a_page_opens(browser, app, name, size):
    assert_still(opened(browser, address(app.url, name), size))


@pytest.fixture(scope="module")
def slow_url():
    """The address of an app that sends only now and then."""
    with serving("tests.browser.slow_server") as url:
        yield url


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]} wide")
@pytest.mark.parametrize("name", ["home", "train", "explore", "papers"])
def test_nothing_jumps_where_a_server_seldom_sends(browser, slow_url, name, size):
    assert_still(opened(browser, address(slow_url, name), size))


def test_the_title_waits_for_nothing_that_shows_nothing(browser, app):
    """Of a page whose components are still on their way."""
    page, held = without_components(browser)
    page.goto(app.url + "/train")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert held
    for key in ("keys", "ahead"):
        skeleton = page.locator(f".st-key-{key}").get_by_test_id("stSkeleton")
        expect(skeleton).to_have_count(1)
        expect(skeleton).to_be_hidden()
    for route in held:
        route.continue_()
    page.context.close()
