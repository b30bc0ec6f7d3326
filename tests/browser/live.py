"""Figures and settings of a page, as a browser shows them."""

import re

from playwright.sync_api import Locator, Page, expect

# What opens moves all below it, also from under the pointer, which is no click then.
REST = """async part => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  const moving = part.getAnimations({ subtree: true });
  await Promise.allSettled(moving.map(animation => animation.finished));
  await frame();
}"""


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


def expect_folded(page: Page) -> None:
    """Wait until the settings are folded, as on a narrow screen they are."""
    settings = page.locator(".st-key-controls details").first
    expect(settings).not_to_have_attribute("open", "")


def rest(part: Locator) -> None:
    """Wait until nothing moves any more in a part of a page."""
    part.evaluate(REST)


def _drawn(key: str) -> str:
    # Not by its container: one that takes its place stands there, too, for a moment.
    return f".st-key-{key}_figure .js-plotly-plot"
