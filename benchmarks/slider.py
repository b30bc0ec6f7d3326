"""From a key pressed on a slider to the figure on the screen, view by view.

The time runs from the press to the first frame shown with a figure drawn anew, and to
the last, of the figures in sight. In place of a peer stands the time allowed: 150 ms,
and 250 ms for 95 of 100 presses. As machines differ, and this one within a minute, the
least that Streamlit offers is timed before each view in the same browser: a slider and
one ``st.plotly_chart`` of four curves of 1,000 points in a fragment. It needs an idle
machine: browser and server share its cores.
"""

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from _browser import ROOT, browser_page, served
from _rows import Row, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

PRESSES = 16
SETTLE_SECONDS = 1.0
ALLOWED = 0.150
PEER = """
import gc

import numpy as np
import plotly.graph_objects as go
import streamlit as st

gc.collect()
gc.freeze()
x = np.arange(1000, dtype=np.float32)


@st.fragment
def chart():
    rate = st.slider("Rate", 1, 100, 50)
    curves = [np.exp(-x / (rate * k)).astype(np.float32) for k in (1, 2, 3, 4)]
    figure = go.Figure([go.Scatter(x=x, y=y) for y in curves])
    figure.update_layout(template="none", height=400)
    st.plotly_chart(figure, key="curves")


chart()
"""
# Streamlit puts a new chart in the old one's place, so what is drawn is looked at.
COUNT_PEER = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  let before = null;
  main.dataset.frames = 0;
  new MutationObserver(() => {
    const height = document.querySelector(".js-plotly-plot")?._fullData?.[0].y[100];
    if (height !== before) main.dataset.frames++;
    before = height;
  }).observe(main, {subtree: true, childList: true, attributes: true});
}"""
WATCH = """() => {
  let press = null;
  document.addEventListener(
    "keydown", () => { press = {at: performance.now(), shown: []}; }, {capture: true});
  window.shown = () => press.shown;
  new MutationObserver(changes => {
    for (const {target} of changes) {
      const box = target.getBoundingClientRect();
      if (!press || box.top >= innerHeight || box.bottom <= 0) continue;
      const {at, shown} = press;
      const note = () => shown.push(performance.now() - at);
      requestAnimationFrame(
        () => scheduler.postTask(note, {priority: "user-blocking"}));
    }
  }).observe(document.body,
    {subtree: true, attributes: true, attributeFilter: ["data-frames"]});
}"""


class View(NamedTuple):
    """A view of the app, which of its sliders is moved, and what is pressed before."""

    name: str
    link: str
    slider: str
    button: str = ""


VIEWS = (
    View("Approximation, one list", "/approximation?approx_view=One+list", "Sharpness"),
    View(
        "Approximation, a line",
        "/approximation?approx_view=Landscape&data=planted&land_shape=Line",
        "Sharpness",
    ),
    View(
        "Approximation, a circle",
        "/approximation?approx_view=Landscape&data=planted&land_shape=Circle",
        "Selected direction",
    ),
    View(
        "Sparsity",
        "/sparsity?data=planted&values=12&RSRank.max_iter=60",
        "Selected",
        "Train 12 models",
    ),
    View("Cones", "/cones?cone_view=Geometry&cone_pass=1", "Largest sum"),
    View("Cones in space", "/cones?cone_size=3-D&cone_pass=1", "Largest sum"),
    View("Cones, any data", "/cones?cone_view=Any+data&cone_pass=1", "Largest sum"),
    View("Margins, one query", "/margins?margin_view=One+query", "Weight of the loss"),
    View("Margins, by hand", "/margins?margin_view=By+hand", "Score"),
    View("Reduction, losses", "/reduction?red_view=Losses", "Score gap"),
    View("Reduction, regrets", "/reduction?red_view=Regrets", "Probability"),
    View("Measures", "/measures?cutoff=2", "Cutoff"),
)


class Times(NamedTuple):
    """Seconds from each press to the first and to the last figure shown."""

    first: np.ndarray
    last: np.ndarray


def rows() -> Iterator[Row]:
    """One row a view."""
    with tempfile.TemporaryDirectory() as folder, browser_page() as page:
        script = Path(folder, "peer.py")
        script.write_text(PEER, "utf-8")
        with served(script) as peer, served(ROOT / "server.py") as app:
            for view in VIEWS:
                page.goto(peer)
                page.locator(".js-plotly-plot .main-svg").first.wait_for()
                theirs = _moved(page, "Rate", COUNT_PEER)
                page.goto(app + view.link)
                if view.button:
                    page.get_by_role("button", name=view.button).click()
                yield _row(view, _moved(page, view.slider), theirs)


def _row(view: View, ours: Times, peer: Times) -> Row:
    parts = {"first": ours.first, "last": ours.last, "st.plotly_chart": peer.first}
    said = []
    for name, seconds in parts.items():
        median, p95 = 1e3 * np.quantile(seconds, [0.5, 0.95])
        said.append(f"{name} {median:.0f} (95 %: {p95:.0f})")
    note = "; ".join(said)
    return Row(view.name, "allowed", float(np.median(ours.first)), ALLOWED, 1.0, note)


def _moved(page: "Page", slider: str, count: str = "() => {}") -> Times:
    """Press the arrow keys on a slider, back and forth, and time the figures.

    The first presses do not count; ``count`` is run after them.
    """
    handle = page.get_by_role("slider", name=re.compile(slider)).first
    handle.wait_for()
    page.get_by_text("Preparing").wait_for(state="detached")
    time.sleep(4 * SETTLE_SECONDS)
    times = []
    for press in range(-4, PRESSES):
        if press == 0:
            page.evaluate(count)
            page.evaluate(WATCH)
        handle.press(("ArrowRight", "ArrowLeft")[press % 2])
        time.sleep(SETTLE_SECONDS)
        if press >= 0:
            shown = page.evaluate("shown()")
            times.append((min(shown) / 1e3, max(shown) / 1e3))
    return Times(*np.array(times).T)


if __name__ == "__main__":
    show(rows())
