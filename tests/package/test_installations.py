"""The wheel, installed with the lowest and the newest versions of what it needs, for
each Python there is: it works, and leaves nothing behind."""

import os
import runpy
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from functools import cache
from pathlib import Path

import pytest

from tests.browser.conftest import Watched, chromium, free_port, wait_until_healthy
from tests.documents import blocks
from tests.package.test_packaging import asked

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
INSTALLER = runpy.run_path(str(ROOT / ".ci" / "install.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Named, for uv takes the lowest versions only of what is.
DIRECT = asked(PROJECT, "app")
VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
CHECKED = ("3.11", "3.12", "3.13")

# No other process then compiles kernels, which would outlive the server.
COMPLETE = (
    "from rankcore.base import kernel_cache as cache\n"
    "for name in cache._names():\n"
    "    (cache._environment() / name).mkdir(parents=True, exist_ok=True)\n"
    "cache.set_complete()\n"
)


@cache
def pythons() -> dict[str, str]:
    """A Python of each version: this one, on the path, or installed with pyenv."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    names = (shutil.which(f"python{version}") for version in CHECKED)
    candidates = [sys.executable, *filter(None, names)]
    candidates += sorted(map(str, root.glob("versions/*/bin/python")))
    settings: dict[str, str] = {}
    for python in candidates:
        run = subprocess.run(
            [python, "-c", VERSION], capture_output=True, text=True, check=False
        )
        if run.stdout.strip() in CHECKED:
            settings.setdefault(run.stdout.strip(), python)
    return settings


@pytest.fixture(scope="module")
def uv():
    """Runs uv with the settings of pip."""
    command = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    if not Path(command).exists():
        pytest.skip("Only uv installs the lowest versions.")
    settings = {**INSTALLER["AS_PIP"], **INSTALLER["settings"](), **os.environ}

    def run(*words):
        subprocess.run([command, *words], env=settings, check=True)

    return run


@pytest.fixture(scope="module")
def wheel(uv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    uv("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
@pytest.mark.parametrize("version", CHECKED)
def test_an_installation_works_and_leaves_nothing(
    uv, wheel, tmp_path, version, resolution
):
    if version not in pythons():
        pytest.skip(f"There is no Python {version} here.")
    environment, home = tmp_path / "environment", tmp_path / "home"
    home.mkdir()
    uv("venv", "--quiet", "--python", pythons()[version], environment)
    python = environment / "bin" / "python"
    (site,) = environment.glob("lib/python*/site-packages")
    # Pip, too, passes over versions that a Python newer than they would have to build.
    choice = ("--python", python, "--resolution", resolution, "--only-binary", ":all:")
    uv("pip", "install", "--quiet", *choice, f"{wheel}[app]", *DIRECT)
    entries = {"HOME": str(home), "MPLBACKEND": "agg"}
    settings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "NUMBA_", "RANKSCOPE_", "PYTHON"))
    }

    def rankscope(*words):
        """The standard output of a command."""
        return subprocess.run(
            [environment / "bin" / "rankscope", *words],
            cwd=home,
            env={**settings, **entries},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    rankscope("train", "planted", "RSRank", "--max-iter", "3", "--out", "model.json")
    assert "RSRank" in rankscope("runs", "list")
    assert "RSRank" in rankscope("runs", "show", "last")
    rankscope("runs", "export", "last", "--history", "history.parquet")
    assert "model/linear" in rankscope("export", "model.json", "elasticsearch")
    rankscope("export-view", "margins?margin_view=By+hand", "--out", "hand.html")

    subprocess.run(
        [python, "-c", COMPLETE], cwd=home, env={**settings, **entries}, check=True
    )
    port = free_port()
    server = subprocess.Popen(
        [environment / "bin" / "rankscope", "serve", "--port", str(port)],
        cwd=home,
        env={**settings, **entries},
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server)
        with urllib.request.urlopen(url) as page:
            assert page.status == 200
    finally:
        server.terminate()
        server.wait(60)

    uv("pip", "uninstall", "--quiet", "--python", python, "rankscope")
    assert sorted(site.glob("rank*")) == []


def test_the_live_figure_is_a_package_of_its_own(uv, tmp_path):
    """Its wheel, away from the project, draws the figure of its README ever again."""
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path, ROOT / "live_figure")
    (wheel,) = tmp_path.glob("live_figure-*.whl")
    site = tmp_path / "site"
    shutil.unpack_archive(wheel, site, "zip")
    ((_, code),) = blocks("py", ROOT / "live_figure" / "README.md")
    alone = (
        f"import sys\nsys.path.insert(0, {str(site)!r})\n"
        f"sys.path[:] = [one for one in sys.path if one != {str(ROOT)!r}]\n"
    )
    ended = 'assert not {"pages", "rankcore"} & sys.modules.keys()\n'
    (tmp_path / "app.py").write_text(alone + code + ended)
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py",
         f"--server.port={port}", "--server.headless=true",
         "--server.address=127.0.0.1", "--browser.gatherUsageStats=false"],
        cwd=tmp_path,
    )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server)
        with chromium() as browser:
            watched = Watched(browser, url)
            page = watched.tab
            page.goto(url)
            page.locator(".rs-live .main-svg").first.wait_for()
            page.wait_for_function(
                "() => document.querySelector('.rs-live').dataset.frames > 5"
            )
            assert page.get_by_test_id("stException").count() == 0
            assert watched.leave() == []
    finally:
        server.terminate()
        server.wait(60)
