"""The Runs page in a browser: runs are found, named, deleted, and opened after a
restart of the server."""

import pytest
from playwright.sync_api import expect

from rankcore.algorithms.rank_svm import RankSVM
from rankcore.algorithms.rsrank import RSRank
from rankcore.data.catalogue import load_dataset
from rankcore.studies.store import open_store
from rankcore.training import drive
from tests.browser.conftest import Watched, assert_sound, serving, settle


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A store with three runs, two of one algorithm."""
    file = tmp_path_factory.mktemp("runs") / "runs.sqlite"
    data, url = load_dataset("planted"), f"sqlite:///{file}"
    with open_store(url) as store:
        for model in (RankSVM(max_iter=3), RSRank(max_iter=8), RSRank(max_iter=12)):
            run = drive(model, data.train, data.valid)
            with store.recording(run, title=f"{model.title}, {model.max_iter}"):
                list(run)
    return url


def keys(address):
    """The ids by title."""
    with open_store(address) as store:
        return {title: key for key, title in store.runs()["title"].items()}


def expect_rows(page, count):
    """Wait until the table has so many runs; its head is a row too."""
    table = page.get_by_test_id("stDataFrame").first.locator("table")
    expect(table).to_have_attribute("aria-rowcount", str(count + 1))


def write(page, label, text):
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    settle(page)


@pytest.mark.soak
def test_runs_are_found_named_deleted_and_opened_after_a_restart(browser, address):
    chosen = keys(address)["RSRank, 8"]
    with serving(RANKSCOPE_DATABASE_URL=address) as url:
        watched = Watched(browser, url)
        page = watched("/runs")
        assert_sound(page)
        expect_rows(page, 3)
        page.get_by_label("Search runs", exact=True).fill("RankSVM")
        page.get_by_label("Search runs", exact=True).press("Enter")
        expect(page.get_by_text("1 run found")).to_be_visible()
        expect_rows(page, 1)

        page = watched(f"/runs?runs_chosen={chosen}")
        write(page, "Title", "Kept for the paper")
        write(page, "Tags", "paper, short")
        write(page, "Note", "Eight iterations are enough.")
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("2 runs kept")).to_be_visible()
        expect_rows(page, 2)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("3 runs kept")).to_be_visible()
        assert watched.leave() == []

    with serving(RANKSCOPE_DATABASE_URL=address) as url:
        watched = Watched(browser, url)
        page = watched(f"/runs?runs_chosen={chosen}&runs_search=enough")
        expect(page.get_by_label("Title", exact=True)).to_have_value(
            "Kept for the paper"
        )
        expect(page.get_by_label("Tags", exact=True)).to_have_value("paper, short")
        expect_rows(page, 1)
        write(page, "Iteration to open", "5")
        page.get_by_role("link", name="Open at iteration 5").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Train")
        settle(page)
        replay = page.get_by_role("slider", name="Replay: iteration")
        expect(replay).to_have_value("5")
        expect(page.get_by_text("Finished.")).to_be_visible()
        assert_sound(page)
        assert watched.leave() == []


def test_choices_above_the_runs_are_read_on_a_phone(open_page):
    page = open_page("/runs", width=390, height=844)
    box = page.locator(".st-key-page_runs [data-testid=stSelectbox] input").first
    expect(box).to_have_value("All algorithms")
    assert box.bounding_box()["width"] > 200
