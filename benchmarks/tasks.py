"""Seconds and clicks of what a visitor wants first, each from a server just started.

The time runs from the title of the home page to what is wanted on the screen, by a
browser that clicks without thinking. In place of a peer stands the time allowed. It
needs an idle machine with kernels compiled: browser and server share its cores.
"""

import time
from collections.abc import Iterator

from _browser import ROOT, browser_page, served
from _rows import Row, show
from _tasks import TASKS, Visitor


def rows() -> Iterator[Row]:
    """One row a task, each with a server and a browser of its own."""
    for task in TASKS:
        with served(ROOT / "server.py") as app, browser_page() as page:
            visitor, asked = Visitor(page), time.monotonic()
            page.goto(app, wait_until="commit")
            page.get_by_role("heading", level=1).wait_for()
            titled = time.monotonic()
            task.do(visitor)
            seconds = time.monotonic() - titled
            note = f"{visitor.clicks} clicks; title after {titled - asked:.1f} s"
            yield Row(task.name, "allowed", seconds, task.seconds, 1.0, note)


if __name__ == "__main__":
    show(rows())
