"""Live figures in a browser: frames per second, and the age of the drawn data.

A fragment pushes a figure with four curves of 1,000 points every 0.09 s, each
downsampled to 500 points per curve, as on the Train page; then that page trains 100
iterations per second. Chromium draws without a graphics card. Run it from the project's
folder::

    python benchmarks/live_figure.py

The target is ten frames per second. It needs an idle machine: browser and server share
its cores.
"""

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from _browser import ROOT, browser_page, served
from _rows import Row, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECONDS = 10
FRAME_SECONDS = 0.1
PAGE = """
import gc
import time

import numpy as np
import streamlit as st

from pages.ui.components import live
from rankcore.topics.train.training_figure import Drawn, run_figure
from rankcore.topics.train.curves import run_curves
from rankcore.training import History, Record

# As the app does after its warm-up: no collection of all that is loaded at each push.
gc.collect()
gc.freeze()
history = History()
noise = np.random.default_rng(0).normal(size=(1000, 4)) / 100
for i, (a, b, c, d) in enumerate(noise):
    rise = 0.5 - 0.2 * np.exp(-i / 100)
    measured = {"nDCG@10": rise + a}, {"nDCG@10": rise + b - 0.02}
    record = Record(i, i / 100, 1 - rise + c, np.zeros(1), 0, *measured, {"d": d})
    history.records.append(record)


@st.fragment(run_every=0.09)
def push():
    history.records.append(history[len(history) - 1000])
    curves = run_curves(history, "nDCG@10")
    pinned = [Drawn(curves._replace(measured=curves.measured[1:]), "#D55E00", "pinned")]
    picture = run_figure(Drawn(curves, "#0072B2"), pinned)
    picture.layout["meta"] = {"sent": 1000 * time.time()}
    live.figure(picture, key="curves", view="one")


push()
"""
WATCH = """
async (seconds) => {
  const chart = document.querySelector(".rs-live");
  const ages = [];
  let last = 0;
  chart.on("plotly_afterplot", () => {
    const sent = chart.layout.meta.sent;
    if (sent !== last) ages.push(Date.now() - sent);
    last = sent;
  });
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  return ages;
}
"""


TRAIN = "/train?data=planted&RSRank.max_iter=5000&speed=100+steps+a+second"
FRAMES = """
async (seconds) => {
  const drawn = () => document.querySelector(".st-key-curves .rs-live").dataset.frames;
  const before = drawn();
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  return drawn() - before;
}
"""


def rows() -> Iterator[Row]:
    """Yield two rows: seconds per frame, with the limit at ten frames per second."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "page.py")
        script.write_text(PAGE, "utf-8")
        with served(script) as address, browser_page() as page:
            page.goto(address)
            page.wait_for_selector(".rs-live .main-svg")
            ages = sorted(page.evaluate(WATCH, SECONDS))
    age = (
        f", drawn {statistics.median(ages):.0f} ms after being sent "
        f"(95%: {ages[int(0.95 * len(ages))]:.0f} ms)"
    )
    yield _row("live figure, 4 curves of 1,000 points, a frame", len(ages), age)
    with served(ROOT / "server.py") as address, browser_page() as page:
        page.goto(address + TRAIN)
        yield _row("Train while a model learns, a frame", _frames(page))


def _frames(page: "Page") -> int:
    """Play, and count the frames of the curves."""
    page.wait_for_selector(".st-key-curves .rs-live .main-svg")
    page.get_by_text("Preparing").wait_for(state="detached")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "Number(document.querySelector('.rs-facts .rs-number').innerText) > 20"
    )
    count: int = page.evaluate(FRAMES, SECONDS)
    return count


def _row(name: str, frames: int, note: str = "") -> Row:
    rate = f"{frames / SECONDS:.1f} frames/s{note}, "
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return Row(name, "allowed", SECONDS / frames, FRAME_SECONDS, 1.0, rate + load)


if __name__ == "__main__":
    show(rows())
