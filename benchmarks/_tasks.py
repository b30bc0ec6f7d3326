"""Tasks of a user on a newly started server: the actions, and the expected result.

``benchmarks/tasks.py`` times them, ``tests/browser/test_tasks.py`` counts clicks.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

IN_MOTION = ".sight[data-iteration]:not([data-iteration='0'])"
CURVE = """() => document.querySelector(".st-key-curves .rs-live")?._fullData
  ?.find(trace => trace.name === "training")?.y?.length > 2
"""
CHANGED = ".st-key-curves .rs-live[aria-label*=' → ']"
SCRIPT_ENDED = "[data-test-script-state=notRunning]"
VERDICT = re.compile("leads|share the lead|none leads")


class Visitor:
    """A page of the app, with a count of clicks and key presses."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.clicks = 0

    def click(self, name: str, role: str = "button") -> None:
        """Click an element by its name."""
        self._locator(role, name).click()
        self.clicks += 1

    def press(self, key: str, name: str, role: str = "slider") -> None:
        """Press a key on an element with a name."""
        self._locator(role, name).press(key)
        self.clicks += 1

    def _locator(self, role: str, name: str) -> "Locator":
        return self.page.get_by_role(role, name=name).locator("visible=true").first


class Task(NamedTuple):
    """A task of a user, starting from the home page.

    Attributes
    ----------
    name : str
    clicks : int
        Number of clicks and key presses.
    seconds : float
        Time limit from the title of the home page on.
    do : callable
        Performs the task with a `Visitor`, and waits for the result.
    """

    name: str
    clicks: int
    seconds: float
    do: Callable[[Visitor], None]


def first_motion(visitor: Visitor) -> None:
    """Wait for the stored run to move."""
    visitor.page.locator(IN_MOTION).wait_for()


def first_curve(visitor: Visitor) -> None:
    """Start a run and wait for its curve."""
    visitor.click("Watch it learn")
    visitor.page.wait_for_function(CURVE)


def run_changed(visitor: Visitor) -> None:
    """Start a run, change a hyperparameter, and wait for the mark on the curve."""
    first_curve(visitor)
    # The home page's slider of that name remains until the script has finished.
    visitor.page.locator(SCRIPT_ENDED).wait_for()
    visitor.press("ArrowRight", "Sparsity")
    visitor.page.locator(CHANGED).wait_for()


def race_decided(visitor: Visitor) -> None:
    """Open the race, keep two of four algorithms, train them, await the leader."""
    visitor.click("Race algorithms live", role="link")
    for name in ("RankSVM", "LambdaRank"):
        visitor.click(f"Remove {name}")
    visitor.click("Train 2 models")
    visitor.page.get_by_text(VERDICT).first.wait_for()


TASKS = (
    Task("First motion", 0, 3.0, first_motion),
    Task("First curve of an own run", 1, 10.0, first_curve),
    Task("A run changed while running", 2, 15.0, run_changed),
    Task("A race of two decided", 4, 30.0, race_decided),
)
