"""Seconds and clicks of users' first tasks, each on a newly started server, and the
time of the Runs page, its filter and a comparison with ten thousand stored runs.

The time of a first task runs from the title of the home page to the result on the
screen, with an automated browser that clicks without delay. A limit replaces the peer.
It needs an idle machine with compiled kernels: browser and server share its cores.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from _browser import ROOT, browser_page, served
from _many_runs import RUNS, alike, fill
from _rows import Row, show
from _tasks import TASKS, Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE_SECONDS, COMPARE_SECONDS, COMPARED = 0.5, 1.0, 50
REPEATS = 5
SETTLED = "[data-test-script-state=notRunning]"


def rows() -> Iterator[Row]:
    """Yield one row per task, each with its own server and browser."""
    for task in TASKS:
        with served(ROOT / "server.py") as app, browser_page() as page:
            visitor, start = Visitor(page), time.monotonic()
            page.goto(app, wait_until="commit")
            page.get_by_role("heading", level=1).wait_for()
            titled = time.monotonic()
            task.do(visitor)
            seconds = time.monotonic() - titled
            note = f"{visitor.clicks} clicks; title after {titled - start:.1f} s"
            yield Row(task.name, "allowed", seconds, task.seconds, 1.0, note)
    with TemporaryDirectory() as folder:
        yield from many_runs(Path(folder) / "runs.sqlite")


def many_runs(file: Path) -> Iterator[Row]:
    """Yield the Runs page, its filter and a comparison, each until it shows its number
    of runs."""
    address = fill(file)
    note = f"{RUNS:,} runs in {file.stat().st_size / 1e6:.0f} MB, of 1000 MB allowed"
    variables = {"RANKSCOPE_DATABASE_URL": address}
    with served(ROOT / "server.py", **variables) as app, browser_page() as page:
        page.goto(f"{app}/runs")
        _seen(page, f"{RUNS:,} runs kept")
        page.get_by_text("Compiling").wait_for(state="hidden")
        opened, filtered = [], []
        for number in range(REPEATS):
            page.get_by_role("link", name="Measures").click()
            page.get_by_role("heading", level=1, name="Measures").wait_for()
            page.locator(SETTLED).wait_for()
            link = page.get_by_role("link", name="Runs", exact=True)
            opened.append(_seconds(page, link.click, f"{RUNS:,} runs kept"))
            page.locator(SETTLED).wait_for()
            search = page.get_by_label("Search runs", exact=True)
            search.fill(f"RankSVM {number}")
            enter = lambda: search.press("Enter")  # noqa: E731, B023
            filtered.append(_seconds(page, enter, "runs found"))
            page.locator(SETTLED).wait_for()
            search.fill("")
            search.press("Enter")
            _seen(page, f"{RUNS:,} runs kept")
        compared = _compared(page, app, alike(file, COMPARED))
    for name, times, allowed in (
        ("Runs page", opened, PAGE_SECONDS),
        ("Filter of runs", filtered, PAGE_SECONDS),
        (f"{COMPARED} runs compared", compared, COMPARE_SECONDS),
    ):
        yield Row(name, "allowed", sorted(times)[REPEATS // 2], allowed, 1.0, note)


def _compared(page: "Page", app: str, keys: list[str]) -> list[float]:
    """Return the seconds from opening the Compare page until its comparison is
    drawn."""
    times = []
    page.goto(f"{app}/compare?runs={quote(','.join(keys))}")
    for _ in range(REPEATS):
        _seen(page, f"{len(keys)} runs shown")
        page.locator(SETTLED).wait_for()
        page.get_by_role("link", name="Measures").click()
        page.get_by_role("heading", level=1, name="Measures").wait_for()
        page.locator(SETTLED).wait_for()
        link = page.get_by_role("link", name="Compare", exact=True)
        times.append(_seconds(page, link.click, f"{len(keys)} runs shown"))
    return times


def _seconds(page: "Page", act: Callable[[], object], text: str) -> float:
    begun = time.monotonic()
    act()
    _seen(page, text)
    return time.monotonic() - begun


def _seen(page: "Page", text: str) -> None:
    page.get_by_text(text).first.wait_for()


if __name__ == "__main__":
    show(rows())
