"""A Streamlit page in Chromium without a graphics card, for timing."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu"]
PATIENCE_SECONDS = 120
DRAGGED_SECONDS = 4.0
MOVES = 600
DRAG = """async ([x, y, path, lasts]) => {
  const target = document.elementFromPoint(x, y);
  const [began, before] = [performance.now(), frames];
  for (let turn = 0; performance.now() < began + lasts; turn++) {
    const [right, down] = path[turn % path.length];
    const at = { clientX: x + right, clientY: y + down, buttons: 1, pointerId: 1 };
    for (const kind of [PointerEvent, MouseEvent]) {
      const name = kind === PointerEvent ? "pointermove" : "mousemove";
      const more = { bubbles: true, cancelable: true, view: window };
      target.dispatchEvent(new kind(name, { ...at, ...more }));
    }
    await new Promise(requestAnimationFrame);
  }
  return 1e3 * (frames - before) / (performance.now() - began);
}"""


@contextmanager
def served(script: Path, **variables: str) -> Iterator[str]:
    """Run a script with Streamlit in the project's folder; yield its address.

    Its environment also contains ``variables``.

    Raises
    ------
    TimeoutError
        If the server does not answer within two minutes.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"port": port, "headless": "true", "fileWatcherType": "none"}
    flags = [f"--server.{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *flags]
    quiet = subprocess.DEVNULL
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        server.terminate()
        server.wait()


def _wait_for(address: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not _answers(address):
        if time.monotonic() > end:
            raise TimeoutError(f"{address} does not answer.")
        time.sleep(0.1)


def _answers(address: str) -> bool:
    try:
        urlopen(address, timeout=1).close()
    except OSError:
        return False
    return True


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Yield Chromium.

    Raises
    ------
    FileNotFoundError
        If neither Chromium nor Chrome is installed.
    """
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise FileNotFoundError("Chromium is not installed, so nothing was measured.")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def browser_page(width: int = 1440, height: int = 900) -> Iterator["Page"]:
    """Yield an empty page of Chromium."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(1000 * PATIENCE_SECONDS)
        yield page


# From now on ``frames`` counts frames in which a node is drawn or, on request, moves.
COUNTING = """(node, moving) => {
  node.scrollIntoView({ block: "center" });
  window.frames = 0;
  let drawn = false;
  new MutationObserver(() => { drawn = true; }).observe(node, {
    attributes: true, childList: true, subtree: true });
  const next = () => {
    const moves = moving && node.getAnimations({ subtree: true }).length > 0;
    window.frames += Number(drawn || moves);
    drawn = false;
    requestAnimationFrame(next);
  };
  next();
}"""


def frames_while_dragged(
    page: "Page",
    place: tuple[float, float],
    offset: Callable[[int], tuple[int, int]],
) -> float:
    """Return the frames per second that a page counts in ``frames`` during a mouse
    drag; ``offset`` gives the pointer's position after each number of moves.

    After the press, the page itself dispatches a move before each frame, as a browser
    does for a mouse: a driver would wait for the page after each move.
    """
    page.mouse.move(*place)
    page.mouse.down()
    path = [offset(turn) for turn in range(MOVES)]
    rate = page.evaluate(DRAG, [*place, path, 1e3 * DRAGGED_SECONDS])
    page.mouse.up()
    return float(rate)
