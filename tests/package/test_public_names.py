"""The package's public names: offered, typed, documented, and guessed when misspelt."""

import importlib
import inspect
import subprocess
import sys

import pytest

import rankcore
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameters
from tests.package import typing_stub

pytestmark = pytest.mark.unit


def test_the_stub_is_that_of_the_public_names():
    """Where this fails, run `make stub`."""
    assert typing_stub.STUB.read_text("utf-8") == typing_stub.text()


def test_every_name_of_the_stub_is_the_object_it_says():
    for line in typing_stub.text().splitlines():
        if not line.startswith("from rankcore."):
            continue
        _, home, _, name, _, alias = line.split()
        assert name == alias
        if name in dir(rankcore):
            there = importlib.import_module(home)
            assert getattr(rankcore, name) is getattr(there, name)


def test_completion_offers_algorithms_and_no_module_of_others():
    names = dir(rankcore)

    assert {*list_algorithms(), *rankcore.__all__, "studies"} <= set(names)
    assert not {"gc", "importlib", "annotations", "TYPE_CHECKING"} & set(names)
    assert all(hasattr(rankcore, name) for name in names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("RSrank", "RSRank"), ("load_datset", "load_dataset"), ("ListNett", "ListNet")],
)
def test_a_misspelt_name_gets_a_near_one(wrong, meant):
    with pytest.raises(AttributeError, match=f"Did you mean '{meant}'"):
        getattr(rankcore, wrong)


def test_a_name_like_no_other_gets_none():
    with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'\Z"):
        _ = rankcore.xyzzy


def test_looking_a_private_name_up_loads_nothing():
    script = (
        "import sys, rankcore\n"
        "hasattr(rankcore, '__wrapped__')\n"
        "hasattr(rankcore, 'load_tests')\n"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("name", list_algorithms())
def test_the_docstring_has_every_hyperparameter(name):
    algorithm = get_algorithm(name)
    about, _, sections = inspect.getdoc(algorithm).partition(
        "\n\nParameters\n----------\n"
    )
    summary, *_ = about.split("\n\n")
    parameters, paper, example = sections.split("\n\n")
    rest = parameters.split("\n")

    assert summary.endswith(".")
    assert "\n" not in summary
    assert paper.startswith("References\n----------\n")
    assert example.startswith("Examples\n--------\n")
    assert all(line.startswith("    ") or " : " in line for line in rest)
    for row in hyperparameters(algorithm).values():
        (at,) = (i for i, text in enumerate(rest) if text.startswith(f"{row.name} : "))
        assert rest[at].endswith(f", default {row.default!r}")
        assert rest[at + 1].strip()
        assert row.meaning.startswith(rest[at + 1].strip())
        assert len(rest[at + 1]) <= 88
