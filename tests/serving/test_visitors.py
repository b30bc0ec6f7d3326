"""Several people on one server: whose is what, what is shared, what is told."""

import asyncio
import json
import logging
import random
import statistics
import sys
import time
import urllib.request
from collections import defaultdict
from pathlib import Path

import pytest
from starlette.requests import Request
from streamlit import get_option

from pages.ui.data.datasets import load
from pages.ui.serving import memory
from pages.ui.serving.health import answer as answered
from pages.ui.serving.visitor import COOKIE, digest
from rankcore.algorithms import get_algorithm
from rankcore.studies.store import open_store
from rankcore.training import drive
from rankcore.views import past
from tests.browser.conftest import serving
from tests.serving.conftest import NOWHERE
from tests.streamlit_client import Visitor, cookie_of, run

LOG = logging.getLogger(__name__)
# Of visitors who are not one person.
PROXIED = {"X-Forwarded-For": "127.0.0.1"}
LINK = "data=planted&algorithm=RSRank&RSRank.max_iter=10"
PAGES = {
    "": "",
    "train": LINK,
    "measures": "",
    "sparsity": "data=planted",
    "approximation": "",
    "margins": "",
    "cones": "",
    "reduction": "",
    "clicks": "data=toy-2d&click_sessions=250",
    "explore": "data=planted&map_values=3&map_iterations=10",
    "compare": "data=planted&compared_values=2&compared_seeds=1&compared_limit=10",
    "inspect": "data=planted",
    "runs": "",
    "papers": "",
    "data": "data=planted",
    "lessons": "",
}
# Keys of the buttons that people press there, in between.
PRESSED = {
    "train": ("play",),
    "explore": ("study_start", "study_stop"),
    "compare": ("study_start", "look_at_test", "no_test", "study_stop"),
    "inspect": ("undo_edits", "inspect_remedy", "reset"),
    "runs": ("runs_first", "runs_delete", "runs_restore", "runs_clear", "runs_pin"),
    "papers": ("papers_run", "reset"),
}


def answer(url, path="/", **headers):
    return urllib.request.urlopen(urllib.request.Request(url + path, headers=headers))


def health(url):
    with answer(url, "/healthz") as result:
        assert result.status == 200
        return json.load(result)


def test_each_browser_has_a_cookie_of_its_own(url):
    first, second = cookie_of(url), cookie_of(url)
    assert first.startswith(f"{COOKIE}=")
    assert first != second
    with answer(url, Cookie=first) as again:
        renewed = again.headers["Set-Cookie"]
    assert renewed.partition(";")[0] == first
    for part in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in renewed
    assert "Secure" not in renewed
    with answer(url, Cookie=f"{COOKIE}=chosen-by-another-page") as result:
        assert "chosen" not in result.headers["Set-Cookie"]
    with answer(url, **{"X-Forwarded-Proto": "https"}) as behind_a_proxy:
        assert behind_a_proxy.headers["Set-Cookie"].endswith("; Secure")
    with answer(url, "/healthz") as watched:
        assert watched.headers["Set-Cookie"] is None


def test_a_late_request_of_the_page_before_leaves_the_opened_page_in_sight(url):
    """As of a timer, while the server goes on to another page."""

    async def late():
        async with Visitor(url, "sparsity", "data=planted") as visitor:
            before = visitor.shown
            visitor.page, visitor.query = "cones", ""
            await visitor.act("open", None)
            opened = visitor.shown
            assert opened != before
            fragments = {fragment for _, _, fragment in visitor.elements.values()}
            for fragment in sorted(fragments - {""}):
                visitor.page, visitor.names = "", before
                await visitor.act("late", None, fragment)
                async with asyncio.timeout(60):
                    while visitor.shown != opened or "Cones" not in titles(visitor):
                        await asyncio.sleep(0.05)
            assert visitor.faults == []

    run(late())


def titles(visitor):
    return [element.body for element, _ in visitor.widgets("heading")]


async def trained(visitor):
    """The id of a run that a visitor has trained to its end."""
    await visitor.press("Play")
    async with asyncio.timeout(120):
        while "Finished" not in str(visitor.elements) or "job=" not in visitor.query:
            await visitor.rest(0.2)
    (job,) = (p for p in visitor.query.split("&") if p.startswith("job="))
    return job.removeprefix("job=")


def test_a_run_is_its_visitor_s_and_shared_by_its_link(url, store_url, folder):
    async def both():
        first, second = cookie_of(url), cookie_of(url)
        async with Visitor(url, "train", LINK, first) as visitor:
            key = await trained(visitor)
        async with Visitor(url, "train", f"job={key}", second) as guest:
            await guest.rest(0.5)
            assert f"job={key}" in guest.query
            assert "Finished" in str(guest.elements)
        assert visitor.faults == guest.faults == []
        tokens = (c.removeprefix(f"{COOKIE}=").split(".")[0] for c in (first, second))
        return key, *map(digest, tokens)

    key, first, second = run(both())
    with open_store(store_url) as store:
        assert store.load(key).visitor == first
        assert list(store.runs(visitor=first).index) == [key]
        assert list(store.runs(visitor=second).index) == []
    everything = (folder / "events.jsonl").read_text()
    values = [json.loads(line) for line in everything.splitlines()]
    assert {"request", "connection", "drawn", "job ended"} <= {
        e["event"] for e in values
    }
    (ended,) = (e for e in values if e["event"] == "job ended")
    assert (ended["state"], ended["visitor"]) == ("finished", first[:8])
    assert ended["seconds"] > 0
    # Neither a cookie nor a link, which anybody could use.
    assert key not in everything
    assert first not in everything


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({}, "RSRank, maximum iterations = 2"),
        (PROXIED, "No runs in this browser yet"),
    ],
)
def test_on_this_computer_another_browser_finds_the_runs(
    url, store_url, headers, found
):
    """But for one that comes through a proxy, whatever that says."""
    data = load("toy-2d")
    with open_store(store_url) as store:
        hers = drive(get_algorithm("RSRank")(max_iter=2), data.train, data.valid)
        with store.recording(hers, visitor="her"):
            list(hers)

    async def visit():
        async with Visitor(url, "runs", "", cookie_of(url), headers) as visitor:
            assert visitor.faults == []
            assert found in str(visitor.elements)

    run(visit())


