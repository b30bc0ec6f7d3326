"""The documents: their code runs as a reader would run it, their links lead somewhere,
and they build."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from PIL import Image

from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.base import discovery
from rankcore.base.hyperparameters import hyperparameters
from rankcore.cli import main
from rankcore.measures import list_measures
from tests.documents import (
    DOCS,
    DOCUMENTS,
    HOOK,
    LANGUAGES,
    README,
    ROOT,
    blocks,
    prose,
)
from tests.soaking import soak

# What trains many models trains fewer of them, or each for a few steps.
SHORTER = {
    "--budget 60s": "--budget 60s --max-iter 5",
    "--values 0,10,50": "--values 0,10,50 --max-iter 5",
    "models=12": "models=2",
}
# A site of all views takes minutes, searches half of one; `tests/views/test_away.py`
# exports one view, and `tests/cli/test_search.py` searches less.
LONG = re.compile("export-site|rankscope search")


def shortened(block: str) -> str:
    for long, short in SHORTER.items():
        block = block.replace(long, short)
    return block


def samples(language: str) -> list:
    """Blocks of the documents; what is shortened runs whole in `make soak`."""
    result = blocks(language)
    whole = [soak(code, id=place) for place, code in result if code != shortened(code)]
    short = [
        soak(code, id=place)
        if LONG.search(code)
        else pytest.param(shortened(code), id=place)
        for place, code in result
    ]
    return [*short, *whole]


@pytest.mark.parametrize("code", samples("python"))
def test_python_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # What a block registers is forgotten after it.
    with monkeypatch.context() as patched:
        patched.setattr(discovery, "_registered", {})
        run_block(code)
    discovery.forget()


def run_block(code):
    names: dict = {"__name__": "readme"}
    exec(compile(code, "a document", "exec", dont_inherit=True), names)
    for value in names.values():
        if isinstance(value, type) and value.__module__ == "readme":
            assert issubclass(value, Ranker)
            trained = value(max_iter=5).fit([[0.0], [1.0], [2.0]], [0, 1, 2], None)
            assert trained.coef_[0] > 0


@pytest.mark.soak
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, id=place)
        for place, code in blocks("python")
        if "__main__" in code
    ],
)
def test_a_script_runs(code, tmp_path):
    """What a test within this process leaves out, since it starts others."""
    script = tmp_path / "script.py"
    script.write_text(code)
    run = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert run.stdout


@pytest.mark.parametrize(
    "code", [pytest.param(code, id=place) for place, code in blocks("py")]
)
def test_python_that_needs_more_can_be_read(code):
    compile(code, "a document", "exec", dont_inherit=True)


def test_the_algorithm_of_the_guide_is_found_as_a_file(tmp_path):
    (recipe,) = (code for _, code in blocks("python") if "class RidgeDescent" in code)
    (tmp_path / "ridge_descent.py").write_text(recipe)
    describe = (
        "from rankcore import algorithms\n"
        f"algorithms.__path__.append({str(tmp_path)!r})\n"
        "from rankcore import RidgeDescent\n"
        "from rankcore.cli import main; main(['describe', RidgeDescent.__name__])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", describe], capture_output=True, text=True, check=True
    )
    assert "Ridge descent" in shown.stdout
    assert "--ridge" in shown.stdout


@pytest.mark.parametrize("commands", samples("sh"))
def test_commands_run(commands, tmp_path, monkeypatch):
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    for line in commands.splitlines():
        program, *words = shlex.split(line)
        assert program == "rankscope"
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0


def test_a_block_says_what_it_is():
    """One of another language would be run by nothing."""
    for path in DOCUMENTS:
        fences = re.findall(r"^```(.*)$", path.read_text("utf-8"), re.MULTILINE)
        assert set(fences[::2]) <= LANGUAGES, path
        assert set(fences[1::2]) <= {""}, path


def anchors(path: Path) -> set[str]:
    """The names by which headings are linked to."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {word.replace(" ", "-") for word in words}


def links(path: Path) -> list[tuple[str, Path, str]]:
    """The links of a document to files and headings: text, file, heading."""
    result = re.findall(r"\]\((?!http|mailto)([^)#]*)(?:#([^)]*))?\)", prose(path))
    return [
        (f"{file}#{anchor}", (path.parent / file).resolve() if file else path, anchor)
        for file, anchor in result
    ]


@pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)
def test_links_lead_to_what_is_there(path):
    for text, file, anchor in links(path):
        assert file.exists(), text
        assert not anchor or anchor in anchors(file), text
        # GitHub and MkDocs name other headings differently.
        assert "--" not in anchor, text


def test_each_document_is_two_clicks_from_the_readme():
    near = {file for _, file, _ in links(README)}
    pages = {file for file in near if file.suffix == ".md"}
    for page in pages:
        near |= {file for _, file, _ in links(page)}
    assert set(DOCUMENTS) - near - {README, DOCS / "index.md"} == set()


# What a newcomer wants to do, and words of the answer.
THINGS = {
    "start the app": "make run",
    "read a table of one's own": "read_table(",
    "train and measure in Python": "measures.evaluate(",
    "train on the command line": "rankscope train",
    "try several settings": "rankscope sweep",
    "compare two models": "randomisation_test(",
    "take a model to Solr": 'export(model, "solr")',
    "score new documents": "rankscope score",
    "add an algorithm": "class RidgeDescent",
    "host the app for others": "hosting/community_cloud/streamlit_app.py",
}


@pytest.mark.parametrize("words", THINGS.values(), ids=THINGS)
def test_a_newcomer_finds_a_thing_in_two_clicks(words):
    near = [README, *dict.fromkeys(file for _, file, _ in links(README))]
    pages = [path for path in near if path.suffix == ".md"]
    further = (file for page in pages for _, file, _ in links(page))
    values = [path for path in [*pages, *further] if path.suffix == ".md"]
    assert any(words in path.read_text("utf-8") for path in values), words


def test_the_readme_is_short():
    assert len(README.read_text("utf-8").splitlines()) <= 180


def test_the_moving_picture_is_small():
    (moving,) = DOCS.glob("images/*.webp")
    assert moving.name in README.read_text("utf-8")
    assert moving.stat().st_size <= 1_500_000
    with Image.open(moving) as picture:
        assert picture.n_frames > 10


def test_each_document_has_a_place_in_the_navigation():
    parts = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    listed = re.findall(r"[\w/-]+\.md", str(parts))
    written = [str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted([*written, *HOOK["PAGES"], *HOOK["BESIDE"]])


def test_links_to_files_beside_the_documents_lead_to_their_pages():
    pages = ["how-to/algorithm.md", "CONTRIBUTING.md", "data/README.md"]
    outward = HOOK["outward"]
    text = "[a](../../CONTRIBUTING.md#style) [b](runs.md) [c](https://a.example)"
    assert outward(text, "how-to/algorithm.md", pages) == (
        "[a](../CONTRIBUTING.md#style) [b](runs.md) [c](https://a.example)"
    )
    text = "[a](docs/how-to/algorithm.md) [b](data/README.md)"
    assert outward(text, "CONTRIBUTING.md", pages) == (
        "[a](how-to/algorithm.md) [b](data/README.md)"
    )


def test_the_reference_has_every_algorithm_and_measure():
    written = HOOK["PAGES"]["reference/algorithms.md"]()
    for name in list_algorithms():
        _, _, part = written.partition(f"### {name}\n")
        result = part.partition("\n### ")[0]
        for row in hyperparameters(get_algorithm(name)).values():
            assert f"| `{row.name}` |" in result, (name, row.name)
    table = HOOK["PAGES"]["reference/measures.md"]()
    assert [one.name for one in list_measures() if f"`{one.name}`" not in table] == []


def test_the_reference_has_errors_and_exit_codes():
    written = HOOK["PAGES"]["reference/errors.md"]()
    assert "`rankcore.base.errors.DataError` | `ValueError`" in written
    assert "| 130 | interrupted" in written


@pytest.mark.soak
def test_the_documents_build_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    commands = (tmp_path / "reference" / "command-line" / "index.html").read_text()
    assert "rankscope train" in commands
    assert "--tolerated-loss" in commands
    settings = (tmp_path / "reference" / "settings" / "index.html").read_text()
    assert "margin_source" in settings
