"""Maps and searches: their overhead over training, two processes against one, and the
page while a map of 16 by 16 models fills.

The models are of RSRank on the planted set over g and the learning rate, 500 iterations
each. A search is compared, in CPU time, with training the same models in a loop,
measured only at the end. In the browser a time limit replaces the peer: from the click
on the button to a map with the models at its corners and to all 256 models; meanwhile
from a click on a cell to the frame around it and to its values, and from a key press on
a slider in another tab to its figure, for the second worst of 20. It needs an idle
machine with compiled kernels.
"""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
from _browser import PATIENCE_SECONDS, ROOT, browser_page, served
from _rows import Row, interleaved, show
from slider import SETTLE_SECONDS, WATCH

from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import load_dataset
from rankcore.studies import Study
from rankcore.topics.explore.maps import MapPlan, axis
from rankcore.topics.explore.search import SearchPlan
from rankcore.training import Stop, drive, every

if TYPE_CHECKING:
    from playwright.sync_api import Page

SPLITS = load_dataset("planted")
AXES = ("g", "learning_rate")
VALUES, ITERATIONS = 16, 500
# Grid and random search train the same number of models.
MODELS = 9
SEARCHED = 64
MACHINERY = 1.1
TWO_PROCESSES = 1.5
PICTURE_SECONDS, MAP_SECONDS, ANSWER_SECONDS = 2.0, 90.0, 0.2
PRESSES = 20
# A user pauses on a cell before clicking.
REST_SECONDS = 0.1
SETTINGS = {
    "data": "planted",
    "algorithm": "RSRank",
    "map_x": AXES[0],
    "map_y": AXES[1],
    "map_values": VALUES,
    "map_iterations": ITERATIONS,
}
SLIDER = ("/reduction?red_view=Losses", "Score gap")
# Headless Chromium treats every tab as visible; a background tab is hidden.
HIDDEN = "value => Object.defineProperty(document, 'hidden', {value, writable: true})"
# The browser moves the frame to the cell; the server answers with its values.
CHOSEN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const selected = () => [...main.querySelectorAll(".rs-facts > div")]
    .map(fact => fact.textContent).find(text => text.startsWith("Selected"));
  const frame = () => document.querySelector(".st-key-map .shapelayer path")
    ?.getAttribute("d");
  const looks = {framed: frame, said: selected};
  let press = null;
  addEventListener("mousedown", () => {
    press = {at: performance.now(), framed: frame(), said: selected(), took: {}};
  }, {capture: true});
  window.chosen = () => press.took;
  new MutationObserver(() => {
    for (const [name, look] of Object.entries(looks)) {
      if (!press || name in press.took || look() === press[name]) continue;
      const {at, took} = press;
      took[name] = null;
      requestAnimationFrame(() => scheduler.postTask(
        () => { took[name] = performance.now() - at; }, {priority: "user-blocking"}));
    }
  }).observe(main, {
    subtree: true, childList: true, characterData: true, attributeFilter: ["d"]});
}"""
CORNERS = """count => {
  const drawn = document.querySelector(".st-key-map .rs-live")?.data ?? [];
  const empty = drawn.find(({ meta }) => meta?.empty)?.meta.empty ?? [];
  const last = count - 1, corners = [0, last, count * last, count * last + last];
  // The example has fewer cells.
  return empty.length === count ** 2 && corners.every(cell => !empty[cell]);
}"""


def rows() -> Iterator[Row]:
    """Yield two rows on overhead, two on processes, and the rows in the browser."""
    for by in ("grid", "random"):
        search = _search(by, MODELS)
        settings = [dict(one.settings) for one in search.begin()]
        ours, theirs = interleaved(
            lambda search=search: _whole(search.study()),
            lambda settings=settings: [_trained(cell) for cell in settings],
            5,
        )
        note = f"{100 * (ours / theirs - 1):.0f}% of training, of 10 allowed"
        job = f"{by.capitalize()} search, {MODELS} models"
        yield Row(job, "training", ours, theirs, 1.0 / MACHINERY, note)
    for job, study in (
        (f"Map of {VALUES}×{VALUES} models", _map().study),
        (f"Search by TPE, {SEARCHED} models", _search("tpe", SEARCHED).study),
    ):
        one, two = (_seconds(study, processes) for processes in (1, 2))
        yield Row(f"{job}, two processes", "one", two, one, TWO_PROCESSES)
    with served(ROOT / "server.py") as app, browser_page() as page:
        yield from _in_the_browser(app, page)


def _map() -> MapPlan:
    parameters = hyperparameters(RSRank)
    axes = tuple(axis(parameters[name], VALUES) for name in AXES)
    return MapPlan(RSRank(), axes, SPLITS, max_iterations=ITERATIONS)


def _search(by: str, models: int) -> SearchPlan:
    over = dict.fromkeys(AXES)
    return SearchPlan(RSRank(), over, SPLITS, by, models, max_iterations=ITERATIONS)


def _whole(study: Study) -> None:
    for _ in study:
        pass


def _trained(settings: dict[str, object]) -> None:
    run = drive(
        RSRank(**settings),
        SPLITS.train,
        SPLITS.valid,
        stop=Stop(max_iterations=ITERATIONS),
        measures=("nDCG@10",),
        schedule=every(ITERATIONS),
    )
    for _ in run:
        pass


def _seconds(study: Callable[[int], Study], processes: int) -> float:
    began = time.monotonic()
    _whole(study(processes))
    return time.monotonic() - began


def _in_the_browser(app: str, page: "Page") -> Iterator[Row]:
    browser = page.context.browser
    assert browser is not None
    other = browser.new_page()
    other.set_default_timeout(1e3 * PATIENCE_SECONDS)
    other.goto(app + SLIDER[0])
    page.goto(f"{app}/explore?{urlencode(SETTINGS)}")
    for one in (page, other):
        one.get_by_text("Compiling").first.wait_for(state="hidden")
        one.locator("[data-test-script-state=notRunning]").wait_for()
        one.locator(".rs-live-figure[data-frames='1']").first.wait_for()
    began = time.monotonic()
    page.get_by_role("button", name=f"Train {VALUES**2} models").click()
    page.wait_for_function(CORNERS, arg=VALUES)
    picture = time.monotonic() - began
    chosen = _choices(page)
    page.evaluate(HIDDEN, True)
    other.bring_to_front()
    moved = _answers(other)
    page.evaluate(HIDDEN, False)
    page.bring_to_front()
    filling = page.locator(".st-key-study_stop").is_visible()
    done = page.get_by_text(f"All {VALUES**2} models are trained")
    done.wait_for(timeout=5e3 * MAP_SECONDS)
    whole = time.monotonic() - began
    yield Row("First picture of the map", "allowed", picture, PICTURE_SECONDS, 1.0)
    yield Row("Whole map", "allowed", whole, MAP_SECONDS, 1.0)
    framed, valued = zip(*chosen, strict=True)
    for job, answers in (
        ("Frame of a chosen cell while training", framed),
        ("Values of a chosen cell while training", valued),
        ("Slider in another tab while training", moved),
    ):
        note = f"of {PRESSES}, median {1e3 * np.median(answers):.0f} ms"
        note += "" if filling else ", some after its end"
        worst = float(np.sort(answers)[-2])
        yield Row(job, "allowed", worst, ANSWER_SECONDS, 1.0, note)


def _choices(page: "Page") -> list[tuple[float, float]]:
    """Return the seconds from each click on a corner of the map to the frame around its
    cell, and to its values."""
    page.evaluate(CHOSEN)
    box = page.locator(".st-key-map .nsewdrag").first.bounding_box()
    assert box is not None
    ends = (0.5 / VALUES, 1.0 - 0.5 / VALUES)
    corners = [
        (box["x"] + x * box["width"], box["y"] + y * box["height"])
        for x in ends
        for y in ends
    ]
    # The best cell is selected at first.
    page.mouse.click(*corners[-1])
    time.sleep(SETTLE_SECONDS)
    choices = []
    for press in range(PRESSES):
        page.mouse.move(*corners[press % len(corners)])
        time.sleep(REST_SECONDS)
        page.mouse.down()
        page.mouse.up()
        page.wait_for_function("chosen().framed && chosen().said")
        took = page.evaluate("chosen()")
        choices.append((took["framed"] / 1e3, took["said"] / 1e3))
        time.sleep(SETTLE_SECONDS)
    return choices


def _answers(page: "Page") -> list[float]:
    """Return the seconds from each press of an arrow key to the first figure."""
    handle = page.get_by_role("slider", name=SLIDER[1]).first
    page.evaluate(WATCH)
    seconds = []
    for press in range(PRESSES):
        handle.press(("ArrowRight", "ArrowLeft")[press % 2])
        page.wait_for_function("shown().length")
        seconds.append(min(page.evaluate("shown()")) / 1e3)
        time.sleep(SETTLE_SECONDS)
    return seconds


if __name__ == "__main__":
    show(rows())
