"""``--ignore`` leaves features of any data out, as pages switch them off."""

import shlex

import pytest

from pages.views.train import _plan
from rankcore import RSRank, load_dataset, load_model, save_model
from rankcore.base.errors import DataError, DataWarning
from rankcore.data.catalogue import load
from rankcore.data.readers import read
from rankcore.studies.models import document_scores
from rankcore.views import past
from tests import viewing

OFF = ("f2", "f4")
LEFT = tuple(f"f{number}" for number in range(1, 46) if f"f{number}" not in OFF)
IGNORE = [word for name in OFF for word in ("--ignore", name)]
RUN = viewing.view("train", "Run")


@pytest.fixture
def values():
    """The settings of a run without two features."""
    return viewing.values(RUN, data="planted", without=OFF, RSRank__max_iter=5)


@pytest.fixture
def run(values):
    training = RUN.work.run(values)
    list(training)
    return training


def test_copies_of_a_page_train_the_same(rankscope, values, run, tmp_path):
    out, last = tmp_path / "model.json", run.history[-1].coef.tolist()
    words = shlex.split(_plan.command(values))[1:]
    ended = rankscope(*words, "--at", "last", "--out", out, "--json")
    assert load_model(out).provenance_.feature_names == LEFT
    assert load_model(out).coef_.tolist() == last
    stored = past.stored(ended.json["run"])
    assert past.settings(stored)["without"] == OFF

    names: dict = {}
    exec(_plan.python(values), names)
    assert names["run"].history[-1].coef.tolist() == last


def test_a_model_file_matches_whole_data_by_name(rankscope, run, tmp_path):
    model, out = RSRank(max_iter=5).load_run(run), tmp_path / "model.json"
    save_model(model, out)
    test = load_dataset("planted").test
    result = test.X[:, [test.feature_names.index(name) for name in LEFT]]
    scores = model.scores(result, model.coef_)
    assert document_scores(load_model(out), test).tolist() == scores.tolist()
    whole = rankscope("evaluate", "planted", out, "--json").json
    assert whole == rankscope("evaluate", "planted", out, "--json", *IGNORE).json


def test_commands_go_on_with_a_stored_run_by_its_features(rankscope, values, tmp_path):
    run = RUN.work.run(values)
    with past.store().recording(run) as recorder:
        list(run)
    trec, page = tmp_path / "run.trec", tmp_path / "run.html"
    rankscope("runs", "export", recorder.id, "--run-out", trec)
    rankscope("runs", "report", recorder.id, "--out", page)
    assert trec.stat().st_size
    assert page.stat().st_size


@pytest.mark.parametrize("converted", [False, True])
def test_every_kind_of_data_leaves_features_out(rankscope, letor, tmp_path, converted):
    source = letor
    if converted:
        source = tmp_path / "converted"
        rankscope("convert", letor / "train.txt", source)
    whole = load(source).train.feature_names
    assert load(source, ignore=["f1"]).train.feature_names == whole[1:]


@pytest.mark.parametrize("converted", [False, True])
def test_a_number_of_no_feature_is_told(rankscope, letor, tmp_path, converted):
    source = letor / "train.txt"
    if converted:
        rankscope("convert", source, source := tmp_path / "converted")
    whole = read(source).feature_names
    with pytest.warns(DataWarning, match=r" has no f999 to leave out\."):
        assert read(source, ignore=["f999", "f1"]).feature_names == whole[1:]


def test_of_features_with_names_a_number_is_unknown():
    log = b'{"qid": "q", "id": "a", "label": 1, "[features]": "bm25=2,age=3"}'
    assert read(log, name="a.ndjson").feature_names == ("bm25", "age")
    with pytest.raises(DataError, match="There is no feature 'f1' "):
        read(log, name="a.ndjson", ignore=["f1"])


def test_of_a_listed_data_set_only_features_are_named():
    with pytest.raises(ValueError, match="There is no feature 'price'"):
        load("planted", ignore=["price"])
    with pytest.raises(ValueError, match="whose columns are known"):
        load("planted", ignore=["f1"], label="grade")
    with pytest.raises(ValueError, match="No feature remains"):
        load("toy-2d", ignore=load_dataset("toy-2d").train.feature_names)
