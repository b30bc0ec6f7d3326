"""American spellings: each name of the Python interface that has one is known by it."""

import importlib
import inspect
import re

import numpy as np
import pytest

import rankcore
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.algorithms.parts.ranker import Provenance
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.spellings import AMERICAN, american, british
from rankcore.data.dataset import RankingDataset
from rankcore.data.partitions import load_partitions
from rankcore.data.readers.converting import convert
from rankcore.data.readers.folds import Splits
from rankcore.plot.palette import RunStyle
from rankcore.studies.searches.space import space_of
from rankcore.studies.sweeps import sweep
from tests.documents import blocks

ALGORITHMS = [get_algorithm(name) for name in list_algorithms()]
CLASSES = [RankingDataset, Splits, Provenance, RunStyle, *ALGORITHMS]
pytestmark = pytest.mark.unit


@pytest.mark.parametrize("class_", CLASSES, ids=lambda class_: class_.__name__)
def test_a_name_of_a_class_is_known_in_american_spelling(class_):
    names = {*dir(class_), *getattr(class_, "__dataclass_fields__", ())}
    public = {name for name in names if not name.startswith("_")}
    assert {american(name) for name in public} <= set(dir(class_)) | names


@pytest.mark.parametrize("class_", ALGORITHMS, ids=lambda class_: class_.__name__)
def test_a_hyperparameter_can_be_given_and_read_in_american_spelling(class_):
    for name, row in hyperparameters(class_).items():
        if (spelt := american(name)) == name:
            continue
        value = row.choices[-1]
        model = class_(**{spelt: value})
        assert getattr(model, name) == getattr(model, spelt) == value
        again = class_().set_params(**{spelt: value})
        assert again.get_params() == model.get_params()
        assert spelt not in inspect.signature(class_).parameters
        with pytest.raises(TypeError, match=f"{spelt} is given in two spellings"):
            class_(**{name: value, spelt: value})
        (dimension,) = space_of(model, {spelt: [value]})
        assert dimension.name == name


def test_the_interface_takes_american_words(small, tmp_path):
    scaled = small.normalize("zscore")
    assert scaled.normalization == "zscore"
    np.testing.assert_array_equal(scaled.X, small.normalise("zscore").X)
    assert small.normalize("standard").standardized.normalization is None
    (train, _, _) = Splits(small).normalize()
    assert train.normalization == "minmax"
    (tmp_path / "a.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    convert(tmp_path / "a.txt", tmp_path / "a", normalization="minmax")
    assert load_partitions(tmp_path / "a").normalization == "minmax"
    over = {"optimizer": ["stochastic"]}
    (cell,) = sweep("ApproxNDCG", small, over=over).cells
    assert cell.settings == (("optimiser", "stochastic"),)


def test_what_the_documents_import_has_its_american_name_beside_it():
    line = re.compile(r"^\s*from (rankcore[\w.]*) import \(?([\w, \n]+)", re.MULTILINE)
    spelt = {}
    for _, code in [*blocks("python"), *blocks("py")]:
        for module, names in line.findall(code):
            for name in re.findall(r"\w+", names):
                words = "_".join(re.findall(r"[A-Z][a-z]+|[a-z]+", name)).lower()
                if american(words) != words:
                    spelt[f"{module}.{name}"] = american(words)
    assert {"rankcore.mathematics.statistics.randomisation_test"} <= set(spelt)
    for place, words in spelt.items():
        module, _, name = place.rpartition(".")
        there = vars(importlib.import_module(module))
        same = [one for one, result in there.items() if result is there[name]]
        assert words.replace("_", "") in [one.replace("_", "").lower() for one in same]


def test_judgements_are_read_by_their_american_name_too():
    log = b'{"qid": "a", "hits": {"hits": [{"_id": "b", "fields": {"_ltrlog": '
    log += b'[{"main": [{"name": "f", "value": 1}]}]}}]}}'
    data = rankcore.read_feature_log(log, judgments=b"a 0 b 2\n")
    assert data.y.tolist() == [2]


def test_public_names_have_no_british_word_without_the_other():
    names = set(rankcore.PUBLIC)
    assert {american(name) for name in names} == names


def test_a_name_of_somebody_else_stays():
    assert american("optimised_at") == "optimised_at"
    assert british("optimizer", {"optimizer", "optimiser"}) == "optimizer"
    assert british("color", {"shape"}) == "color"
    assert all(here != there for here, there in AMERICAN.items())
