"""A running app and a real browser, which complains about all that goes wrong."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# The first run on a machine compiles its kernels, and cannot be stopped meanwhile.
PATIENCE = 120_000

expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(url: str, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + 2 * PATIENCE / 1000
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(f"The server ended with code {server.returncode}.")
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5),
        ):
            return
        time.sleep(0.2)
    pytest.fail("The server did not answer within four minutes.")


def started(port: int, module: str = "streamlit", **environment: str):
    """The process of an app that answers; ``module`` takes the arguments of Streamlit's
    command."""
    command = [sys.executable, "-m", module, "run", "server.py"]
    options = [f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", server)
    except BaseException:
        server.kill()
        raise
    return server


@contextlib.contextmanager
def serving(module: str = "streamlit", **environment: str):
    """The address of an app that runs as long as this is open."""
    port = free_port()
    server = started(port, module, **environment)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(10)
        server.kill()


@contextlib.contextmanager
def chromium():
    """Chromium, or a failure that says how to get it."""
    path = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), ""
    )
    if not path:
        pytest.fail(
            "The browser tests need Chromium: install it with `apt-get install "
            "chromium`, or name one in the environment variable CHROMIUM."
        )
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield started
        started.close()


class App:
    """An app that can be killed and started again at its address."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.server = started(self.port)

    def kill(self) -> None:
        self.server.kill()
        self.server.wait()


@pytest.fixture(scope="session")
def app():
    """An app started for these tests."""
    running = App()
    yield running
    running.server.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.server.wait(10)
    running.kill()


@pytest.fixture(scope="session")
def browser():
    """Chromium, one for all tests."""
    with chromium() as started:
        yield started


class Watched:
    """Opens pages in one tab, which knows their scripts; keeps what goes wrong."""

    def __init__(self, browser, url: str) -> None:
        self.browser, self.url = browser, url
        self.tab = self._new_tab()
        self.others: list = []
        self.faults: list[str] = []

    def __call__(
        self,
        path: str = "/",
        *,
        width=1440,
        height=900,
        theme="light",
        motion="no-preference",
        apart=False,
    ):
        """A page at ``path``, once its title is drawn and no run is under way.

        It takes the place of the page before, unless it is to be ``apart``, in a
        browser of its own.
        """
        page = self.tab
        if apart:
            page = self._new_tab()
            self.others.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme, reduced_motion=motion)
        page.mouse.move(0, 0)
        page.goto(self.url + path)
        settle(page)
        return page

    def leave(self) -> list[str]:
        """Close what is open; what went wrong since the last time."""
        for page in self.others:
            page.context.close()
        self.others.clear()
        if self.tab.url.startswith(self.url):
            self.tab.evaluate("localStorage.clear()")
        self.tab.goto("about:blank")
        faults, self.faults = self.faults, []
        return faults

    def _new_tab(self):
        page = self.browser.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._request)
        return page

    def _console(self, message) -> None:
        if message.type == "error":
            self.faults.append(f"{message.text} ({message.location.get('url', '')})")

    def _request(self, request) -> None:
        local = (
            self.url,
            self.url.replace("http", "ws", 1),
            "data:",
            "blob:",
            "about:",
        )
        if not request.url.startswith(local):
            self.faults.append(f"a request left the machine: {request.url}")


# No run of the script, and no figures asked for before one, seen twice: between the two
# it takes a moment until the browser knows of the run.
CALM = """() => {
  const calm = document.querySelector("[data-test-script-state=notRunning]")
    && !document.documentElement.hasAttribute("data-figures-asked");
  window.calmFor = calm ? (window.calmFor ?? 0) + 1 : 0;
  if (window.calmFor < 2) return false;
  window.calmFor = 0;
  return true;
}"""


def settle(page) -> None:
    """Wait until the script has run through and all that it says is drawn.

    The browser may get the program for one kind of element, such as the page's style,
    later than that for another.
    """
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_function(CALM, polling=40)
    expect(page.locator("[data-test-script-state=notRunning]")).to_have_count(1)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


@pytest.fixture(scope="session")
def watched(browser, app):
    """A tab for all tests: loading a page is quicker where one has been before."""
    return Watched(browser, app.url)


@pytest.fixture
def open_page(watched):
    """Open pages; afterwards fail on console errors and on requests elsewhere."""
    yield watched
    assert watched.leave() == []


@pytest.fixture
def page(open_page):
    """The home page, open, with its stored run at the end."""
    return open_page("/", motion="reduce")


WIDER = """() => [document.documentElement,
    document.querySelector("[data-testid=stMain]")
].map(box => box.scrollWidth - box.clientWidth)"""


def assert_sound(page) -> None:
    """No exception box, and nothing wider than the window."""
    assert page.get_by_test_id("stException").count() == 0
    # A figure takes a moment to follow its place.
    page.wait_for_function(f"() => ({WIDER})().every(more => more === 0)")


@pytest.fixture(name="assert_sound")
def assert_sound_fixture():
    return assert_sound


@pytest.fixture(name="settle")
def settle_fixture():
    return settle


def pytest_collection_modifyitems(items):
    """Mark what is in this folder, so that ``-m "not browser"`` leaves it out."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)
