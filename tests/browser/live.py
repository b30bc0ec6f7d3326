"""Figures and settings of a page, as a browser shows them."""

import re
from collections.abc import Callable
from contextlib import suppress

from playwright.sync_api import (
    Browser,
    Error,
    Locator,
    Page,
    Route,
    WebSocketRoute,
    expect,
)
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

# The place of a figure is there before the program that draws it, which waits until the
# figure comes near the screen.
ALL_DRAWN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  window.readFrom ??= main.scrollTop;
  const places = [...document.querySelectorAll(`.rs-live,
    [class*=st-key-][class*=_figure]:not(
      [class*=st-key-save_], [class*=st-key-data_of_], [class*=st-key-draft_]
  )`)];
  const awaited = places.find(place => {
    const figure = place.matches(".rs-live") ? place : place.querySelector(".rs-live");
    return !(figure?.dataset.frames > 0);
  });
  if (awaited) awaited.scrollIntoView({ block: "center", behavior: "instant" });
  else main.scrollTop = window.readFrom;
  return !awaited && delete window.readFrom;
}"""
HOVERED = "figure => document.querySelector(figure)?._hoverdata?.length"
# The scrolling part of a table.
ALL_COLUMNS = "part => part.scrollWidth === part.clientWidth"
# How often a list that a draw closes is opened again, and how long it is waited for.
OPENINGS = 10
PATIENCE = 5000  # ms
# What opens moves all below it, also from under the pointer, which is no click then.
REST = """async part => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  const moving = part.getAnimations({ subtree: true });
  await Promise.allSettled(moving.map(animation => animation.finished));
  await frame();
}"""


def wait_for_iteration(page: Page, least: int) -> None:
    """Wait until Train shows an iteration at least as late."""
    page.wait_for_function(
        "least => Number(document.querySelector('.rs-facts .rs-number')?.innerText)"
        " >= least",
        arg=least,
    )


def choose_example(page: Page, name: str) -> None:
    """Choose one of the examples beside the views of a page."""
    page.locator(".st-key-examples button").click()
    body = page.get_by_test_id("stPopoverBody")
    body.get_by_text(name, exact=True).click()
    page.keyboard.press("Escape")
    expect(body).to_be_hidden()


def without_components(browser: Browser) -> tuple[Page, list[Route]]:
    """Return a new tab, and the requests for the components of its page, which it keeps
    back."""
    page = browser.new_context().new_page()
    page.set_default_timeout(120_000)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/static/js/BidiComponent*", hold)
    return page, held


class Answers:
    """What the server answers, which can be held back; make it before a page is opened.

    Parameters
    ----------
    page : Page

    Attributes
    ----------
    asked : int
        How many requests the page has sent.
    """

    def __init__(self, page: Page) -> None:
        self.held: list[str | bytes] = []
        self.holds = False
        self.asked = 0
        self._sign: Callable[[ForwardMsg], bool] | None = None
        self._seen = False
        page.route_web_socket("**/stream", self._connect)

    def hold(self) -> None:
        """Keep back all that comes from now on."""
        self.holds = True

    def hold_after(self, sign: Callable[[ForwardMsg], bool]) -> None:
        """Keep back all that comes after the run of the script with such a message."""
        self._sign = sign

    def pass_on(self) -> None:
        """Hand over what has come so far."""
        while self.held:
            self.socket.send(self.held.pop(0))

    def let_go(self) -> None:
        """Hand over what has come, and from now on all that comes."""
        self.holds, self._seen, self._sign = False, False, None
        self.pass_on()

    def _connect(self, socket: WebSocketRoute) -> None:
        self.socket, self._server = socket, socket.connect_to_server()
        self._server.on_message(self._answer)
        socket.on_message(self._ask)

    def _ask(self, message: str | bytes) -> None:
        self.asked += BackMsg.FromString(message).HasField("rerun_script")
        self._server.send(message)

    def _answer(self, message: str | bytes) -> None:
        if self.holds:
            self.held.append(message)
            return
        self.socket.send(message)
        if self._sign is None:
            return
        result = ForwardMsg.FromString(message)
        self._seen = self._seen or self._sign(result)
        self.holds = self._seen and result.HasField("session_status_changed")


def strip_of(page: Page) -> Locator:
    """The page's facts. Those that a run under way replaces stay for a moment beside
    the new ones; they are left out."""
    return page.locator(".stElementContainer:not([data-stale=true]) .rs-facts")


def figure(page: Page, key: str) -> Locator:
    """A figure that has been drawn."""
    return page.locator(_drawn(key))


def frames(page: Page, key: str) -> int:
    """How often a figure has been drawn, once it is in sight."""
    page.locator(f".st-key-{key}_figure").first.scroll_into_view_if_needed()
    expect(figure(page, key)).to_have_attribute("data-frames", re.compile("[1-9]"))
    return int(figure(page, key).get_attribute("data-frames"))


def expect_drawn(page: Page) -> None:
    """Wait until every figure has been drawn: those far down, once one goes there."""
    page.wait_for_function(ALL_DRAWN)


def expect_redrawn(page: Page, key: str, before: int) -> None:
    """Wait until a figure has been drawn more than ``before`` times."""
    page.wait_for_function(
        "([figure, before]) =>"
        " Number(document.querySelector(figure)?.dataset.frames) > before",
        arg=[_drawn(key), before],
    )


def point_at(page: Page, key: str, mark: Locator) -> tuple[float, float]:
    """Move the pointer onto a mark of a figure until Plotly has found it there, and
    return the place: a figure that is drawn anew meanwhile waits for another move."""
    for patience in (*[1000] * 20, 10_000):
        box = mark.bounding_box()
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(place[0], place[1] + 1)
        page.mouse.move(*place)
        with suppress(Error):
            page.wait_for_function(HOVERED, arg=_drawn(key), timeout=patience)
            return place
    raise AssertionError(f"{key} finds nothing below the pointer")


def expect_folded(page: Page) -> None:
    """Wait until the settings are folded, as on a narrow screen they are."""
    settings = page.locator(".st-key-controls details").first
    expect(settings).not_to_have_attribute("open", "")


def choose(page: Page, box: Locator, option: str) -> None:
    """Choose from a select box, opened again whenever a draw closes its list."""
    choice = page.get_by_role("option", name=option, exact=True)
    for _ in range(OPENINGS):
        expect(page.locator("[data-test-script-state=notRunning]")).to_have_count(1)
        if not choice.is_visible():
            box.click()
        try:
            choice.click(timeout=PATIENCE)
        except Error:
            continue
        return
    raise AssertionError(f"The list closed {OPENINGS} times before {option!r}.")


def rest(part: Locator) -> None:
    """Wait until nothing moves any more in a part of a page."""
    part.evaluate(REST)


def _drawn(key: str) -> str:
    # Not by its container: one that takes its place stands there, too, for a moment.
    return f".st-key-{key}_figure .js-plotly-plot"
