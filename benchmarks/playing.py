"""Frames per second during animations, and while the forces of a run move.

A frame counts if it redraws some part of the figure: the server sends states, and the
browser interpolates between them. The time per frame at 24 frames per second replaces a
peer. It needs an idle machine: browser and server share its cores.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from _browser import COUNTING, ROOT, browser_page, served
from _rows import Row, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

ALLOWED_SECONDS = 1 / 24
SECONDS = 4


class Film(NamedTuple):
    """An animated figure.

    Attributes
    ----------
    name, link : str
    figure : str
        Selector of the observed element.
    """

    name: str
    link: str
    figure: str = ".rs-live-figure"


FILMS = [
    Film("a list sorted by swaps", "/reduction?red_view=Swaps&ranking="
         "A0-B0-C1-D0-E2-F1-G0-H2&red_swap=0"),
    Film("one coefficient", "/sparsity?sparse_view=One+coefficient&coef_step=0"),
    Film("steps to corners", "/sparsity?sparse_view=Steps+to+corners&ball_step=0"),
    Film("forces on a list that trains", "/train?data=planted&algorithm=RSRank"
         "&speed=10+steps+a+second", ".rs-live-ranking"),
]  # fmt: skip
# From now on, frames in which the figure is drawn or moves are counted.
WATCH = f"(selector) => ({COUNTING})(document.querySelector(selector), true)"
COUNT = """async (seconds) => {
  const before = frames;
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  return frames - before;
}"""


def rows() -> Iterator[Row]:
    """Yield one row per figure: seconds per frame, and the limit."""
    with served(ROOT / "server.py") as address, browser_page() as page:
        for film in FILMS:
            rate = _frames(page, address, film) / SECONDS
            note = f"{rate:.1f} frames/s, load {os.getloadavg()[0]:.1f}"
            name = f"play, {film.name}"
            yield Row(name, "allowed", 1 / rate, ALLOWED_SECONDS, 1.0, note)


def _frames(page: "Page", address: str, film: Film) -> int:
    page.goto(address + film.link)
    page.locator(film.figure).first.wait_for()
    page.get_by_text("Preparing").wait_for(state="detached")
    page.wait_for_timeout(3000)
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.evaluate(WATCH, film.figure)
    page.wait_for_function("frames > 0")
    count: int = page.evaluate(COUNT, SECONDS)
    return count


if __name__ == "__main__":
    show(rows())
