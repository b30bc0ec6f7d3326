"""Lessons in a browser: from step to step, in large type, by keyboard alone."""

import contextlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.ui.lessons import store as lesson_store
from tests.browser.conftest import Watched, serving
from tests.browser.live import expect_drawn, expect_folded

FIRST, SECOND = "1-no-slope", "2-alpha"
SHIPPED = [path.stem for path in sorted(lesson_store.HERE.glob("*.yaml"))]
TEMPLATE = Path(__file__).parents[2] / "pages" / "lessons" / f"{FIRST}.yaml"
PAGES = {n: s.page for n, s in enumerate(lesson_store.find(SECOND).steps, start=1)}
# Every figure is in sight as a whole, above the line of buttons and left of the words.
FITS = """() => {
  const foot = document.querySelector(".st-key-lesson_foot").getBoundingClientRect();
  const words = document.querySelector(".st-key-lesson_slide").getBoundingClientRect();
  const figures = [...document.querySelectorAll(SHOWN)];
  return figures.length > 0 && figures.every(figure => {
    const drawn = figure.getBoundingClientRect();
    return drawn.height > 150 && drawn.bottom <= foot.top && drawn.right <= words.left;
  });
}""".replace(
    "SHOWN", "'.rs-live .main-svg, .rs-live-ranking svg, .st-key-toy, .stDataFrame'"
)

# What is still seen of the page that a closing slide stands on.
BEHIND = """() => {
  const parts = [".st-key-lesson_end", ".st-key-lesson_foot", ".st-key-head"];
  return [...document.querySelectorAll("[data-testid=stMainBlockContainer] *")].filter(
    part => getComputedStyle(part).visibility === "visible" &&
      !parts.some(kept => part.closest(kept))).length;
}"""


def slide(page, number):
    return page.get_by_text(re.compile(rf"step {number} of \d"))


@pytest.mark.soak
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_step_sets_its_page_up_also_after_a_refresh_and_a_change(
    open_page, assert_sound, settle, width, height
):
    page = open_page("/lessons", width=width, height=height)
    starts = page.get_by_role("button", name="Start", exact=True)
    expect(starts).to_have_count(len(SHIPPED))
    page.locator(f".st-key-start_{FIRST} button").click()
    expect(slide(page, 1)).to_be_visible()
    for number in (2, 3, 4):
        page.get_by_role("button", name="Next").click()
        expect(slide(page, number)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Measures")
    expect(page).to_have_url(re.compile(r"alpha=1(&|$)"))

    page.reload()
    settle(page)
    expect(slide(page, 4)).to_be_visible()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text("Up, and at every score")).to_be_visible()
    assert_sound(page)

    page.get_by_role("button", name="Next").click()
    expect(slide(page, 5)).to_be_visible()
    expect(page).to_have_url(re.compile(r"alpha=20(&|$)"))
    settle(page)
    again = page.get_by_role("button", name="Set up again")
    expect(again).to_have_count(0)
    if width < 500:
        expect_folded(page)
        page.get_by_text("Settings", exact=True).click()
    page.get_by_role("slider", name="Sharpness").press("ArrowLeft")
    again.click()
    expect(again).to_have_count(0)
    expect(page).to_have_url(re.compile(r"alpha=20(&|$)"))


@pytest.mark.soak
def test_a_lesson_of_ones_own_is_checked_and_started(open_page):
    page = open_page("/lessons")
    # The figure of the preview is folded, and is not waited for.
    expect_drawn(page)
    chooser = page.locator(".st-key-lesson_upload input[type=file]")
    content = TEMPLATE.read_bytes()
    for sent in (content.replace(b"page: home", b"page: hme", 1), content):
        chooser.set_input_files(
            {"name": "mine.yaml", "mimeType": "text/yaml", "buffer": sent}
        )
        if sent is not content:
            expect(page.get_by_text("mine.yaml, line")).to_be_visible()
    page.get_by_role("button", name="Start the lesson").click()
    expect(slide(page, 1)).to_be_visible()
    expect(page).to_have_url(re.compile("lesson=upload-"))
    page.get_by_role("button", name="Leave").click()
    expect(slide(page, 1)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("lesson"))


def press_until(page, key, sign):
    """Press a key, and again where it came before the page was listening."""
    for _ in range(5):
        page.keyboard.press(key)
        with contextlib.suppress(AssertionError):
            expect(sign).to_be_visible(timeout=8_000)
            return
    expect(sign).to_be_visible()


def presented(open_page, step, **size):
    """Lesson 2 on a projector, from a step on, once its figure is drawn."""
    sizes = {"width": 1280, "height": 720} | size
    page = open_page(f"/{PAGES[step]}?lesson={SECOND}&step={step}&present=1", **sizes)
    expect(slide(page, step)).to_be_visible()
    return page


