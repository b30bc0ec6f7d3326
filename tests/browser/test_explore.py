"""Explore: what follows the pointer, and what a click selects."""

import itertools
import re
import time

import pytest
from playwright.sync_api import expect

from pages.ui.away.links import opened
from rankcore.views import Tiles
from rankcore.views.blocks import flat
from tests import viewing
from tests.browser.live import strip_of

LINK = "/explore?data=toy-3d&map_iterations=5&map_values=5"
SIDES = ("x", "width"), ("y", "height")
CURVE = "node => Array.from(node.data.at(-1).y).join()"
# Where the frame goes in the browser, before what the server draws.
WATCH_FRAME = """node => {
    const { frames } = node.dataset;
    node.on("plotly_relayout", () => {
        const { x0, y0 } = node.layout.shapes.at(-1);
        node.framed ??= [x0, y0, node.dataset.frames === frames];
    });
}"""


def test_the_curve_follows_the_pointer_and_a_click_selects_the_cell(open_page, settle):
    page = open_page(LINK)
    train_behind_another_tab(page)
    expect(page.get_by_text("All 25 models are trained.")).to_be_visible()
    settle(page)
    curve = page.locator(".st-key-map_curve .rs-live-figure")
    area = page.locator(".st-key-map .nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()

    def corner(share):
        return box["x"] + share * box["width"], box["y"] + share * box["height"]

    result = viewing.shown(viewing.view("explore", "Map"), **opened(LINK).raw)
    (tiles,) = [item for item in flat(result.blocks) if isinstance(item, Tiles)]
    ranking = page.locator(".rs-live-ranking")
    seen = set()
    for share, cell in ((0.1, 4), (0.9, 20)):
        page.mouse.move(*corner(share + 0.02))
        page.mouse.move(*corner(share))
        shown = page.locator(".st-key-map .hovertext")
        expect(shown).to_be_visible()
        node = curve.element_handle()
        page.wait_for_function(
            "([node, seen]) => !seen.includes(Array.from(node.data.at(-1).y).join())",
            arg=[node, list(seen)],
        )
        seen.add(curve.evaluate(CURVE))
        first = set(tiles.follows.rankings[cell].documents[: tiles.rows])
        order = ranking.get_attribute("data-order")
        assert set(order.split(" ")) == first
        value = tiles.follows.rankings[cell].value
        expect(ranking.get_by_text(f"{value:.3f}", exact=True)).to_be_visible()
    assert len(seen) == 2
    assert "map_cell" not in page.url
    # The pointer has just left another cell, which Plotly may still report.
    page.mouse.move(*corner(0.5))
    cells = page.locator(".st-key-map .rs-live-figure")
    cells.evaluate(WATCH_FRAME)
    page.mouse.click(*corner(0.9))
    page.wait_for_url(re.compile("map_cell=4(%2C|,)0"))
    assert cells.evaluate("node => node.framed") == [3.5, -0.5, True]
    expect(page.get_by_text("Selected nDCG@10")).to_be_visible()
    settle(page)
    page.mouse.click(*corner(0.9))
    page.wait_for_url(re.compile(r"/train\?.*RSRank\.max_iter=5"))
    expect(page.get_by_role("heading", level=1, name="Train")).to_be_visible()


def train_behind_another_tab(page):
    """Train the models of a map; a tab behind another waits until it is seen."""
    # Without a screen, Chromium shows every tab.
    hide = "v => Object.defineProperty(document, 'hidden', {value: v, writable: true})"
    page.evaluate(hide, True)
    page.get_by_role("button", name="Train 25 models").click()
    expect(page.locator(".st-key-study_stop")).to_be_visible()
    # The models are trained in less time, which nothing on the page can tell.
    page.wait_for_timeout(3000)
    expect(page.locator(".st-key-study_stop")).to_be_visible()
    page.evaluate(hide, False)


SHARES = "node => JSON.stringify(node.data[0].x)"
RANGES = """({ data: [{ dimensions }] }) => Object.fromEntries(
    dimensions.map(({ name, constraintrange }) => [name, constraintrange ?? null])
)"""
MIDDLE = """(node, [axis, line]) => {
    const { layout: { width, height, margin }, data: [{ dimensions }] } = node;
    const { x: left, y: top } = node.getBoundingClientRect();
    const step = (width - margin.l - margin.r) / (dimensions.length - 1);
    const shares = [axis, axis + 1].map((at) => {
        const { values, range: [low, high] } = dimensions[at];
        return (high - values[line]) / (high - low);
    });
    const length = height - margin.t - margin.b;
    const down = margin.t + length * (shares[0] + shares[1]) / 2;
    return [left + margin.l + (axis + 0.5) * step, top + down];
}"""


def drag(page, lines, number, start, end):
    """Brush an axis between two shares of its height."""
    axis = lines.locator(".axis-brush").nth(number)
    axis.scroll_into_view_if_needed()
    box = axis.bounding_box()
    across = box["x"] + box["width"] / 2
    page.mouse.move(across, box["y"] + start * box["height"])
    page.mouse.down()
    page.mouse.move(across, box["y"] + end * box["height"], steps=5)
    page.mouse.up()


@pytest.mark.soak
def test_lines_lead_and_are_selected_and_brushed_by_the_pointer(open_page, settle):
    page = open_page(f"{LINK}&map_z=truncation_interval")
    page.get_by_role("button", name="Train 125 models").click()
    expect(page.get_by_text("All 125 models are trained.")).to_be_visible()
    settle(page)
    node = page.locator(".st-key-map .rs-live-figure")
    axes = node.evaluate("({ data: [{ dimensions }] }) => dimensions")
    values = axes[3]["values"]
    worst, best = values.index(min(values)), values.index(max(values))
    curve = page.locator(".st-key-map_curve .rs-live-figure")
    line = page.locator(".st-key-map .rs-line")
    node.scroll_into_view_if_needed()
    expect(line).to_have_attribute("data-line", str(best))

    def middle(number):
        return node.evaluate(MIDDLE, [2, number])

    before = curve.evaluate(CURVE)

    def cell(number):
        at = [str(item["values"][number]) for item in axes[:3]]
        return re.compile("map_cell=" + "(%2C|,)".join(at))

    page.mouse.move(*middle(worst))
    expect(line).to_have_attribute("data-line", str(worst))
    page.wait_for_function(
        "([node, at]) => Array.from(node.data.at(-1).y).join() !== at",
        arg=[curve.element_handle(), before],
    )
    assert "map_cell" not in page.url
    page.mouse.click(*middle(worst))
    page.wait_for_url(cell(worst))
    facts = strip_of(page)
    expect(facts).to_contain_text(f"Selected nDCG@10{values[worst]:.3f}")
    settle(page)
    drag(page, node, 3, 0.03, 0.5)
    page.wait_for_function(
        "node => node.data[0].dimensions[3].constraintrange", arg=node.element_handle()
    )
    low, high = node.evaluate(RANGES)["measure"]
    assert values[worst] < low < values[best] <= high
    # A line that is brushed away cannot be meant.
    page.mouse.move(*middle(worst))
    expect(node).not_to_have_class(re.compile("rs-points"))
    page.mouse.move(*middle(best))
    expect(node).to_have_class(re.compile("rs-points"))
    meant = int(line.get_attribute("data-line"))
    assert low <= values[meant] <= high
    page.mouse.click(*middle(best))
    page.wait_for_url(cell(meant))
    settle(page)
    page.mouse.click(*middle(best))
    page.wait_for_url(re.compile(r"/train\?.*RSRank\.max_iter=5"))


@pytest.mark.soak
def test_the_pointer_is_told_over_empty_cells_only_and_seldom(open_page, settle):
    page, result = open_page(LINK.replace("map_values=5", "map_values=16")), []

    def sent(frame):
        if b"hovered" in (frame if isinstance(frame, bytes) else frame.encode()):
            result.append(time.monotonic())

    page.on("websocket", lambda socket: socket.on("framesent", sent))
    page.reload()
    settle(page)
    page.get_by_role("button", name="Train 256 models").click()
    expect(page.locator(".st-key-study_stop")).to_be_visible()
    area = page.locator(".st-key-map .nsewdrag")
    # The map takes the place of the example as soon as there is a model.
    expect(page.get_by_text(re.compile(r"\b[1-9]\d* of 256 models"))).to_be_visible()
    area.scroll_into_view_if_needed()
    while page.locator(".st-key-study_stop").is_visible():
        box = area.bounding_box()
        for share in (0.3, 0.4, 0.5, 0.6, 0.7):
            x, y = (box[at] + share * box[size] for at, size in SIDES)
            page.mouse.move(x, y)
    assert result
    assert all(later - one > 0.2 for one, later in itertools.pairwise(result))
    expect(page.get_by_text("All 256 models are trained.")).to_be_visible()
    settle(page)
    count = len(result)
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 30)
    expect(page.locator(".st-key-map .hovertext")).to_be_visible()
    assert len(result) == count


