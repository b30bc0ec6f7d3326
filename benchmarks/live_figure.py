"""The live figure in a browser: frames a second and the age of what is drawn.

A fragment pushes a figure with four curves of 1,000 points every 0.09 s, each push
thinned to 500 points a curve, as the Train live page does. Chromium draws it without a
graphics card. Run it from the project's folder::

    python benchmarks/live_figure.py

The target is ten frames a second. It needs an idle machine: browser and server share
its cores.
"""

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from _browser import browser_page, served
from _rows import Row, show

SECONDS = 10
FRAME_SECONDS = 0.1
PAGE = """
import gc
import time

import numpy as np
import streamlit as st

from pages.ui import live
from rankcore.charts.training import Drawn, run_figure
from rankcore.insight.curves import run_curves
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
    live.figure(picture, key="curves", view="one", alt="Four curves.")


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


def rows() -> Iterator[Row]:
    """One row: seconds between frames, beside those of ten frames a second."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "page.py")
        script.write_text(PAGE, "utf-8")
        with served(script) as address, browser_page() as page:
            page.goto(address)
            page.wait_for_selector(".rs-live .main-svg")
            ages = sorted(page.evaluate(WATCH, SECONDS))
    note = (
        f"{len(ages) / SECONDS:.1f} frames/s, drawn {statistics.median(ages):.0f} ms "
        f"after being sent (95 %: {ages[int(0.95 * len(ages))]:.0f} ms), "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    yield Row(
        "live figure, 4 curves of 1,000 points, a frame",
        "allowed",
        SECONDS / len(ages),
        FRAME_SECONDS,
        1.0,
        note,
    )


if __name__ == "__main__":
    show(rows())
