"""Train in a browser: it moves, keeps its zoom, survives a refresh, is shared."""

import csv
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from rankcore.data.catalogue import load
from tests.browser.live import Answers, choose, strip_of, wait_for_iteration
from tests.soaking import soak

# Counts the frames that come between two draws of the page.
WATCH = """() => {
  window.frames_seen = { curves: 0, coefficients: 0, ranking: 0 };
  for (const key of Object.keys(frames_seen)) {
    const place = document.querySelector(`.st-key-${key} .rs-live`);
    place.addEventListener("frame", ({ detail }) => {
      if (detail) frames_seen[key] += 1;
    });
  }
}"""
PLANTED = "/train?data=planted&speed=10+steps+a+second"


@pytest.fixture
def open_train(open_page):
    """Open the page at a link, and wait for its figure."""

    def open_drawn(path=PLANTED, **details):
        page = open_page(path, **details)
        chart = drawn(page).locator(".main-svg").first
        expect(chart).to_be_visible()
        return page

    return open_drawn


def iteration(page) -> int:
    return int(page.locator(".rs-facts .rs-number").first.inner_text())


def press(page, key) -> None:
    page.locator(f".st-key-{key} button:visible").first.click()


def expect_button(page, key) -> None:
    expect(page.locator(f".st-key-{key} button:visible").first).to_be_visible()


def drawn(page):
    return page.locator(".st-key-curves .rs-live")


def frames(page) -> int:
    return int(drawn(page).get_attribute("data-frames"))


def wait_for_frames(page, more) -> None:
    page.wait_for_function(
        "least => Number(document.querySelector('.st-key-curves .rs-live')"
        ".dataset.frames) >= least",
        arg=frames(page) + more,
    )


def curve(page, name, passes) -> list[float]:
    """The values drawn of a curve, once there are those of so many passes."""
    return page.wait_for_function(
        "([name, passes]) => {"
        "  const traces = document.querySelector('.st-key-curves .rs-live')._fullData;"
        "  const y = traces.find(trace => trace.name === name)?.y;"
        "  return y?.length > passes && Array.from(y);"
        "}",
        arg=[name, passes],
    ).json_value()


def x_range(page) -> list[float]:
    chart = ".st-key-curves .rs-live"
    return page.evaluate(f"document.querySelector('{chart}').layout.xaxis.range")


def zoom(page) -> None:
    """Drag over the middle of the upper panel."""
    box = drawn(page).bounding_box()
    middle = box["y"] + box["height"] / 4
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "document.querySelector('.st-key-curves .rs-live').layout.xaxis.range[0] > 0"
    )


def test_figures_stay_when_a_run_begins_that_none_stands_for(open_train):
    page = open_train("/train?data=toy-2d")
    expect(page.get_by_text("Press Play (P) to start.")).to_be_visible()
    drawn(page).evaluate("figure => { figure.dataset.before = ''; }")
    press(page, "play")
    wait_for_iteration(page, 1)
    expect(drawn(page)).to_have_attribute("data-before", "")


@pytest.mark.parametrize(
    ("width", "height", "theme"), [(1440, 900, "light"), soak(390, 844, "dark")]
)
def test_pressing_play_moves_ndcg(open_train, assert_sound, width, height, theme):
    page = open_train("/train", width=width, height=height, theme=theme)
    expect(page.locator(".st-key-transport")).to_contain_text("Example")
    expect(drawn(page)).to_have_attribute("aria-label", re.compile("finished"))
    press(page, "play")
    wait_for_iteration(page, 5)
    expect(page.get_by_text("Running.")).to_be_visible()
    # Figures move between two draws of the page.
    page.evaluate(WATCH)
    page.wait_for_function("() => Math.min(...Object.values(frames_seen)) >= 3")

    press(page, "pause")
    expect_button(page, "play")
    expect(drawn(page)).to_have_attribute("aria-label", re.compile("paused"))
    expect(page.locator(".st-key-transport")).to_contain_text("Paused.")
    if width == 1440:
        assert drawn(page).bounding_box()["y"] < 260
    expect(strip_of(page)).to_contain_text(re.compile(r"best 0\.\d+ at \d+"))
    ndcg = curve(page, "training", 5)
    assert ndcg[-1] > ndcg[0]
    assert_sound(page)


@pytest.mark.soak
def test_a_hundred_steps_are_a_hundred_passes(open_train):
    page = open_train("/train?data=planted&speed=as+fast+as+it+goes")
    for passes in (100, 200):
        page.get_by_role("button", name="+100").click()
        wait_for_iteration(page, passes)
        expect(page.get_by_text("Paused.")).to_be_visible()
        assert iteration(page) == passes


@pytest.mark.soak
def test_zoom_is_kept_while_it_runs(open_train):
    page = open_train()
    press(page, "play")
    wait_for_iteration(page, 3)
    zoom(page)
    chosen = x_range(page)
    wait_for_frames(page, 5)

    assert x_range(page) == chosen
    press(page, "pause")
    expect_button(page, "play")
    assert x_range(page) == chosen


