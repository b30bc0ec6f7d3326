"""The first figure of every view is large, and in the first screen: whole on a small
laptop, at least a good part of it on a telephone. No word of a figure is cut, or
overlaps another one."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.ui import examples
from pages.ui.catalogue import pages
from rankcore.views import past, read
from tests.browser.live import choose_example, expect_folded
from tests.soaking import soak
from tests.viewing import at_first

WRONG = Path(__file__).with_name("words.js").read_text("utf-8")
LAPTOP, TELEPHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LEAST_SHARE, LEAST_HEIGHT, LEAST_SEEN = 0.6, 380, 200
# Where a figure, and on Train its plot, begins on a laptop at the latest.
LATEST, LATEST_ON_TRAIN = 300, 260
# The first figure and the area that it stands in, right of the controls if there are
# any.
FIRST = """() => {
  const figure = document.querySelector(".rs-live-figure");
  const beside = document.querySelector(".st-key-controls")
    ?.closest("[data-testid=stColumn]").nextElementSibling;
  const main = document.querySelector("[data-testid=stMain]");
  const stage = beside ?? main.querySelector("[data-testid=stMainBlockContainer]");
  const { width, height, top } = figure.getBoundingClientRect();
  const style = getComputedStyle(stage);
  const room = stage.clientWidth
    - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const begins = figure.parentElement.getBoundingClientRect().top + main.scrollTop;
  return { share: width / room, height, top: top + main.scrollTop, begins };
}"""


def sampled(sample: str) -> list:
    """All pages; the one named is the sample that the quick tests look at."""
    return [name if name == sample else soak(name) for name in pages()]


@pytest.fixture
def no_runs(monkeypatch, tmp_path):
    """A run store without runs, as the server has."""
    monkeypatch.setenv(
        "RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'none.sqlite'}"
    )
    monkeypatch.setattr(past, "_OPENED", past._Opened())


# A finger needs so many pixels.
LEAST_TARGET = 24
TOO_SMALL = """least => [...document.querySelectorAll(
    "[data-testid=stMain] :is(button, [data-testid=stPageLink-NavLink])")]
    .filter(button => button.checkVisibility())
    .map(button => [button.textContent, button.getBoundingClientRect()])
    .filter(([, box]) => box.width && Math.min(box.width, box.height) < least)
    .map(([text, box]) => `${text} ${box.width} x ${box.height}`)"""


@pytest.mark.usefixtures("no_runs")
@pytest.mark.parametrize("name", sampled("train"))
def test_the_first_figure_of_every_view_can_be_seen(open_page, settle, name):
    shown = open_page(address(name), **LAPTOP)
    small, wrong = {}, {}
    for opened, first in first_figures(shown, settle, pages()[name], presets=True):
        if words := shown.evaluate(WRONG):
            wrong[opened] = words
        if not (
            first["share"] >= LEAST_SHARE
            and first["height"] >= LEAST_HEIGHT
            and first["top"] + first["height"] <= LAPTOP["height"]
            and first["begins"] < LATEST
            and (name != "train" or first["top"] < LATEST_ON_TRAIN)
        ):
            small[opened] = first

    assert small == {}
    assert wrong == {}


@pytest.mark.usefixtures("no_runs")
@pytest.mark.parametrize("name", sampled("inspect"))
def test_the_first_figure_of_every_view_begins_in_the_first_screen_of_a_telephone(
    open_page, settle, name
):
    shown = open_page(address(name), **TELEPHONE)
    if shown.locator(".st-key-controls").count():
        expect_folded(shown)
    low, wrong = {}, {}
    for opened, first in first_figures(shown, settle, pages()[name]):
        if words := shown.evaluate(WRONG):
            wrong[opened] = words
        if first["top"] > TELEPHONE["height"] - LEAST_SEEN:
            low[opened] = first
        if small := shown.evaluate(TOO_SMALL, LEAST_TARGET):
            wrong[opened] = small

    assert low == {}
    assert wrong == {}


def address(name):
    """The path of a page."""
    return f"/{'' if name == 'home' else name}"


def first_figures(shown, settle, page, presets=False):
    """Open every view of a page; its name, and where its first figure is. The same of
    presets that open on an example of their own, if asked."""
    for view in page.views.values():
        if not drawn_at_first(page, view):
            continue
        top = shown.locator(".st-key-top")
        if presets:
            # The settings of the view before are gone.
            shown.goto(shown.url.partition("?")[0])
            settle(shown)
        if page.choice is not None:
            top.get_by_role("radio", name=view.name, exact=True).click()
            expect(top.get_by_text(view.question, exact=True)).to_be_visible()
        for preset in ["", *(view.shipped if presets else ())]:
            if preset:
                choose_example(shown, preset)
            settle(shown)
            expect(shown.locator(".rs-live-figure").first).to_have_attribute(
                "data-frames", re.compile("[1-9]")
            )
            yield f"{view.name} {preset}".strip(), shown.evaluate(FIRST)


def drawn_at_first(page, view):
    """The figures that a view has without a study, those of its example included."""
    values = read(view.rows(page.opening), page.opening)
    if view.refusal(values) is not None:
        return []
    example = examples.example(page, view, values)
    shown = at_first(view, values) if example is None else example.show(values)
    return shown.panels()
