"""Adding a measure is adding one class: everything that lists measures finds it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankcore import RankingDataset, measures
from rankcore.measures._measure import MEASURES
from rankcore.measures._naming import _parsed
from rankcore.topics.measuring.terms import measure_terms

ROOT = Path(__file__).parents[2]

DECLARATION = '''
"""Graded hits among the first positions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankcore.measures import Measure, Terms


@dataclass(frozen=True)
class Hits(Measure):
    """Hits@k = sum of the labels within the first k positions, over 10."""

    name: ClassVar[str] = "Hits"
    title: ClassVar[str] = "Hits"
    meaning: ClassVar[str] = "Sum of the labels at the top."
    usually_cut: ClassVar[bool] = True

    def terms(self, labels, convention):
        counted = labels * self.within(len(labels))
        return Terms({"label within k": counted}, counted / 10)

    def values(self, lists, convention, beta):
        hits = lists.labels * (lists.ranks <= (self.cutoff or np.inf))
        return np.add.reduceat(hits, lists.offsets[:-1]) / 10
'''


@pytest.fixture
def declared(tmp_path):
    """The class `Hits`, declared until the test ends."""
    path = tmp_path / "hits.py"
    path.write_text(DECLARATION.lstrip(), "utf-8")
    spec = importlib.util.spec_from_file_location("hits", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["hits"] = module
    spec.loader.exec_module(module)
    yield module.Hits
    del MEASURES["Hits"], sys.modules["hits"]
    _parsed.cache_clear()


def test_a_declared_measure_has_a_name_values_and_terms(declared):
    data = RankingDataset.from_arrays(np.eye(4), [3, 0, 2, 1])

    assert isinstance(measures.parse("hits@3"), declared)
    assert measures.means(data, [4, 3, 2, 1], "Hits@3") == {"Hits@3": (3 + 2) / 10}
    terms = measure_terms([3, 0, 2, 1], measures.parse("Hits@3"))
    assert terms.factors["label within k"].tolist() == [3, 0, 2, 0]
    assert terms.terms.tolist() == [3 / 10, 0, 2 / 10, 0]
    assert terms.rectangles is None


def test_a_declared_measure_is_on_the_measures_page(declared, run_page):
    page = run_page("measures", ranking="A3-B0-C2-D1", cutoff="3")

    assert not page.exception
    shown = page.dataframe[0].value["Hits@3"]
    assert shown.tolist() == ["0.300", "0.000", "0.200", "0.000", "0.500"]


def test_a_file_in_the_folder_of_measures_is_found(tmp_path):
    """In a copy of the package whose folder of measures has one more file."""
    package, folder = tmp_path / "rankcore", tmp_path / "rankcore" / "measures"
    folder.mkdir(parents=True)
    for original, copy in (
        (ROOT / "rankcore", package),
        (ROOT / "rankcore" / "measures", folder),
    ):
        for path in original.iterdir():
            if not (copy / path.name).exists():
                (copy / path.name).symlink_to(path)
    (folder / "hits.py").write_text(DECLARATION.lstrip(), "utf-8")

    program = (
        "from rankcore import measures; print(measures.parse('Hits@3').describe())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )

    assert done.stdout.startswith("Hits@3, standard convention")