@pytest.mark.soak
def test_a_control_changes_a_run_for_all_who_watch_it(open_train, open_page, settle):
    slow = "/train?data=planted&speed=2+steps+a+second&RSRank.max_iter=5000"
    page = open_train(slow)
    press(page, "play")
    wait_for_iteration(page, 3)
    expect(page).to_have_url(re.compile("job="))
    other = open_train(page.url.removeprefix(open_page.url), apart=True)
    page.get_by_role("slider", name="Sparsity").press("ArrowRight")
    for browser in (page, other):
        expect(browser).to_have_url(re.compile("changes=[0-9]+%3Ag%3D0.025"))
        expect(browser.get_by_role("slider", name="Sparsity")).to_have_attribute(
            "aria-valuetext", "0.025"
        )
        expect(drawn(browser)).to_have_attribute(
            "aria-label", re.compile("g 0 → 0.025 after [0-9]+")
        )
    assert "RSRank.g=" not in page.url

    page.get_by_text("More settings").click()
    page.get_by_label("Seed", exact=True).locator("visible=true").last.fill("5")
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("button", name="Continue with the new settings")
    ).to_be_visible()
    expect_button(page, "pause")
    page.get_by_role("button", name="Continue with the new settings").click()
    expect(page).to_have_url(re.compile("RSRank.g=0.025"))
    press(page, "pause")
    expect_button(page, "play")
    settle(page)


@pytest.mark.soak
def test_looking_back_shows_the_ranking_of_then(open_train):
    page = open_train()
    ranking = page.locator(".st-key-ranking .rs-live")
    expect(ranking).to_have_attribute("data-order", re.compile("d1 "))
    before = ranking.get_attribute("data-order")
    press(page, "step_10")
    wait_for_iteration(page, 10)
    expect(ranking).not_to_have_attribute("data-order", before)

    page.get_by_role("slider", name="Replay: iteration").press("Home")
    expect(page.locator(".rs-facts .rs-number").first).to_have_text("0")


@pytest.mark.soak
def test_a_query_that_is_found_stays_though_the_answer_is_late(open_page, settle):
    page = open_page("/", apart=True)
    answers = Answers(page)
    page.goto(open_page.url + PLANTED + "&query=3")
    settle(page)
    press(page, "play")
    wait_for_iteration(page, 2)
    answers.hold()
    press(page, "weakest")
    # Meanwhile the page asks for itself again and again, with the query from before.
    page.wait_for_timeout(1000)
    answers.let_go()
    box = page.locator(".st-key-which_query input:visible")
    third = load("planted").train.query(2).name
    expect(box).not_to_have_value(third)
    press(page, "pause")
    expect(page.get_by_text("Paused.")).to_be_visible()

    heading = page.locator(".rs-heading", has_text="model → ideal")
    name = re.match(r"Q(uery \S+)", heading.inner_text())[1]
    expect(box).to_have_value(f"q{name}")
    expect(box).not_to_have_value(third)


def test_a_run_is_explained_outlasts_another_page_and_its_model_is_downloaded(
    open_train, settle
):
    page = open_train()
    titles = page.locator(".st-key-curves .modebar-btn").evaluate_all(
        "buttons => buttons.map(button => button.dataset.title)"
    )
    assert titles
    assert not [title for title in titles if "loud" in title or "hare" in title]
    page.locator(".st-key-explain summary").click()
    panel = page.locator(".st-key-explain")
    expect(panel.locator(".katex").first).to_be_visible()
    expect(panel.get_by_text("Paper: Z. Sun")).to_be_visible()
    panel.get_by_role("tab", name="The measure").click()
    expect(panel.get_by_text("Normalised discounted cumulative gain")).to_be_visible()

    press(page, "step_10")
    wait_for_iteration(page, 10)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Data").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Data")
    settle(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Train").click()

    wait_for_iteration(page, 10)
    expect(page).to_have_url(re.compile("job="))
    settle(page)
    press(page, "export_model")
    choose(
        page, page.locator(".st-key-export_format").get_by_role("combobox"), "Solr LTR"
    )
    expect(page.get_by_text("LinearModel").first).to_be_visible()
    # A click on what a run is about to replace is lost.
    settle(page)
    with page.expect_download() as download:
        press(page, "model_file")

    content = json.loads(Path(download.value.path()).read_text())
    assert content["class"].endswith("LinearModel")
    assert len(content["params"]["weights"]) == 45
    with page.expect_download() as download:
        press(page, "model_check")
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    weights = content["params"]["weights"]
    for row in rows:
        terms = [weight * float(row[name]) for name, weight in weights.items()]
        assert sum(terms) == pytest.approx(float(row["score"]), abs=1e-12)
    assert len(rows) == 10


@pytest.mark.soak
def test_frames_a_second_while_training(open_train, record_property):
    page = open_train()
    press(page, "play")
    wait_for_frames(page, 3)
    began, before = page.evaluate("performance.now()"), frames(page)
    wait_for_frames(page, 10)
    seconds = (page.evaluate("performance.now()") - began) / 1000

    record_property("frames a second", (frames(page) - before) / seconds)
    assert frames(page) > before
