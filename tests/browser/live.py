"""The live figures of a page, as a browser shows them."""

import re

from playwright.sync_api import Locator, Page, expect


def figure(page: Page, key: str) -> Locator:
    """A figure that has been drawn."""
    return page.locator(_drawn(key))


def frames(page: Page, key: str) -> int:
    """How often a figure has been drawn, once it is."""
    expect(figure(page, key)).to_have_attribute("data-frames", re.compile("[1-9]"))
    return int(figure(page, key).get_attribute("data-frames"))


def expect_redrawn(page: Page, key: str, before: int) -> None:
    """Wait until a figure has been drawn more than ``before`` times."""
    page.wait_for_function(
        "([figure, before]) =>"
        " Number(document.querySelector(figure)?.dataset.frames) > before",
        arg=[_drawn(key), before],
    )


def _drawn(key: str) -> str:
    # Not by its container: one that takes its place stands there, too, for a moment.
    return f".st-key-{key}_figure .js-plotly-plot"