def assert_fits(page):
    """All of the figure and of the words is in sight."""
    expect_drawn(page)
    page.wait_for_function(FITS)


@pytest.fixture
def open_cold(browser):
    """Open pages of a server that has just been started."""
    with serving() as url:
        watched = Watched(browser, url)
        yield watched
        assert watched.leave() == []


@pytest.mark.soak
def test_a_lesson_is_presented_to_its_end_with_four_keys(open_cold, assert_sound):
    page = presented(open_cold, 1)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    press_until(page, "a", page.locator(".st-key-lesson_answer"))
    assert_fits(page)
    text = page.locator(".st-key-lesson_text").bounding_box()
    for number in range(2, len(PAGES) + 1):
        page.keyboard.press("PageDown")
        expect(slide(page, number)).to_be_visible()
        expect(page.locator(".st-key-lesson_answer")).to_have_count(0)
        assert_fits(page)
        assert page.locator(".st-key-lesson_text").bounding_box() == text

    page.keyboard.press("b")
    expect(page.get_by_label("The screen is blank")).to_be_visible()
    page.keyboard.press("b")
    expect(page.get_by_label("The screen is blank")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.locator(".rs-end")).to_be_visible()
    page.wait_for_function(f"() => ({BEHIND})() === 0")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))
    assert_sound(page)


def test_keys_turn_slides_or_move_what_has_the_focus_and_a_halo_follows_the_mouse(
    open_page,
):
    page = presented(open_page, 1)
    expect_drawn(page)
    press_until(page, "ArrowRight", slide(page, 2))
    page.keyboard.press("Space")
    expect(slide(page, 3)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(slide(page, 2)).to_be_visible()

    halo = page.locator(".halo")
    expect(halo).to_be_hidden()
    page.mouse.move(300, 200)
    page.mouse.move(320, 240)
    expect(halo).to_be_visible()
    box = halo.bounding_box()
    assert box["x"] + box["width"] / 2 == pytest.approx(320, abs=1)
    assert box["y"] + box["height"] / 2 == pytest.approx(240, abs=1)
    expect(halo).to_be_hidden()

    page.keyboard.press("s")
    expect(halo).to_be_visible()
    box = halo.bounding_box()
    assert box["width"] == 260
    assert box["x"] + box["width"] / 2 == pytest.approx(320, abs=1)
    page.mouse.move(420, 240)
    page.keyboard.press("s")
    expect(halo).to_be_hidden()

    page = open_page(f"/measures?lesson={FIRST}&step=5&present=1")
    expect(slide(page, 5)).to_be_visible()
    sharpness = page.get_by_role("slider", name="Sharpness")
    sharpness.press("ArrowLeft")
    expect(page).not_to_have_url(re.compile(r"alpha=20(&|$)"))
    expect(slide(page, 5)).to_be_visible()


@pytest.mark.soak
def test_the_speaker_s_window_follows_the_slides_and_turns_them(open_page):
    page = presented(open_page, 1)
    with page.expect_popup() as opened:
        press_until(page, "n", page.get_by_role("heading", level=1))
    notes = opened.value
    expect(notes.get_by_role("heading", level=1)).to_contain_text("step 1 of 8")
    expect(notes.get_by_role("heading", name="Answer")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(notes.get_by_role("heading", level=1)).to_contain_text("step 2 of 8")
    notes.keyboard.press("PageDown")
    expect(slide(page, 3)).to_be_visible()
    expect(notes.get_by_role("heading", level=1)).to_contain_text("step 3 of 8")
    notes.keyboard.press("b")
    expect(page.get_by_label("The screen is blank")).to_be_visible()
    notes.close()


@pytest.mark.soak
@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_step_fits_on_a_slide_with_its_answer(open_page, name, theme):
    lesson = lesson_store.find(name)
    for number, step in enumerate(lesson.steps, start=1):
        page_name = "" if step.page == "home" else step.page
        link = f"/{page_name}?lesson={name}&step={number}&present=1"
        page = open_page(link, width=1280, height=720, theme=theme)
        press_until(page, "a", page.locator(".st-key-lesson_answer"))
        assert_fits(page)
        words = page.locator(".st-key-lesson_slide")
        more = words.evaluate("box => box.scrollHeight - box.clientHeight")
        assert more == 0, (name, number)


@pytest.mark.soak
def test_figures_grow_with_the_type(open_page):
    def height(link):
        page = open_page(f"/measures?lesson={FIRST}&step=5{link}")
        drawn = page.locator(".js-plotly-plot").first
        expect(drawn).to_be_visible()
        return drawn.bounding_box()["height"]

    assert height("&present=1") > 1.2 * height("")
