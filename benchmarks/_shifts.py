"""Layout shifts of a page while it opens: movement of visible content.

``benchmarks/layout_shift.py`` prints the values, and
``tests/browser/test_layout_shift.py`` holds them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = ((1440, 900), (390, 844))
# A session window ends after this time without a shift, and has this maximum length.
GAP_MS, WINDOW_MS = 1000, 5000
# Records every shift without recent input, with the elements moved and their positions.
OBSERVE = """
window.shifts = [];
{
  const name = node => {
    if (!node) return "gone";
    let at = node.nodeType === 1 ? node : node.parentElement;
    const text = (at?.innerText ?? "").trim().slice(0, 30).replace(/\\s+/g, " ");
    const own = at?.dataset?.testid ?? at?.localName;
    const keyed = at?.closest("[class*=st-key-]")?.className;
    const key = keyed?.match(/st-key-\\S+/)?.[0] ?? "";
    return `${own} ${key} "${text}"`;
  };
  const box = ({ left, top, width, height }) =>
    [left, top, width, height].map(Math.round).join(" ");
  new PerformanceObserver(list => {
    for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifts.push({ at: startTime, value, sources: sources.map(
        ({ node, previousRect, currentRect }) =>
          `${name(node)}: ${box(previousRect)} → ${box(currentRect)}`) });
    }
  }).observe({ type: "layout-shift", buffered: true });
}
"""


class Shift(NamedTuple):
    """A shift: its time, impact times distance, and the moved elements."""

    at: float
    value: float
    sources: Sequence[str]


def observe(page: "Page") -> None:
    """Record the shifts of every page opened from now on."""
    page.add_init_script(OBSERVE)


def shifts(page: "Page") -> list[Shift]:
    """Return the shifts of a page since it was opened."""
    return [Shift(**shift) for shift in page.evaluate("window.shifts")]


def opened(
    browser: "Browser", address: str, size: tuple[int, int], wait_ms: float
) -> list[Shift]:
    """Return the shifts of a page within a time after a browser with an empty cache
    opens it."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    observe(page)
    page.goto(address)
    page.wait_for_timeout(wait_ms)
    moves = shifts(page)
    context.close()
    return moves


def cumulative(shifts: Sequence[Shift]) -> float:
    """Return the cumulative layout shift: the sum of the largest session window."""
    largest = window = begun = last = 0.0
    for shift in shifts:
        if shift.at - last > GAP_MS or shift.at - begun > WINDOW_MS:
            window, begun = 0.0, shift.at
        window, last = window + shift.value, shift.at
        largest = max(largest, window)
    return largest
