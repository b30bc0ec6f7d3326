"""Modules of before: their names still import, and say what they are called now."""

import importlib
import subprocess
import sys
import warnings

import pytest

from rankcore._old_paths import OLD

PACKAGES = {
    "charts", "data.readers.judgements", "exports", "insight", "interop", "papers",
    "readers", "searches", "store",
}  # fmt: skip


def test_an_old_name_is_the_module_of_now():
    warnings.simplefilter("ignore", DeprecationWarning)
    for old in sorted(set(OLD) - PACKAGES):
        importlib.import_module(f"rankcore.{old.split('.')[0]}")
        sys.modules.pop(f"rankcore.{old}", None)
        with pytest.warns(DeprecationWarning, match=f"rankcore.{OLD[old]} now"):
            module = importlib.import_module(f"rankcore.{old}")
        assert module is importlib.import_module(f"rankcore.{OLD[old]}"), old


def test_no_two_old_names_are_one_module():
    assert len(set(OLD.values())) == len(OLD)


OF_PACKAGES = """
from rankcore import interop
from rankcore.charts import Picture, palette
from rankcore.insight import comparison_plan, first_sight
from rankcore.interop import qrels_of, trackers
from rankcore.papers import report
from rankcore.readers import letor, read_letor
from rankcore.readers.table import read_table
from rankcore.store import open_store

print(Picture.__name__, palette.__name__, comparison_plan.__name__, report.__name__)
print(interop.run_of.__module__, qrels_of.__name__, trackers.__name__)
print(letor.__name__, read_letor.__name__, read_table.__name__, open_store.__name__)
"""


def test_old_packages_give_what_they_had():
    run = [sys.executable, "-W", "ignore", "-c", OF_PACKAGES]
    stdout = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert stdout.split() == [
        "Picture",
        "rankcore.plot.palette",
        "rankcore.topics.compare.comparison_plan",
        "rankcore.topics.papers.report",
        "rankcore.studies.interop.rankings",
        "qrels_of",
        "rankcore.studies.interop.trackers",
        "rankcore.data.formats.letor",
        "read_letor",
        "read_table",
        "open_store",
    ]


@pytest.mark.filterwarnings("ignore:rankcore.insight:DeprecationWarning")
def test_what_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("rankcore.insight.nobody")
