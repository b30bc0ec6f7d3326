"""What a fresh machine gets: the set-up scripts, the package, the documents."""

import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
import yaml
from packaging.requirements import Requirement
from platformdirs import user_cache_path

import rankcore
from rankcore.base import bundle as _bundle
from rankcore.base import extras
from rankcore.cli import main
from tests.browser.conftest import free_port
from tests.documents import DOCUMENTS, README, blocks
from tests.soaking import soak

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# What the containers begin with.
IMAGE = r"python:3\.13-slim@sha256:[0-9a-f]{64}"
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    wanted = [line for line in lines if line and line[0] not in "#-"]
    return dict(line.split("==") for line in wanted)


def test_the_citation_and_the_changes_are_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")

    assert citation["version"] == rankcore.__version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == PROJECT["project"]["authors"]
    assert f"\n## {rankcore.__version__}\n" in changes


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")),
    ids=lambda path: path.stem,
)
def test_a_form_for_issues_can_be_read(path):
    form = yaml.safe_load(path.read_text("utf-8"))

    assert {"name", "description", "body"} <= set(form)
    assert all(field["attributes"]["label"] for field in form["body"])


def fake_python(folder: Path, version: str, modules: str) -> Path:
    """A command that answers as a Python of that version with those modules would."""
    path = folder / "python3"
    path.write_text(
        "#!/bin/sh\n"
        'case "$2" in\n'
        f"*'sys.exit(sys.version_info'*) {version};;\n"
        f"*ensurepip*) {modules};;\n"
        "*print*) echo 3.9;;\n"
        "esac\n"
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / ".github/workflows").glob("*.yml")),
    ids=lambda path: path.stem,
)
def test_a_workflow_calls_what_there_is(path):
    """Targets of the Makefile, files, and Pythons that the package is for."""
    steps = [
        (step.get("run", ""), str(step.get("with", {}).get("python-version", "")))
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
        for step in job["steps"]
    ]
    targets = re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(), re.M)
    for run, pythons in steps:
        program, *words = run.split() or [""]
        assert program != "make" or set(words) <= set(targets), run
        tests = re.findall(r"tests/\S+", run)
        assert all((ROOT / test).exists() for test in tests), run
        for python in re.findall(r"3\.\d+", pythons):
            sentence = f"Programming Language :: Python :: {python}"
            assert sentence in PROJECT["project"]["classifiers"], python


@pytest.mark.parametrize(
    ("version", "modules", "expected"),
    [
        ("exit 1", "exit 0", "Python 3.11 or later"),
        ("exit 0", "exit 1", "python3-venv"),
    ],
)
def test_an_unsuitable_python_gets_one_sentence(tmp_path, version, modules, expected):
    python = fake_python(tmp_path, version, modules)
    run = subprocess.run(
        [ROOT / ".ci" / "environment"],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert expected in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / ".venv").exists()


