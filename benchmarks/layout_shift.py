"""Layout shift (CLS) of each page opened by a browser with an empty cache.

It is the largest session window of layout shifts in the ten seconds after navigation,
on a server that has shown the page before; values are medians of five. A page should
stay below 0.1, or within 0.02 of an empty Streamlit page with the same navigation where
that has 0.08. Each value is followed by the largest shifts of the last visit: the
element, and its old and new box (left, top, width, height). Arguments select pages, and
``--once`` opens each only once.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from _browser import ROOT, chromium, served
from _rows import Figure, show
from _shifts import SIZES, cumulative, opened

from pages.ui.catalogue import pages

TIMES, WAIT_MS = 5, 10_000
GOOD, HIGH_FLOOR, MORE = 0.1, 0.08, 0.02
SHOWN = 4
EMPTY = """
import streamlit as st

GROUPS = {"Start": 3, "Train": 4, "Look inside": 8, "Evidence": 1}


def page(number):
    def draw():
        st.title(f"Page {number}")

    draw.__name__ = f"page_{number}"
    return st.Page(draw, title=f"Page {number}")


st.set_page_config("Empty", layout="wide", initial_sidebar_state=220)
groups = {
    name: [page(f"{name[0]}{i}") for i in range(count)]
    for name, count in GROUPS.items()
}
st.navigation(groups, expanded=True).run()
"""


def rows(names: Sequence[str] = (), times: int = TIMES) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY, "utf-8")
        with served(empty) as least, served(ROOT / "server.py") as ours:
            for size in SIZES:
                floor = _figure(browser, "an empty page", least, size, GOOD, times)
                yield floor
                limit = floor.value + MORE if floor.value >= HIGH_FLOOR else GOOD
                for name in names or pages():
                    link = f"{ours}/{'' if name == 'home' else name}"
                    yield _figure(browser, name, link, size, limit, times)


def _figure(browser, name, address, size, limit, times) -> Figure:
    # The first visit to a page fills the server's caches.
    opened(browser, address, size, WAIT_MS)
    visits = [opened(browser, address, size, WAIT_MS) for _ in range(times)]
    largest = sorted(visits[-1], key=lambda shift: -shift.value)[:SHOWN]
    note = "".join(
        f"\n    {shift.value:.3f} at {shift.at:.0f} ms"
        + "".join(f"\n        {source}" for source in shift.sources)
        for shift in largest
    )
    value = statistics.median(map(cumulative, visits))
    return Figure(f"{name}, {size[0]} x {size[1]}", value, limit, note=note)


if __name__ == "__main__":
    once = "--once" in sys.argv
    named = [word for word in sys.argv[1:] if word != "--once"]
    show(rows(named, 1 if once else TIMES))
