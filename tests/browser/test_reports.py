"""Reports in Chromium, without a network: figures, themes, sliders, no complaint."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from pages.ui.away import links, reports
from pages.ui.lessons import store
from rankcore import RSRank, load_dataset
from rankcore.data.catalogue import Splits
from rankcore.reports.page import script_beside
from rankcore.studies.store import open_store
from rankcore.training import Stop, drive

# Of each file of a site, plotly.js among them.
MOST_BYTES = 3_000_000
# Pixels that a sheet of A4 has room for between its margins.
PAPER = 718


@contextmanager
def offline(browser, path, theme="light"):
    """A page of a file; nothing may go wrong, and nothing be asked of a network."""
    context = browser.new_context(
        offline=True, color_scheme=theme, viewport={"width": 1280, "height": 800}
    )
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda said: wrong.append(said.text) if said.type == "error" else None,
    )
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith(("file:", "data:", "blob:"))
            else wrong.append(asked.url)
        ),
    )
    page.goto(path.as_uri())
    yield page
    context.close()
    assert not wrong


def all_drawn(page, theme="light"):
    # Parts of components may be called the same.
    count = page.locator("css:light=.plot").count()
    expect(
        page.locator(f'.plot[data-drawn="{theme}"] svg.main-svg').first
    ).to_be_visible()
    expect(page.locator(f'.plot[data-drawn="{theme}"]')).to_have_count(count)
    return count


def colour(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_a_view_follows_the_reader_s_theme_without_a_network(browser, tmp_path):
    path = tmp_path / "view.html"
    path.write_text(reports.report("margins?margin_source=by+hand"), "utf-8")
    with offline(browser, path) as page:
        assert all_drawn(page) == 5
        light = colour(page)
        page.emulate_media(color_scheme="dark")
        all_drawn(page, "dark")
        assert colour(page) != light
        with page.expect_download() as taken:
            page.locator("summary", has_text="Data: Three orders").click()
            page.get_by_role("link", name="Save as CSV").locator("visible=true").click()
        assert taken.value.suggested_filename == "three-orders.csv"
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("link", "part", "most"),
    [("measures", ".main-svg", 1_000_000), ("cones?cone_size=3-D", "canvas", 3e6)],
)
def test_a_file_has_what_draws_its_figures(browser, tmp_path, link, part, most):
    path = tmp_path / "view.html"
    path.write_text(reports.report(link), "utf-8")
    assert path.stat().st_size < most
    with offline(browser, path) as page:
        all_drawn(page)
        expect(page.locator(f".plot {part}").first).to_be_visible()


def test_the_report_of_a_run_goes_back_through_its_iterations(browser, tmp_path):
    train, valid, _ = load_dataset("toy-2d")
    with open_store(f"sqlite:///{tmp_path / 'own.sqlite'}", quiet=True) as store:
        run = drive(RSRank(), train, valid, stop=Stop(12), measures=("nDCG@5",))
        with store.recording(run) as recorder:
            list(run)
        result = store.load(recorder.id)
        path = tmp_path / "run.html"
        path.write_text(reports.stored_run(result, Splits(train, valid)), "utf-8")
    with offline(browser, path) as page:
        all_drawn(page)
        fact = page.locator(".facts dd").first
        expect(fact).to_contain_text("12")
        page.get_by_role("slider").fill("4")
        expect(fact).to_contain_text("4")
        expect(page.locator(".slider output")).to_have_text("4")
        all_drawn(page)


def test_the_ranking_of_the_home_page_moves_in_its_report(browser, tmp_path):
    path = tmp_path / "home.html"
    path.write_text(reports.report("home?weight=0.51"), "utf-8")
    with offline(browser, path) as page:
        value = page.locator(".component strong")
        expect(value).to_have_text("1.000")
        page.get_by_role("slider").fill("0")
        expect(value).not_to_have_text("1.000")


@pytest.mark.soak
def test_a_lesson_in_the_frame_of_a_course_page_works_without_a_network(
    browser, tmp_path
):
    lesson = store.find("1-no-slope")
    path = tmp_path / "lesson.html"
    path.write_text(reports.report(f"home?lesson={lesson.name}", seconds=2), "utf-8")
    course = tmp_path / "course.html"
    course.write_text(
        "<!doctype html><title>Course</title><h1>Week 3</h1>"
        '<iframe src="lesson.html" title="Lesson" width="1000" height="700"></iframe>'
    )
    with offline(browser, course) as page:
        inside = page.frame_locator("iframe")
        expect(inside.locator("h1")).to_have_text(lesson.title)
        assert all_drawn(inside) > 0
        for step in (1, len(lesson.steps)):
            locator = inside.locator(f"#part{step} .asked")
            expect(locator).to_contain_text(lesson.steps[step - 1].question)
        toy = inside.locator(".component").first
        value = toy.locator("strong")
        expect(value).not_to_have_text("1.000")
        toy.get_by_role("slider").fill("0.51")
        expect(value).to_have_text("1.000")


@pytest.mark.soak
def test_a_lesson_s_answer_is_drawn_when_it_is_unfolded(browser, tmp_path):
    path = tmp_path / "lesson.html"
    path.write_text(reports.lesson("14-certificate", seconds=2), "utf-8")
    with offline(browser, path) as page:
        all_drawn(page)
        step = page.locator("#part1")
        expect(step.locator(".slider output")).to_have_text("0")
        expect(step.locator(".facts")).to_have_count(0)
        step.locator("summary", has_text="Answer").click()
        expect(step.locator(".slider output")).to_have_text("1")
        expect(step.locator(".facts")).to_be_visible()
        step.get_by_role("slider").fill("3")
        expect(step.locator(".slider output")).to_have_text("3")
        expect(step.locator(".facts")).to_be_visible()
        step.locator("summary", has_text="Answer").click()
        expect(step.locator(".facts")).to_have_count(0)


def test_answers_are_unfolded_on_paper(browser, tmp_path):
    """With the figures that belong to them; afterwards they are as they were."""
    path = tmp_path / "lesson.html"
    path.write_text(reports.lesson("14-certificate", seconds=2), "utf-8")
    with offline(browser, path) as page:
        all_drawn(page)
        open_answers = page.locator(".asked details[open]")
        page.locator("#part2 summary", has_text="Answer").click()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert open_answers.count() == len(store.find("14-certificate").steps)
        assert page.locator("#part1 .facts").count() == 1
        widths = page.locator(".plot .main-svg:first-child").evaluate_all(
            "all => all.map((svg) => svg.getBoundingClientRect().width)"
        )
        assert max(widths) < PAPER
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert open_answers.count() == 1
        expect(page.locator("#part1 .facts")).to_have_count(0)
        widest = page.locator(".plot").evaluate_all(
            "all => Math.max(...all.map((plot) => plot.scrollWidth))"
        )
        assert widest > PAPER


def test_reports_of_a_folder_are_drawn_with_the_script_they_share(browser, tmp_path):
    (tmp_path / reports.SCRIPT).write_text(script_beside(), "utf-8")
    opened = links.opened("measures?ranking=A2-B0-C1")
    for name in ("a", "b"):
        shown = reports.as_html(reports.part(opened), reports.SCRIPT)
        (tmp_path / f"{name}.html").write_text(shown, "utf-8")
    for name in ("a", "b"):
        with offline(browser, tmp_path / f"{name}.html") as page:
            assert all_drawn(page)


@pytest.mark.soak
def test_every_page_of_a_site_opens_without_a_network_and_is_small(browser, tmp_path):
    folder = tmp_path / "site"
    written = list(reports.site(folder, seconds=5))
    assert (folder / "index.html") in written
    sizes = {path.name: path.stat().st_size for path in written}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}
    with offline(browser, folder / "index.html") as page:
        result = page.locator(".gallery a").evaluate_all(
            "all => all.map((a) => a.href)"
        )
        pictures = page.locator(".gallery img")
        for at in range(pictures.count()):
            pictures.nth(at).scroll_into_view_if_needed()
            expect(pictures.nth(at)).not_to_have_js_property("naturalWidth", 0)
    assert len(result) == len([path for path in written if path.suffix == ".html"]) - 1
    drawn = 0
    for name in (link.rpartition("/")[2] for link in result):
        with offline(browser, folder / name) as page:
            if page.locator("css:light=.plot").count():
                drawn += all_drawn(page)
    assert drawn > len(result)