# No database listens there.
NO_STORE = "postgresql://me:secret@127.0.0.1:9/x"


def check_without_store(told):
    assert told["status"] == "ok"
    assert told["runs"] == "not kept"
    assert "secret" not in str(told)


def test_the_health_is_told_without_secrets(url, monkeypatch):
    assert health(url)["runs"] == "kept"
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", NO_STORE)
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    check_without_store(json.loads(answered(Request({"type": "http"})).body))


@pytest.mark.soak
def test_a_server_without_a_store_tells_its_health_without_secrets():
    with serving(RANKSCOPE_DATABASE_URL=NO_STORE) as address:
        check_without_store(health(address))


def test_without_a_home_the_app_works_and_says_that_runs_are_not_kept(contained):
    async def train():
        async with Visitor(contained, "train", LINK, cookie_of(contained)) as visitor:
            await trained(visitor)
        return visitor

    visitor = run(train())
    assert health(contained)["runs"] == "not kept"
    assert visitor.faults == []
    (result,) = visitor.toasts
    assert result.startswith("Runs are not kept after a restart: No such file")
    assert NOWHERE not in result


async def visits(url, count, seconds, think=(0.2, 1.5), first=0):
    """Sessions that do things for some seconds, each as a person on one page, with so
    many seconds between two things; those of other numbers do other things."""

    async def visit(number):
        rng = random.Random(number)
        page = [*PAGES][number % len(PAGES)]
        await asyncio.sleep(rng.uniform(0, min(seconds / 4, 10)))
        who = cookie_of(url)
        async with Visitor(url, page, PAGES[page], who, PROXIED) as visitor:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                pressed = rng.choice(PRESSED.get(page, ("",)))
                eager = page == "train" or rng.random() < 0.3
                if not (pressed and eager and await visitor.press(pressed)):
                    await visitor.wander(rng)
                await visitor.rest(rng.uniform(*think))
        return visitor

    numbers = range(first, first + count)
    return await asyncio.gather(*(visit(number) for number in numbers))


def check_visits(visitors, folder):
    """Nobody has met an error; return the seconds of actions in order. How long each
    kind of action took goes to the log."""
    events = (folder / "events.jsonl").read_text().splitlines()
    assert [line for line in events if '"error"' in line] == []
    seconds = defaultdict(list)
    for visitor in visitors:
        assert visitor.faults == [], (visitor.page, visitor.query)
        for name, spent in visitor.seconds:
            seconds[name].append(spent)
    for name, spent in sorted(seconds.items()):
        worst = sorted(spent)[int(0.95 * (len(spent) - 1))]
        LOG.info(
            "%-14s %5d times, median %4.0f ms, one in twenty over %4.0f ms",
            name,
            len(spent),
            1e3 * statistics.median(spent),
            1e3 * worst,
        )
    # Timers are nobody's actions.
    return sorted(
        s for name, result in seconds.items() if name != "timer" for s in result
    )


def test_several_visitors_at_once_meet_no_error(url, folder):
    check_visits(run(visits(url, 3, 5.0)), folder)


def keep_runs(store_url):
    """Runs that are everybody's, to find, delete and compare."""
    splits = load("planted")
    with open_store(store_url) as store:
        for name in ("RSRank", "ListNet", "RankBoost"):
            run = drive(get_algorithm(name)(max_iter=10), splits.train, splits.valid)
            with store.recording(run, settings={"data": "planted"}):
                list(run)


def resident(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (result,) = (line for line in lines if line.startswith("VmRSS"))
    return int(result.split()[1]) / 1024


def server_of(url):
    """The process that listens there."""
    port = f"--server.port={url.rpartition(':')[2]}"
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        if port in path.read_bytes().decode().split("\0"):
            return int(path.parent.name)
    raise AssertionError(port)


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_thirty_visitors_are_answered_in_time_and_take_little_memory(
    url, store_url, folder
):
    """The capacity that the guide to serving names, on two cores with nothing else
    to do."""
    keep_runs(store_url)
    # What is loaded once for all, such as pages, kernels and data, is no visitor's.
    run(visits(url, 30, 60.0))
    server = server_of(url)
    before = resident(server)
    training = run(visits(url, 30, 120.0, think=(1.5, 4.5), first=30))
    after = resident(server)
    seconds = check_visits(training, folder)
    time.sleep(get_option("server.disconnectedSessionTTL") + 2 * memory.EVERY_SECONDS)
    LOG.info(
        "median %.2f s, one in twenty over %.2f s; %.1f MB a session, %.0f MB in all, "
        "%.0f MB when they have gone",
        median := statistics.median(seconds),
        late := seconds[int(0.95 * len(seconds))],
        (after - before) / 30,
        after,
        gone := resident(server),
    )
    assert median < 1.5
    assert late < 4.0
    assert after - before < 30 * 5.0
    assert gone < after