@pytest.mark.soak
def test_a_brush_filters_every_figure_and_the_table(open_page, settle):
    page, value = open_page("/"), []

    def sent(frame):
        if b"brushed" in (frame if isinstance(frame, bytes) else frame.encode()):
            value.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", sent))
    page.goto(
        page.url
        + "explore?explore_view=Search&data=toy-3d&search_models=24&search_iterations=5"
    )
    page.get_by_role("button", name="Search with 24 models").click()
    expect(page.get_by_text("All 24 models are trained")).to_be_visible()
    settle(page)
    lines = page.locator(".st-key-search_models .rs-live-figure")
    shares = page.locator(".st-key-search_importance .rs-live-figure")
    points = page.locator(".st-key-search_progress .rs-live-figure").element_handle()
    rows = page.locator("[aria-rowcount]")
    every = shares.evaluate(SHARES)
    expect(rows).to_have_attribute("aria-rowcount", "25")

    # Between two ticks with texts, too.
    drag(page, lines, 1, 0.03, 0.6)
    page.wait_for_function("node => node.data.at(1).selectedpoints", arg=points)
    result = points.evaluate("node => node.data.at(1).selectedpoints")
    ends, places = lines.evaluate(
        "({ data: [{ dimensions }] }) => ["
        " dimensions[1].constraintrange, dimensions[1].values]"
    )
    assert result == [n for n, at in enumerate(places) if ends[0] <= at <= ends[1]]
    assert 8 <= len(result) < 24
    page.wait_for_url(re.compile("search_brush=learning_rate"))
    expect(rows).to_have_attribute("aria-rowcount", str(len(result) + 1))
    words = f"{len(result)} of 24 models, as brushed"
    expect(page.get_by_text(words)).to_have_count(3)
    expect(page.get_by_text("best model of all models, tested once")).to_be_visible()
    settle(page)
    assert shares.evaluate(SHARES) != every
    low, high = lines.evaluate(RANGES)["learning_rate"]
    assert (low, high) == pytest.approx(ends, abs=1e-4)
    # What the server draws is not told again.
    page.wait_for_timeout(800)
    assert len(value) == 1

    drag(page, lines, 0, 0.3, 0.33)
    expect(page.get_by_text("Importance and contours need 8")).to_be_visible()
    assert all(lines.evaluate(RANGES)[name] for name in ("g", "learning_rate"))
    page.reload()
    settle(page)
    expect(page.get_by_text("Importance and contours need 8")).to_be_visible()
    page.get_by_role("button", name="Show all models").click()
    page.wait_for_url(lambda url: "search_brush" not in url)
    expect(rows).to_have_attribute("aria-rowcount", "25")
    expect(shares).to_be_visible()
    page.wait_for_function(
        "([node, every]) => JSON.stringify(node.data[0].x) === every",
        arg=[shares.element_handle(), every],
    )
    assert not any(lines.evaluate(RANGES).values())
