"""The first figure of every view is large, and above the fold of a small laptop."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.ui import examples
from pages.ui.catalogue import pages
from rankcore.views import read
from tests.viewing import at_first

SCREEN = {"width": 1440, "height": 900}
LEAST_SHARE, LEAST_HEIGHT = 0.6, 380
# Views that do not meet this as yet.
NOT_YET: set[tuple[str, str]] = set()
VIEWS = [
    pytest.param(page, view, id=f"{page.name}-{name}")
    for page in pages().values()
    for name, view in page.views.items()
    if (page.name, name) not in NOT_YET
]
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


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_the_first_figure_can_be_seen(open_page, page, view):
    values = read(view.rows({}), {})
    if view.refusal(values) is not None or not drawn_at_first(page, view, values):
        pytest.skip("The view shows no figure before a study")
    name = "" if page.name == "home" else page.name
    shown = open_page(f"/{name}?{urlencode({page.key: view.name})}", **SCREEN)
    expect(shown.locator(".rs-live-figure").first).to_have_attribute(
        "data-frames", re.compile("[1-9]")
    )

    first = shown.evaluate(FIRST)
    assert first["share"] >= LEAST_SHARE, first
    assert first["height"] >= LEAST_HEIGHT, first
    assert first["bottom"] <= SCREEN["height"], first


def drawn_at_first(page, view, values):
    """The figures that a view has without a study, those of its example included."""
    example = examples.example(page, view, "light")
    return (example or at_first(view, values)).panels()
