"""The first figure of every view is large, and above the fold of a small laptop.

The quick tests look at the view that each page opens with.
"""

import re

import pytest
from playwright.sync_api import expect

from pages.ui import examples
from pages.ui.catalogue import pages
from rankcore import past
from rankcore.views import read
from tests.soaking import soak
from tests.viewing import at_first

SCREEN = {"width": 1440, "height": 900}
LEAST_SHARE, LEAST_HEIGHT = 0.6, 380
# The first figure and the area that it stands in, right of the controls if there are
# any.
FIRST = """() => {
  const figure = document.querySelector(".rs-live-figure");
  const beside = document.querySelector(".st-key-controls")
    ?.closest("[data-testid=stColumn]").nextElementSibling;
  const stage = beside ?? document.querySelector("[data-testid=stMainBlockContainer]");
  const { width, height, bottom } = figure.getBoundingClientRect();
  const style = getComputedStyle(stage);
  const room = stage.clientWidth
    - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return { share: width / room, height, bottom: bottom + scrollY };
}"""


@pytest.fixture
def no_runs(monkeypatch, tmp_path):
    """A run store without runs, as the server has."""
    monkeypatch.setenv(
        "RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'none.sqlite'}"
    )
    monkeypatch.setattr(past, "_OPENED", past._Opened())


@pytest.mark.usefixtures("no_runs")
@pytest.mark.parametrize("most", [1, soak(None, id="all")])
@pytest.mark.parametrize("name", pages())
def test_the_first_figure_of_every_view_can_be_seen(open_page, settle, name, most):
    page = pages()[name]
    shown = open_page(f"/{'' if name == 'home' else name}", **SCREEN)
    small = {}
    for view in list(page.views.values())[:most]:
        if not drawn_at_first(page, view):
            continue
        if page.choice is not None:
            choose(shown, view)
            settle(shown)
        expect(shown.locator(".rs-live-figure").first).to_have_attribute(
            "data-frames", re.compile("[1-9]")
        )
        first = shown.evaluate(FIRST)
        if not (
            first["share"] >= LEAST_SHARE
            and first["height"] >= LEAST_HEIGHT
            and first["bottom"] <= SCREEN["height"]
        ):
            small[view.name] = first

    assert small == {}


def choose(shown, view):
    """Open another view of the page."""
    top = shown.locator(".st-key-top")
    top.get_by_role("radio", name=view.name, exact=True).click()
    expect(top.get_by_text(view.question, exact=True)).to_be_visible()


def drawn_at_first(page, view):
    """The figures that a view has without a study, those of its example included."""
    values = read(view.rows({}), {})
    if view.refusal(values) is not None:
        return []
    example = examples.example(page, view, values)
    shown = at_first(view, values) if example is None else example.show(values)
    return shown.panels()
