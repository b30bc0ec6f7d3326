"""The server is killed while a run plays: its link shows what was kept, and goes on."""

import contextlib
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from rankcore.studies.store import open_store
from tests.browser.conftest import PATIENCE
from tests.browser.live import wait_for_iteration

A_SECOND = 30
LONG = "RSRank.g=0.5&RSRank.max_iter=5000"
SETTINGS = f"data=planted&seed=7&{LONG}&speed={A_SECOND}+iterations%2Fs"


def iteration(page) -> int:
    return int(page.locator(".rs-facts .rs-number").first.inner_text())


def press(page, key) -> None:
    page.locator(f".st-key-{key} button:visible").first.click()


@pytest.mark.soak
def test_a_killed_server_loses_nothing_of_a_run_that_was_kept(app, open_page):
    page = open_page(f"/train?{SETTINGS}")
    press(page, "play")
    expect(page).to_have_url(re.compile("job="))
    link = page.url
    (job,) = parse_qs(urlsplit(link).query)["job"]
    with open_store() as store:
        for _ in range(PATIENCE // 100):
            # The address may name the run a moment before the store has it.
            with contextlib.suppress(KeyError):
                if store.load(job).iterations >= A_SECOND:
                    break
            page.wait_for_timeout(100)
        app.kill()
        try:
            # The page shows the last model that is kept, of 40 at most and the best.
            done = max(store.load(job).models().values())
        finally:
            app.start()
    assert done >= A_SECOND
    # The page complained that there was no server.
    open_page.leave()
    page = open_page(link.removeprefix(app.url))

    expect(page.get_by_text("The server was restarted while")).to_be_visible()
    expect(page.locator(".rs-facts .rs-number").first).to_have_text(str(done))
    assert page.get_by_label("Seed", exact=True).first.input_value() == "7"
    before = iteration(page)
    press(page, "go_on")
    wait_for_iteration(page, before + 1)
    expect(page.get_by_text("The server was restarted while")).to_have_count(0)
    press(page, "pause")
    expect(page.get_by_text("Paused.")).to_be_visible()
