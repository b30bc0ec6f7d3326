"""From a key pressed on a slider to the figure on the screen, view by view.

The time runs from the press to the first frame shown with a figure drawn anew, and to
the last, of the figures in sight. The peer is the least that Streamlit offers: a slider
and one ``st.plotly_chart`` of four curves of 1,000 points in a fragment, timed in the
same browser. It took 168 ms (95 %: 208 ms) where the target of 150 ms (250 ms) was set,
so a view meets the target when it is 1.12 times as fast as the peer, its 95 % when no
slower than 1.2 times the peer's. It needs an idle machine: browser and server share its
cores.
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

PRESSES = 20
SETTLE_SECONDS = 1.0
THEN, TARGET = (0.168, 0.208), (0.150, 0.250)
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
    """A view of the app, and which of its sliders is moved."""

    name: str
    link: str
    slider: str


VIEWS = (
    View("Approximation, one list", "/approximation?approx_view=One+list", "Sharpness"),
    View(
        "Approximation, a line",
        "/approximation?approx_view=Landscape&data=planted&land_shape=Line",
        "Sharpness",
    ),
    View("Cones", "/cones?cone_view=Geometry&cone_pass=1", "Largest sum"),
    View("Margins, by hand", "/margins?margin_view=By+hand", "Score"),
    View("Reduction, losses", "/reduction?red_view=Losses", "Scores are apart"),
    View("Reduction, regrets", "/reduction?red_view=Regrets", "Probability"),
    View("Measures", "/measures", "Cutoff"),
)


class Times(NamedTuple):
    """Seconds from each press to the first and to the last figure shown."""

    first: np.ndarray
    last: np.ndarray


def rows() -> Iterator[Row]:
    """One row a view."""
    peer = _peer().first
    with served(ROOT / "app.py") as address, browser_page() as page:
        for view in VIEWS:
            page.goto(address + view.link)
            ours = _moved(page, view.slider)
            yield _row(view, ours, peer)


def _row(view: View, ours: Times, peer: np.ndarray) -> Row:
    (median, p95), (peer_median, peer_p95) = _summary(ours.first), _summary(peer)
    allowed = 1e3 * peer_p95 / THEN[1] * TARGET[1]
    last = "last {:.0f} (95 % {:.0f}) ms".format(
        *(1e3 * s for s in _summary(ours.last))
    )
    note = f"95 % {1e3 * p95:.0f} of {allowed:.0f} ms allowed; {last}"
    target = THEN[0] / TARGET[0]
    return Row(view.name, "st.plotly_chart", median, peer_median, target, note)


def _summary(seconds: np.ndarray) -> tuple[float, float]:
    median, p95 = np.quantile(seconds, [0.5, 0.95])
    return float(median), float(p95)


def _peer() -> Times:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "peer.py")
        script.write_text(PEER, "utf-8")
        with served(script) as address, browser_page() as page:
            page.goto(address)
            page.locator(".js-plotly-plot .main-svg").first.wait_for()
            return _moved(page, "Rate", COUNT_PEER)


def _moved(page: "Page", slider: str, count: str = "() => {}") -> Times:
    """Press the arrow keys on a slider, back and forth, and time the figures.

    The first presses do not count; ``count`` is run after them.
    """
    handle = page.get_by_role("slider", name=re.compile(slider)).first
    handle.wait_for()
    page.get_by_text("Warming up").wait_for(state="detached")
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
