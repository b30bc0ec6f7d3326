"""The live figure in a browser: frames a second and the age of what is drawn.

A fragment pushes a figure with four curves of 1,000 points every 0.1 s, each push
thinned to 500 points a curve, as the Train live page does. Chromium draws it without a
graphics card. Run it from the project's folder::

    python benchmarks/live_figure.py

The target is that every push is drawn. It needs an idle machine: browser and server
share its cores.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from _rows import Row, show

SECONDS = 10
PUSH_SECONDS = 0.1
PORT = 8619
ROOT = Path(__file__).resolve().parents[1]
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


@st.fragment(run_every=0.1)
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
    """One row: seconds between frames, beside the interval of the pushes."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("Chromium is not installed, so nothing was measured.")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.py")
        page.write_text(PAGE, "utf-8")
        server = subprocess.Popen(_command(page), env=_environment(), cwd=ROOT)
        try:
            ages = sorted(_watch(browser))
        finally:
            server.terminate()
            server.wait()
    note = (
        f"{len(ages) / SECONDS:.1f} frames/s, drawn {statistics.median(ages):.0f} ms "
        f"after being sent (95 %: {ages[int(0.95 * len(ages))]:.0f} ms), "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    yield Row(
        "live figure, 4 curves of 1,000 points, a frame",
        "a push",
        SECONDS / len(ages),
        PUSH_SECONDS,
        0.95,
        note,
    )


def _command(page: Path) -> list[str]:
    options = {"port": PORT, "headless": "true", "fileWatcherType": "none"}
    flags = [f"--server.{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "streamlit", "run", str(page), *flags]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def _watch(browser: str) -> list[float]:
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        for _ in range(60):
            try:
                page.goto(f"http://127.0.0.1:{PORT}")
                break
            except Error:
                time.sleep(0.5)
        page.wait_for_selector(".rs-live .main-svg", timeout=60_000)
        ages = page.evaluate(WATCH, SECONDS)
        chromium.close()
    return ages


if __name__ == "__main__":
    show(rows())
