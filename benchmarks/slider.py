"""Time from a key press on a slider to the figure on the screen, view by view.

The time runs from the press to the first frame with a redrawn figure, and to the last,
of all visible figures. A limit replaces the peer: 150 ms, and 250 ms for 95 of 100
presses. Because speed differs between machines, and within a minute, Streamlit's floor
is timed before each view in the same browser: a slider and one ``st.plotly_chart`` of
four curves of 1,000 points in a fragment. It needs an idle machine: browser and server
share its cores. Arguments select views, such as ``Margins`` or ``"Compare, Slices"``.
"""

import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from _browser import ROOT, browser_page, served
from _rows import Row, show

from pages.ui.catalogue import pages
from rankcore.views import (
    Declared,
    Number,
    Page,
    Setting,
    Training,
    Values,
    View,
    Work,
    read,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PRESSES = 16
SETTLE_SECONDS = 0.6
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
# Streamlit replaces the chart's element, so the drawn data is observed instead.
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


SMALL = {"data": "toy-2d"}
# Keys of the buttons that start a view's work, and of those shown until it ends.
BUTTONS = {Work: ("study_start", "study_stop"), Training: ("step_10", "pause")}


class Moved(NamedTuple):
    """A view, the possible names of its slider, and the button to press first."""

    name: str
    link: str
    sliders: Sequence[str]
    buttons: Sequence[str] = ()


def views() -> list[Moved]:
    """Return every view with a slider that immediately changes a figure.

    Views use their default data, studies small data.
    """
    return [
        moved
        for page in pages().values()
        for name in page.views
        if (moved := _moved_view(page, name)) is not None
    ]


def _moved_view(page: Page, name: str) -> Moved | None:
    view = page.views[name]
    raw = {} if view.work is None else SMALL
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    studied = {} if work is None else view.studied(values, raw)
    rows = [
        row
        for row in view.rows(raw)
        if _slides(row)
        and row.key not in studied
        and row.matters(values)
        and (work is not None or _moves(view, row, values))
    ]
    if not rows:
        return None
    labels = [row.label for row in sorted(rows, key=lambda row: row.inline)]
    link = raw if page.choice is None else raw | {page.key: name}
    buttons = () if work is None else BUTTONS[type(work)]
    title = f"{page.title}, {name}"
    return Moved(title, f"/{page.name}?{urlencode(link)}", labels, buttons)


def _slides(row: Setting) -> bool:
    """Whether the control of a setting is a visible slider."""
    if row.group:
        return False
    if isinstance(row, Declared):
        return row.declared.kind != "choice" and not row.declared.words
    return isinstance(row, Number) and not row.box


def _moves(view: View, row: Setting, values: Values) -> bool:
    """Whether a figure changes at one of the ends of a setting."""
    before = _figures(view, values)
    others = (values | _changes(row, values, end) for end in row.examples(values))
    return any(_figures(view, other) != before for other in others)


def _changes(row: Setting, values: Values, value: Any) -> Mapping[str, Any]:
    return row.writes(values, value) if row.writes else {row.key: value}


def _figures(view: View, values: Values) -> str:
    with np.printoptions(threshold=sys.maxsize):
        return str([panel.picture.data for panel in view.show(values).panels()])


class Times(NamedTuple):
    """The seconds from each press to the first and to the last redrawn figure."""

    first: np.ndarray
    last: np.ndarray


def rows(names: Sequence[str] = ("",)) -> Iterator[Row]:
    """Yield one row per view whose visible figures follow the slider and whose name
    begins with one of these."""
    with tempfile.TemporaryDirectory() as folder, browser_page() as page:
        script = Path(folder, "peer.py")
        script.write_text(PEER, "utf-8")
        with served(script) as peer, served(ROOT / "server.py") as app:
            for view in views():
                if not view.name.startswith(tuple(names)):
                    continue
                page.goto(peer)
                page.locator(".js-plotly-plot .main-svg").first.wait_for()
                theirs = _moved(_slider(page, "Rate"), COUNT_PEER)
                page.goto(app + view.link)
                if view.buttons:
                    _work(page, *view.buttons)
                handle = _offered(page, view.sliders)
                if handle is not None:
                    ours = _moved(handle)
                    if len(ours.first):
                        yield _row(view, ours, theirs)


def _row(view: Moved, ours: Times, peer: Times) -> Row:
    parts = {"first": ours.first, "last": ours.last, "st.plotly_chart": peer.first}
    words = []
    for name, seconds in parts.items():
        median, p95 = 1e3 * np.quantile(seconds, [0.5, 0.95])
        words.append(f"{name} {median:.0f} (95%: {p95:.0f})")
    note = "; ".join(words)
    return Row(view.name, "allowed", float(np.median(ours.first)), ALLOWED, 1.0, note)


def _work(page: "Page", start: str, end: str) -> None:
    """Press the button with one key, and wait until the other one disappears."""
    page.locator(f".st-key-{start} button:visible").click()
    page.wait_for_url("**job=**")
    page.locator(f".st-key-{end}").wait_for(state="detached")


def _offered(page: "Page", names: Sequence[str]) -> "Locator | None":
    """Return the first slider: some settings are boxes, or are set in figures."""
    page.get_by_text("Preparing").wait_for(state="detached")
    time.sleep(4 * SETTLE_SECONDS)
    handles = (_slider(page, name) for name in names)
    return next((handle for handle in handles if handle.is_visible()), None)


def _slider(page: "Page", name: str) -> "Locator":
    return page.get_by_role("slider", name=re.compile(f"^{re.escape(name)}")).first


def _moved(handle: "Locator", count: str = "() => {}") -> Times:
    """Press the arrow keys on a slider, back and forth, and time the figures.

    The first presses are a warm-up; ``count`` runs after them.
    """
    handle.wait_for()
    page = handle.page
    time.sleep(4 * SETTLE_SECONDS)
    times = []
    for press in range(-4, PRESSES):
        if press == 0:
            page.evaluate(count)
            page.evaluate(WATCH)
        handle.press(("ArrowRight", "ArrowLeft")[press % 2])
        time.sleep(SETTLE_SECONDS)
        shown = page.evaluate("shown()") if press >= 0 else []
        if shown:
            times.append((min(shown) / 1e3, max(shown) / 1e3))
    return Times(*np.reshape(times, (-1, 2)).T)


if __name__ == "__main__":
    show(rows(sys.argv[1:] or ("",)))
