"""Seconds until a page shows content: in a cold tab, at a change of page and at Play.

A cold tab is a new browser with an empty cache and a server that has shown the page
before. Its title and the picture of its first figure may take half a second longer than
the title of an empty Streamlit page, and the figure itself 0.6 seconds longer than one
``st.plotly_chart``, opened alternately; a change of page, and the first moving curve
after Play, may take a second. Values are medians of five; a note states the floor.
Arguments select pages. It needs an idle machine: browser and server share its cores.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from _browser import PATIENCE_SECONDS, ROOT, chromium, served
from _rows import Figure, show
from slider import PEER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TIMES = 5
SIZE = {"width": 1440, "height": 900}
NAMES = (
    "approximation",
    "train",
    "compare",
    "cones",
    "explore",
    "sparsity",
    "measures",
)
PICTURE_MORE, FIGURE_MORE, ALLOWED = 0.5, 0.6, 1.0
SETTLE_MS = 3000
EMPTY = 'import streamlit as st\nst.title("Empty")\n'
TITLE = "document.querySelector('[data-testid=stMain] h1')"
DRAWN = (
    "document.querySelector('.rs-live-figure[data-frames]:not([data-frames=\"0\"])')"
)
# Events to wait for, as JavaScript conditions.
SEEN = {
    "title": TITLE,
    "picture": f"document.querySelector('.rs-still svg text') || {DRAWN}",
    "figure": DRAWN,
}
PEER_SEEN = {"figure": "document.querySelector('.js-plotly-plot .main-svg')"}
AGED = (
    "document.querySelectorAll('.rs-live').forEach(node => { node.dataset.old = 1; })"
)
NEW = DRAWN.replace(".rs-live-figure", ".rs-live-figure:not([data-old])")
FRAMES = (
    "Number(document.querySelector('.st-key-curves_figure .rs-live')?.dataset.frames)"
)


def rows(names: Sequence[str] = NAMES) -> Iterator[Figure]:
    """Yield title, picture and figure of each page, then changes of page and Play."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        browser = stack.enter_context(chromium())
        scripts = {"title": Path(folder, "empty.py"), "figure": Path(folder, "peer.py")}
        scripts["title"].write_text(EMPTY, "utf-8")
        scripts["figure"].write_text(PEER, "utf-8")
        peers = {
            seen: stack.enter_context(served(file)) for seen, file in scripts.items()
        }
        app = stack.enter_context(served(ROOT / "server.py"))
        yield from _cold(browser, peers, app, names)
        with_page = browser.new_page(viewport=SIZE)
        with_page.set_default_timeout(1000 * PATIENCE_SECONDS)
        yield from _changes(with_page, app, names)
        yield _play(with_page, app)


def _cold(
    browser: "Browser", peers: Mapping[str, str], app: str, names: Sequence[str]
) -> Iterator[Figure]:
    kinds = {"title": {"title": TITLE}, "figure": PEER_SEEN}
    taken: dict[str, list[float]] = {}
    for turn in range(TIMES + 1):
        for kind, address in peers.items():
            (seconds,) = _opened(browser, address, kinds[kind])
            taken.setdefault(kind, []).extend([seconds] if turn else [])
        for name in names:
            times = _opened(browser, f"{app}/{name}", SEEN)
            for seen, seconds in zip(SEEN, times, strict=True):
                taken.setdefault(f"{name}, {seen}", []).extend(
                    [seconds] if turn else []
                )
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name in names:
        for seen in SEEN:
            least = medians["figure" if seen == "figure" else "title"]
            more = FIGURE_MORE if seen == "figure" else PICTURE_MORE
            value = medians[f"{name}, {seen}"]
            note = f"floor {least:.2f}"
            yield Figure(
                f"{name}, {seen}", value, round(least + more, 2), "s", note=note
            )


def _opened(
    browser: "Browser", address: str, seen: Mapping[str, str]
) -> Sequence[float]:
    """Return the seconds until a cold tab shows each of these."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_SECONDS)
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    times = []
    for condition in seen.values():
        page.wait_for_function(condition, polling="raf")
        times.append(time.perf_counter() - began)
    context.close()
    return times


def _changes(page: "Page", app: str, names: Sequence[str]) -> Iterator[Figure]:
    """Yield the time from a click in the menu to the first figure of that page."""
    page.goto(f"{app}/{names[-1]}")
    taken: dict[str, list[float]] = {name: [] for name in names}
    for name in [*names] * TIMES:
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(SETTLE_MS)
        page.evaluate(AGED)
        menu = page.get_by_test_id("stSidebarNav")
        began = time.perf_counter()
        menu.get_by_text(name.capitalize(), exact=True).click()
        page.wait_for_function(NEW, polling="raf")
        taken[name].append(time.perf_counter() - began)
    for name, times in taken.items():
        yield Figure(
            f"change to {name}, figure", statistics.median(times), ALLOWED, "s"
        )


def _play(page: "Page", app: str) -> Figure:
    """Yield the time from a click on Play to the second frame of the curve."""
    times = []
    for _ in range(TIMES):
        page.goto(f"{app}/train?data=toy-2d")
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(SETTLE_MS)
        before = page.evaluate(FRAMES)
        began = time.perf_counter()
        page.locator(".st-key-play button").click()
        page.wait_for_function(f"{FRAMES} > {before + 1}", polling="raf")
        times.append(time.perf_counter() - began)
    return Figure("Play, moving curve", statistics.median(times), ALLOWED, "s")


if __name__ == "__main__":
    show(rows(sys.argv[1:] or NAMES))
