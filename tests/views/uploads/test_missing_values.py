"""Data with missing values on every page: shown, or refused with the sentence."""

import numpy as np
import pytest

from pages.ui.catalogue import pages
from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from rankcore import RankingDataset, load_dataset
from rankcore.algorithms import list_algorithms
from rankcore.data.readers import Splits
from rankcore.views import Caption, flat
from tests import viewing

TREES = sorted({"LightGBM", "XGBoost"} & set(list_algorithms()))
SENTENCE = " values are missing, the first in feature f1 ("
NEITHER = "No structured SVM can be trained on these data."
VIEWS = [
    pytest.param(page, name, id=f"{page}-{name}")
    for page, found in pages().items()
    for name in found.views
]


@pytest.fixture(scope="module")
def data():
    """A small data set with a tenth of its values missing, as an upload."""
    rng = np.random.default_rng(0)

    def lacking(part):
        X = np.where(rng.random(part.X.shape) < 0.1, np.nan, part.X)
        query = np.repeat(part.query_ids, part.lengths)
        return RankingDataset.from_arrays(X, part.y, query, missing="keep")

    splits = Splits(*(lacking(part) for part in load_dataset("toy-2d")))
    return datasets.upload(splits, Files({"train": "shop"}))


def trains_on_data(view, found):
    return any(row.key == "algorithm" for row in view.rows(dict(found)))


@pytest.mark.parametrize(("page", "name"), VIEWS)
def test_a_view_shows_them_or_says_why_not(page, name, data):
    view = viewing.view(page, name)
    values = viewing.values(view, data=data)
    refusal = viewing.refusal(view, values)
    if refusal is not None:
        assert SENTENCE in refusal or refusal == NEITHER
        return
    assert list(viewing.unsound(viewing.at_first(view, values))) == []


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize(("page", "name"), VIEWS)
def test_a_view_of_training_takes_trees(page, name, algorithm, data):
    view = viewing.view(page, name)
    values = viewing.values(view, data=data, algorithm=algorithm)
    if trains_on_data(view, values) and values.get("algorithm") == algorithm:
        assert view.refusal(values) is None
        assert list(viewing.unsound(viewing.at_first(view, values))) == []


def test_the_data_page_says_how_many_are_missing(data):
    shown = viewing.shown(viewing.view("data", "Data set"), data=data)
    (spread,) = (panel for panel in shown.panels() if panel.key == "spread")
    missing = spread.picture.numbers()["share missing"]
    train = datasets.load(data).train
    np.testing.assert_allclose(missing, np.isnan(train.X).mean(axis=0))
    texts = [str(block) for block in flat(shown.blocks)]
    assert any("Only LightGBM and XGBoost train on them" in text for text in texts)


@pytest.mark.parametrize("algorithm", TREES)
def test_the_inspector_says_that_a_value_is_missing(algorithm, data):
    train = viewing.view("train", "Run")
    chosen = {"data": data, "algorithm": algorithm, f"{algorithm}__max_iter": 3}
    run = train.work.run(viewing.values(train, **chosen))
    stored = viewing.recorded(run, settings=dict(chosen))
    query = datasets.load(data).train.query(0)
    row = int(np.flatnonzero(np.isnan(query.X[:, 0]))[0])
    looked = {
        "beside": "ideal",
        "inspect_document": query.doc_ids[row],
        "inspect_feature": "f1",
    }
    view = viewing.view("inspect", "Query")
    shown = viewing.shown(view, data=data, run=stored, part="train", **looked)
    values = [block.text for block in flat(shown.blocks) if isinstance(block, Caption)]
    assert "f1 is missing in this row." in values
    assert list(viewing.unsound(shown)) == []


@pytest.mark.parametrize(
    ("page", "name", "key"),
    [("compare", "Curves and differences", "compared"), ("train", "Race", "racers")],
)
def test_several_algorithms_say_which_to_leave_out(page, name, key, data):
    view = viewing.view(page, name)
    mixed = viewing.values(view, data=data, **{key: ("RSRank", *TREES, "ListNet")})
    reason = view.no_study(mixed)
    assert SENTENCE in reason
    assert reason.endswith(" Leave out RSRank, ListNet.")
    trees = viewing.values(view, data=data, **{key: tuple(TREES)})
    assert view.no_study(trees) is None
