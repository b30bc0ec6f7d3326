"""The configuration for hosting services, each started as the service does."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml
from platformdirs import user_cache_path

from pages.ui.serving import limits
from rankcore.base.cores import VARIABLE as THREADS
from tests.browser.conftest import (
    Watched,
    assert_sound,
    chromium,
    free_port,
    wait_until_healthy,
)

ROOT = Path(__file__).parents[2]
HOSTING = ROOT / "hosting"
SPACE = (HOSTING / "spaces" / "Dockerfile").read_text("utf-8")
KNOWN = {
    "NUMBA_CACHE_DIR",
    "RANKSCOPE_LOG",
    "RANKSCOPE_ONE_PERSON",
    THREADS,
    limits.VISITORS.variable,
}


def space_settings() -> dict[str, str]:
    """The environment of the container."""
    return dict(re.findall(r"(\w+)=(\S+)", SPACE.partition("ENV ")[2].split("RUN")[0]))


def space_command() -> list[str]:
    return json.loads(re.search(r"^CMD (.*)$", SPACE, re.MULTILINE)[1])


@pytest.mark.unit
def test_a_space_listens_where_its_page_says():
    _, head, _ = (HOSTING / "spaces" / "README.md").read_text("utf-8").split("---\n")
    page, command = yaml.safe_load(head), space_command()

    assert page["sdk"] == "docker"
    assert command[command.index("--port") + 1] == str(page["app_port"])
    assert f"\nEXPOSE {page['app_port']}\n" in SPACE
    assert "\nUSER 1000\n" in SPACE
    assert set(space_settings()) == KNOWN
    # What the image needs is not left out of it.
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {"rankcore", "pages", "live_figure", "data"}.intersection(ignored)


@pytest.mark.unit
def test_the_entry_file_of_community_cloud_adds_a_name_and_limits():
    folder = HOSTING / "community_cloud"
    result, project = (
        tomllib.loads((place / ".streamlit" / "config.toml").read_text("utf-8"))
        for place in (folder, ROOT)
    )
    added = set(result["server"].pop("allowedHosts"))
    assert added - set(project["server"]["allowedHosts"]) == {"*.streamlit.app"}
    assert result == {"server": {}}
    text = (folder / "streamlit_app.py").read_text("utf-8")
    limited = re.findall(r'"(RANKSCOPE_\w+)":', text)
    assert set(limited) == KNOWN - {"NUMBA_CACHE_DIR"}


def tracked(folder: Path) -> Path:
    """A folder with the tracked files only, as a service clones them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def started(command: list[str], folder: Path, home: Path, **settings: str):
    """A server in a folder that knows nothing of this user but the kernels."""
    entries = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        # Compiling them again would take minutes.
        "XDG_CACHE_HOME": str(user_cache_path()),
    }
    if cache := os.environ.get("NUMBA_CACHE_DIR"):
        entries["NUMBA_CACHE_DIR"] = cache
    return subprocess.Popen(command, cwd=folder, env=entries | settings)


def answer(url: str, host: str) -> tuple[int, str]:
    """The status of a page asked for by a name, and who may show it in a frame."""
    try:
        with urlopen(Request(url, headers={"Host": host}), timeout=60) as page:
            return page.status, page.headers["content-security-policy"]
    except HTTPError as error:
        return error.code, ""


def opens(url: str) -> None:
    """A browser draws the home page and trains, without a fault."""
    with chromium() as browser:
        watched = Watched(browser, url)
        assert_sound(watched("/"))
        assert_sound(watched("/train"))
        assert watched.leave() == []


@pytest.mark.soak
def test_community_cloud_starts_the_app_from_a_clean_folder(tmp_path):
    """It runs from the root, and asks for health within the machine."""
    folder, home, port = tracked(tmp_path / "src"), tmp_path / "home", free_port()
    home.mkdir()
    entry = "hosting/community_cloud/streamlit_app.py"
    command = ["streamlit", "run", entry, f"--server.port={port}"]
    server = started([*command, "--server.headless=true"], folder, home)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server)
        with urlopen(f"{url}/healthz", timeout=60) as health:
            assert json.load(health)["runs"] == "kept"
        assert answer(url, "rankscope.streamlit.app")[0] == 200
        assert answer(url, "rankscope.example.org")[0] == 400
        opens(url)
    finally:
        server.terminate()
        server.wait(60)
    assert list(home.rglob("runs.sqlite"))


@pytest.mark.soak
@pytest.mark.parametrize("home", ["a home", "no folder for a home"])
def test_spaces_start_the_app_from_a_clean_folder(tmp_path, home):
    folder = tracked(tmp_path / "app")
    command, port = space_command(), free_port()
    assert command[command.index("--port") + 1] == "7860"
    command[command.index("--port") + 1] = str(port)
    place = tmp_path / "home"
    if home == "a home":
        place.mkdir()
    else:
        place.touch()
    settings = space_settings()
    del settings["NUMBA_CACHE_DIR"]
    server = started(command, folder, place, **settings)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server)
        status, frames = answer(url, "someone-rankscope.hf.space")
        assert status == 200
        assert "https://huggingface.co" in frames
        assert answer(url, "rankscope.example.org")[0] == 400
        opens(url)
    finally:
        server.terminate()
        server.wait(60)
