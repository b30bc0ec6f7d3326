"""The page Clicks while it learns: frames per second, and their cost to the learning.

A user starts the study, in Chromium without a graphics card, and frames of the curves
are counted. The floor is Streamlit by itself: the same study, whose two figures a
fragment draws with ``st.plotly_chart`` as often as possible. Then the page learns
alternately with frames and without: a browser whose requests for frames are blocked
draws figures only with the page. Run it from the project's folder::

    python -m benchmarks clicks_live

The targets are ten frames per second, and learning slowed down by at most a tenth. It
needs an idle machine: browser and server share its cores.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from _browser import ROOT, browser_page, served
from _rows import Figure, Row, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

FRAME_SECONDS = 0.1
TURNS = 3
JOB = "Clicks live while models learn, a frame"
LINK = "/clicks?data=planted&click_sessions=25000"
PAGE = """
import streamlit as st

from pages.ui.catalogue import pages
from rankcore.plot.palette import LIGHT
from rankcore.studies.jobs import JobRegistry
from rankcore.views import read

view = pages()["clicks"].views["Learning from clicks"]
values = read(view.rows({}), {"data": "planted", "click_sessions": 25_000})
work = view.work_for(values)


@st.cache_resource
def job():
    return JobRegistry().submit(work.study(values), title="floor", play=True)


@st.fragment(run_every=0.01)
def push():
    begun = job()
    st.text(begun.state)
    if begun.state == "running":
        for panel in work.frames(begun.run, LIGHT):
            st.plotly_chart(panel.picture.figure(), key=panel.key)


push()
"""
# Counts the frames of a figure until learning ends; returns frames and seconds.
COUNT = """
([key, own]) => new Promise((done) => {
  const plots = () => document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const said = own ? "Complete:" : "finished";
  let frames = 0, node = null, began = null, latest = null;
  const timer = setInterval(() => {
    const now = plots();
    if (now && now !== node && now.on) {
      node = now;
      const drawn = () => {
        frames += 1;
        latest = performance.now();
        began ??= latest;
      };
      // What Streamlit draws is a new figure each time.
      if (!own) drawn();
      node.on("plotly_afterplot", drawn);
    }
    if (began !== null && document.body.innerText.includes(said)) {
      clearInterval(timer);
      done([frames - 1, (latest - began) / 1000]);
    }
  }, 5);
})
"""


def rows() -> Iterator[Row | Figure]:
    """Yield frames on the page and of Streamlit by itself, and the time of learning."""
    with served(ROOT / "server.py") as address, browser_page() as page:
        page.goto(address + LINK)
        _begin(page)
        frame, rate = _frame(page, by_click_curves=True)
        yield Row(JOB, "allowed", frame, FRAME_SECONDS, 1.0, rate)
        pairs = [(_seconds(page, True), _seconds(page, False)) for _ in range(TURNS)]
    moving, still = map(statistics.median, zip(*pairs, strict=True))
    note = f"{moving:.1f} s with frames, {still:.1f} s without, {_load()}"
    job = "Learning with frames, compared to without"
    yield Figure(job, moving / still, 1.1, "x", note=note)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "page.py")
        script.write_text(PAGE, "utf-8")
        with served(script) as address, browser_page() as page:
            page.goto(address)
            floor, rate = _frame(page, by_click_curves=False)
    yield Row(JOB, "Streamlit", frame, floor, 1.0, rate)


def _frame(page: "Page", by_click_curves: bool) -> tuple[float, str]:
    """Count the frames of the curves until learning ends; return seconds per frame and
    a note."""
    frames, seconds = page.evaluate(COUNT, ["click_curves", by_click_curves])
    return seconds / frames, f"{frames / seconds:.1f} frames/s, {_load()}"


def _begin(page: "Page") -> None:
    button = page.get_by_role("button", name="Let users click")
    button.wait_for()
    page.get_by_text("Preparing").wait_for(state="detached")
    button.click()
    page.get_by_text("Complete:").wait_for(state="detached")


def _seconds(page: "Page", moves: bool) -> float:
    """Return the time of learning on the page, with or without frames."""
    page.unroute_all()
    if not moves:
        page.route("**/frames*", lambda route: route.abort())
    _begin(page)
    began = time.perf_counter()
    page.get_by_text("Complete:").wait_for()
    return time.perf_counter() - began


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    show(rows())