def install(tmp_path, monkeypatch, uv, settings=""):
    """Install nothing, with ``uv`` on the path as a script, and these settings of pip;
    return the process and what the script has left in a file."""
    fake, left, result = (tmp_path / name for name in ("uv", "left", "pip.conf"))
    fake.write_text(f"#!/bin/sh\nexec >{shlex.quote(str(left))}\n{uv}\n")
    fake.chmod(0o755)
    result.write_text(settings)
    (tmp_path / "nothing.txt").touch()
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(result))
    run = subprocess.run(
        [sys.executable, ROOT / ".ci" / "install.py", "nothing.txt"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    return run, left.read_text().splitlines()


def test_uv_is_told_the_settings_of_pip(tmp_path, monkeypatch):
    settings = (
        "[global]\nindex-url = https://a.example/simple\n"
        "extra-index-url = https://b.example https://c.example\n"
        "[install]\nfind-links = /wheels /more\n"
    )
    run, left = install(tmp_path, monkeypatch, "env", settings)
    assert (run.returncode, run.stderr) == (0, "")
    assert {
        "UV_DEFAULT_INDEX=https://a.example/simple",
        "UV_INDEX=https://b.example https://c.example",
        "UV_FIND_LINKS=/wheels,/more",
    } <= set(left)


def test_pip_installs_what_uv_cannot(tmp_path, monkeypatch):
    run, left = install(tmp_path, monkeypatch, 'echo "$@"; exit 2')
    assert left[0].startswith("pip install")
    assert run.returncode == 0
    assert run.stderr.startswith("make: uv could not install them, so pip does")
    assert [line for line in run.stderr.splitlines() if "WARNING" not in line][1:] == []


def test_a_missing_browser_gets_one_sentence_and_fails(tmp_path):
    run = subprocess.run(
        ["/bin/sh", ROOT / ".ci" / "browser"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "Chromium" in run.stderr.splitlines()[-1]


def link_all(source: Path, folder: Path) -> None:
    """Make a folder with links to all in another one, except an environment."""
    folder.mkdir(parents=True)
    for path in source.iterdir():
        if path.name != ".venv":
            (folder / path.name).symlink_to(path)


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A folder with the project, and an environment in which nothing is missing."""
    for name in ("MAKEFLAGS", "MAKELEVEL"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "checkout"
    link_all(ROOT, folder)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    subprocess.run(["make", "--touch", "--silent", "run"], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize(
    "home",
    [soak(Path.home()), ROOT / "Makefile"],
    ids=["a home", "no folder for a home"],
)
def test_make_run_prints_the_address_where_the_app_is(ready, home):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        ["make", "run", f"PORT={port}"],
        cwd=ready,
        # Kernels are not compiled again.
        env={
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(user_cache_path()),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        # Anybody with the address can open it.
        printed = server.stdout.readline()
        urlopen(f"{url}/healthz", timeout=60).close()
    finally:
        os.killpg(server.pid, signal.SIGINT)
        _, complaints = server.communicate(timeout=120)
    assert printed.startswith(f"RankScope is at {url} ")
    assert "Traceback" not in complaints


def test_continuous_integration_runs_the_command_of_the_readme():
    (_, first), *_ = blocks("", README)
    assert "exec make test" in (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert [line.split("#")[0].strip() for line in first.splitlines()] == [
        "make run",
        "make test",
    ]


def asked(project: dict, extra: str) -> list[str]:
    """What the package needs with an extra, and with those that it takes in."""
    values = list(project["dependencies"])
    for text in project["optional-dependencies"][extra]:
        if text.startswith(f"{project['name']}["):
            for inner in Requirement(text).extras:
                values += project["optional-dependencies"][inner]
        else:
            values.append(text)
    return values


def test_the_pins_satisfy_what_the_package_asks_for():
    result = pins("requirements.txt")
    for wanted in map(Requirement, asked(PROJECT["project"], "app")):
        assert wanted.specifier.contains(result[wanted.name]), wanted


# What is no part of a package's public interface, and may change with any version.
INTERNALS = {
    "numba": r"(?:from|import) numba\.core",
    "streamlit": r"(?:from|import) streamlit\.(?:runtime|web)",
}


@pytest.mark.parametrize("package", INTERNALS)
def test_a_package_whose_internals_are_used_has_an_upper_bound(package):
    code = [*(ROOT / "rankcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    touched = re.compile(INTERNALS[package])
    assert any(touched.search(path.read_text("utf-8")) for path in code)
    (wanted,) = (
        one
        for one in map(Requirement, asked(PROJECT["project"], "app"))
        if one.name == package
    )
    assert {"<", ">="} == {bound.operator for bound in wanted.specifier}


def test_the_environment_has_the_pinned_versions():
    result = pins("requirements.txt")
    assert {name: metadata.version(name) for name in result} == result


# Without any of the extras: what fits, measures, writes and reads, and what the others
# say.
BARE = """
import sys
from rankcore import RSRank, export, load_dataset, load_model, measures, save_model
from rankcore.base.extras import EXTRAS, MissingExtraError

assert "rankcore.algorithms.svm_ndcg" not in sys.modules
for name in EXTRAS:
    sys.modules[name] = None
train, valid, test = load_dataset("planted")
model = RSRank(max_iter=2).fit_dataset(train, valid)
save_model(model, "model.json")
assert load_model("model.json").score(test) == model.score(test)
assert len(measures.evaluate(test, model.predict(test))) == test.n_queries
assert "LinearModel" in export(model, "solr")


def said(action):
    try:
        action()
    except MissingExtraError as error:
        print(error)


def search():
    from rankcore.studies.searches import search
    list(search("RSRank", train, valid, {"g": None}, models=1))


def store():
    from rankcore.studies.store import open_store


said(search)
said(store)
said(lambda: load_dataset("mslr10k-sample"))
from rankcore.cli import main
main(["evaluate", "--help"])
"""


def test_the_computation_needs_no_extra_and_one_sentence_says_what_does(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", BARE],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2, run.stderr
    assert run.stdout.splitlines() == [
        f"To {what}, install {package}: {extras.command(extra)}."
        for what, package, extra in (
            ("search by Optuna's estimator", "optuna", "search"),
            ("keep runs in a database", "sqlalchemy", "store"),
            ("read Parquet", "pyarrow", "parquet"),
        )
    ]
    sentence = f"To use the command line, install typer: {extras.command('cli')}."
    assert run.stderr == f"rankscope: {sentence}\n"


def test_nobody_is_told_to_install_what_is_not_published():
    """Texts name the checkout, as `extras.command` does."""
    texts = [
        *DOCUMENTS,
        *(ROOT / "rankcore").rglob("*.py"),
        *(ROOT / "pages").rglob("*"),
    ]
    for path in texts:
        if path.suffix in (".md", ".py", ".yaml"):
            named = re.findall(
                r"pip install [\"']?rankscope(?![-_])", path.read_text("utf-8")
            )
            assert not named, path


def test_the_app_is_found_in_the_checkout():
    assert (_bundle.folder() / "app.py").samefile(ROOT / "app.py")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder with what a wheel holds: the packages, and what the build hook adds."""
    site = tmp_path / "site"
    for package in WHEEL["packages"]:
        link_all(ROOT / package, site / package)
    for source, target in bundled(ROOT, monkeypatch).items():
        (site / target).parent.mkdir(parents=True, exist_ok=True)
        (site / target).symlink_to(ROOT / source)
    return site


def bundled(root, monkeypatch):
    """What the build hook adds to a wheel of the checkout ``root``: from where, to
    where."""
    interface = "hatchling.builders.hooks.plugin.interface"
    base = SimpleNamespace(BuildHookInterface=object)
    monkeypatch.setitem(sys.modules, interface, base)
    hook = runpy.run_path(str(root / WHEEL["hooks"]["custom"]["path"]))["Bundle"]()
    added = {"force_include": {}}
    hook.initialize("standard", added)
    return added["force_include"]


def described(monkeypatch, **variables):
    """The metadata that the hook fills, beside these variables of a workflow."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL", "GITHUB_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    interface = "hatchling.metadata.plugin.interface"
    base = SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, interface, base)
    path = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["path"]
    hook = runpy.run_path(str(ROOT / path))["Metadata"]()
    hook.root = str(ROOT)
    filled: dict = {}
    hook.update(filled)
    return filled


def test_a_published_description_has_links_that_work_elsewhere(monkeypatch):
    assert set(described(monkeypatch)) == {"readme"}
    there = described(
        monkeypatch,
        GITHUB_REPOSITORY="someone/rankscope",
        GITHUB_SERVER_URL="https://code.example",
        GITHUB_REF_NAME="v0.2.0",
    )
    address = "https://code.example/someone/rankscope"
    assert there["urls"]["Source"] == address
    assert set(there) <= set(PROJECT["project"]["dynamic"])
    result = re.findall(r"\]\((\S+?)\)", there["readme"]["text"])
    outside = [link for link in result if not link.startswith(address)]
    assert outside == re.findall(r"\]\((https?:\S+?)\)", README.read_text("utf-8"))
    pictures = [link for link in result if link.endswith((".png", ".webp"))]
    assert pictures
    for link in result:
        kind = "raw" if link in pictures else "blob"
        path = link.removeprefix(f"{address}/{kind}/v0.2.0/").partition("#")[0]
        assert (ROOT / path).is_file(), link


def run_installed(installed, *words):
    return subprocess.run(
        [sys.executable, *words],
        cwd=installed.parent,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_an_installed_package_has_the_app_and_the_data(installed):
    bundle = installed / "rankcore" / "bundle"
    code = (
        "import sys; from rankcore.base import bundle; print(bundle.folder()); "
        "assert not {'streamlit', 'plotly'} & sys.modules.keys()"
    )
    assert run_installed(installed, "-c", code) == f"{bundle}\n"
    for name in ("app.py", "pages/train.py", ".streamlit/config.toml"):
        assert (bundle / name).is_file()
    listed = run_installed(installed, "-m", "rankcore.cli", "datasets", "--json")
    assert set(json.loads(listed)) >= {"mslr10k-sample", "toy-2d", "toy-3d"}


def test_downloads_of_a_user_stay_out_of_the_package(tmp_path, monkeypatch):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for folder in ("toy", "letor/mine/Fold1"):
        (tmp_path / "data" / folder).mkdir(parents=True)
    result = bundled(tmp_path, monkeypatch)
    assert {one for one in result if one.startswith("data")} == {"data/toy"}


def test_the_command_is_the_one_that_is_tested():
    name, target = next(iter(PROJECT["project"]["scripts"].items()))
    assert name == "rankscope"
    assert metadata.EntryPoint(name, target, "console_scripts").load() is main


def test_public_names_load_from_the_package_itself():
    names: dict = {}
    exec("from rankcore import *", names)
    assert {"Ranker", "LinearRanker", "Step", "Steps", "cancel_point"} <= set(names)
    assert names["RSRank"] is rankcore.algorithms.RSRank
    assert {*rankcore.__all__, *rankcore.algorithms.list_algorithms()} <= set(names)


def test_the_image_serves_what_it_checks():
    from pages.ui.serving import health

    steps = (ROOT / "Dockerfile").read_text()
    assert f"http://127.0.0.1:8501{health.PATH}" in steps
    assert 'CMD ["serve", "--address", "0.0.0.0"]' in steps
    installed = re.findall(r"pip install (.*?)(?: \\| *$)", steps, re.MULTILINE)
    assert [words.split()[1:] for words in installed] == [
        ["--requirement", "/tmp/requirements.txt"],
        ["--no-deps", "/wheels/*.whl"],
    ]
    assert {"psycopg", "psycopg-binary"} <= set(pins("requirements.txt"))
    assert re.search(r"^USER \d+$", steps, re.MULTILINE)
    image, *stages = re.findall(r"^FROM (\S+)", steps, re.MULTILINE)
    assert re.fullmatch(IMAGE, image)
    assert set(stages) == {"base"}
    space = (ROOT / "hosting" / "spaces" / "Dockerfile").read_text()
    assert f"\nFROM {image}\n" in space
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {".ci", "data", "README.md", "LICENSE"}.intersection(ignored)
