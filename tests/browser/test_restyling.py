"""A change of a figure has the browser look for the style of little but that figure.

A rule of CSS with ``:has()`` for all elements within something would have it look for
that of the whole page again after every frame.
"""

import json

import pytest

from tests.browser.live import expect_drawn, expect_redrawn, frames
from tests.soaking import soak

MOST = 150
# What a hidden page still shows.
SHOWN = """() => {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  main.style.visibility = "hidden";
  return [...main.querySelectorAll("*")]
    .filter((node) => node.checkVisibility())
    .filter((node) => getComputedStyle(node).visibility !== "hidden")
    .map((node) => node.outerHTML.slice(0, 120));
}"""
LINKS = ["/train?data=planted&algorithm=RSRank"]
MORE = ["/sparsity", "/explore", "/measures?lesson=1-no-slope&step=5&present=1"]
CHANGE = """() => {
  const plot = document.querySelector(".js-plotly-plot .main-svg g");
  for (const name of ["g", "text", "path"]) {
    const mark = document.createElementNS("http://www.w3.org/2000/svg", name);
    mark.setAttribute("class", "mark");
    plot.append(mark);
  }
  plot.closest(".rs-live").dataset.frames += "1";
  return document.body.offsetHeight;
}"""


def restyled(browser, page, change):
    """Of how many elements the style was looked for, each time, during a change."""
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    change()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return [
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and "elementCount" in event["args"]
    ]


@pytest.mark.parametrize("link", [*LINKS, *(soak(link) for link in MORE)])
def test_a_change_of_a_figure_restyles_little(browser, open_page, link):
    page = open_page(link)
    expect_drawn(page)
    assert max(restyled(browser, page, lambda: page.evaluate(CHANGE))) < MOST


def test_a_run_of_the_page_restyles_a_part_of_it(browser, open_page, settle):
    page = open_page("/approximation")
    expect_drawn(page)
    settle(page)
    every = page.evaluate("document.querySelectorAll('body *').length")

    def move():
        before = frames(page, "approx_positions")
        page.get_by_role("slider", name="Sharpness of positions").press("ArrowRight")
        expect_redrawn(page, "approx_positions", before)
        settle(page)

    assert max(restyled(browser, page, move)) < every / 4


def test_what_is_hidden_hides_what_is_in_it(open_page):
    page = open_page(LINKS[0])
    expect_drawn(page)
    assert page.evaluate(SHOWN) == []
