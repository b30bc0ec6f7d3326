"""Features that are switched off on Train and Sparsity, wherever models then go."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pages.ui import shared
from pages.ui.away import links, reports
from pages.ui.data import datasets, inspecting, models
from pages.ui.data.datasets import Files
from pages.views.inspect import _models
from pages.views.train import _plan
from rankcore import RankingDataset, load_dataset
from rankcore.data.readers import Splits
from rankcore.studies.models import document_scores, model_to_json
from rankcore.topics.compare.trained import from_store
from rankcore.topics.inspect.inspected import NoModelError
from rankcore.views import Fact, TakeModel, flat, past
from tests import viewing

EVERY = tuple(f"f{number}" for number in range(1, 46))
OFF = ("f2", "f4")
LEFT = tuple(name for name in EVERY if name not in OFF)
RUN = viewing.view("train", "Run")
QUICK = {"data": "planted", "without": OFF, "RSRank__max_iter": 5}
LINK = "train?data=planted&without=f2,f4&RSRank.max_iter=5"
VIEWS = [
    pytest.param(page, name, id=f"{page} {name}")
    for page in ("train", "sparsity")
    for name, view in viewing.page(page).views.items()
    if any(row.key == "data" for row in view.rows({}))
]


@pytest.fixture(scope="module")
def run():
    """A run of the page, without two features."""
    training = RUN.work.run(viewing.values(RUN, **QUICK))
    list(training)
    return training


@pytest.fixture(scope="module")
def kept():
    """The same run as the store keeps it."""
    chosen = viewing.values(RUN, **QUICK)
    run = RUN.work.run(chosen)
    return past.stored(viewing.recorded(run, settings=dict(chosen)))


def facts(shown):
    return {fact.meaning: fact.note for fact in shown.facts}


def test_the_data_has_these_features():
    assert load_dataset("planted").train.feature_names == EVERY


@pytest.mark.parametrize(("page", "name"), VIEWS)
def test_every_view_of_train_and_sparsity_has_the_switch(page, name):
    view = viewing.view(page, name)
    values = viewing.values(view, data="planted", without=OFF)
    rows = {row.key: row for row in view.rows({})}
    assert tuple(rows["without"].labels(values)) == EVERY
    assert datasets.of(values).train.feature_names == LEFT
    assert all(part.feature_names == LEFT for part in datasets.of(values))
    assert view.studied(values, values)["without"] == OFF


@pytest.mark.parametrize(
    ("chosen", "refused"),
    [({}, True), ({"without": ("f1",)}, False), ({"normalise": "minmax"}, False)],
)
def test_algorithms_are_refused_by_the_data_that_is_trained_on(chosen, refused):
    X = np.random.default_rng(0).normal(size=(12, 3))
    X[0, 0] = 1e39
    train = RankingDataset.from_arrays(X, [0, 1, 2] * 4, [0] * 6 + [1] * 6)
    name = datasets.upload(Splits(train, train), Files({"train": "large"}))
    values = viewing.values(RUN, data=name, algorithm="XGBoost", **chosen)
    label = shared.ALGORITHM.labels(values)["XGBoost"]
    assert label.endswith("(not for this data)") == refused
    assert (RUN.work.refuses(values) is not None) == refused


def test_a_path_is_trained_without_them_and_says_so():
    view = viewing.view("sparsity", "One path")
    shown = viewing.shown(view, **QUICK | {"values": 4})
    settings = {fact.meaning: fact for fact in shown.facts if isinstance(fact, Fact)}
    assert any("2 switched off" in f.note for f in settings.values())
    assert "load_dataset('planted').without(['f2', 'f4'])" in shown.python


def test_a_run_is_trained_without_them_and_says_so(run):
    shown = reports.show(LINK)
    assert facts(shown)["Non-zero coefficients"] == "of 43, 2 switched off"
    (taken,) = (one for one in flat(shown.blocks) if isinstance(one, TakeModel))
    model = json.loads(model_to_json(taken.model("last")))
    assert tuple(model["feature_names"]) == LEFT
    assert model["coefficients"] == run.history[-1].coef.tolist()


def test_a_choice_of_a_switched_off_feature_is_not_offered():
    chosen = viewing.values(RUN, data="planted", algorithm="SingleFeature", without=OFF)
    (row,) = (row for row in RUN.rows(chosen) if row.key == "SingleFeature.feature")
    assert tuple(row.features(chosen)) == LEFT


def test_numbered_features_of_other_data_are_no_coincidence(run):
    model = _plan.algorithm(viewing.values(RUN, **QUICK)).load_run(run)
    other = replace(load_dataset("planted").test, name="another test")
    assert len(document_scores(model, other)) == other.n_documents
    X = np.hstack([other.X, other.X])
    names = tuple(f"f{number}" for number in range(1, X.shape[1] + 1))
    with pytest.raises(ValueError, match=r"only it has f2, f4.* --ignore"):
        document_scores(model, replace(other, X=X, feature_names=names))


@pytest.mark.parametrize(
    ("without", "reason"),
    [
        ("f2,price", "without must be one of 45 names such as .* not 'price'"),
        (",".join(EVERY), "without names all 45, but at least one must remain"),
    ],
)
@pytest.mark.parametrize("page", ["train", "sparsity"])
def test_a_link_with_unknown_features_shows_no_figure(page, without, reason):
    with pytest.raises(ValueError, match=reason):
        reports.show(f"{page}?data=planted&without={without}")


def test_a_link_that_names_a_feature_often_names_it_once():
    value = shared.WITHOUT.parse(",".join(OFF * 100_000))
    values = viewing.values(RUN, data="planted", without=value)
    assert values.without == OFF
    assert shared.WITHOUT.refusal(value, values) is None


def test_the_link_has_names_with_commas():
    names = ("tf*idf, body", "50 % off", "a")
    row = shared.WITHOUT
    assert row.parse(row.format(names)) == names
    assert row.format(OFF) == "f2,f4"
    data = load_dataset("planted").train
    renamed = data.with_features(LEFT[:3])
    renamed = type(data)(
        renamed.X, renamed.y, renamed.offsets, renamed.query_ids, renamed.doc_ids, names
    )
    key = datasets.upload(Splits(renamed), Files({"train": "shop.csv"}))
    raw = {"data": key, "without": names[:2]}
    page, values = viewing.page("train"), viewing.values(RUN, **raw)
    link = links.link(page, RUN.rows(raw), values)
    assert links.opened(link).values().without == names[:2]
    assert datasets.of(values).train.feature_names == ("a",)
    assert "--ignore 'tf*idf, body' --ignore '50 % off'" in _plan.command(values)


def test_other_data_has_all_its_features(monkeypatch):
    assert shared.DATA.writes(viewing.values(RUN), "toy-2d") == {
        "data": "toy-2d",
        "without": (),
    }
    # Names that it does not have are no matter, however they came there.
    assert viewing.values(RUN, data="toy-2d", without=("f9",)).without == ()


def test_normalisation_and_switches_go_together():
    once = datasets.load("planted", "zscore", OFF).train
    whole = datasets.load("planted", "zscore").train
    places = [whole.feature_names.index(name) for name in LEFT]
    assert once.normalisation == "zscore"
    assert once.X.tolist() == whole.X[:, places].tolist()


def test_a_stored_run_finds_its_features(kept):
    whole = load_dataset("planted")
    assert past.settings(kept)["without"] == OFF
    again = kept.again(whole.train, whole.valid)
    list(again)
    assert again.train.feature_names == LEFT
    assert again.history[-1].coef.tolist() == kept.model("last").coef_.tolist()
    assert kept.recalled(whole.train, whole.valid).train.feature_names == LEFT
    data, scores = kept.scored(whole)
    assert len(scores) == data.n_documents
    raw = past.settings(kept)
    values, page = viewing.values(RUN, **dict(raw)), viewing.page("train")
    assert "without=f2%2Cf4" in links.link(page, RUN.rows(raw), values)


def test_the_inspector_opens_the_models_with_their_features(kept, run):
    view = viewing.view("inspect", "Query")
    model = _plan.algorithm(viewing.values(RUN, **QUICK)).load_run(run)
    file = models.MODELS.add(model_to_json(model).encode(), "mine.json").name
    assert shared.WITHOUT in inspecting.TERMS
    for name in (kept.id, file):
        data = _models.data_of(name, viewing.values(view))
        assert data == {"data": "planted", "normalise": "as given", "without": OFF}
        chosen = viewing.values(view, run=name, **data)
        assert not list(viewing.unsound(view.show(chosen)))
        with pytest.raises(NoModelError) as missing:
            _models.find(name, "", viewing.values(view), load_dataset("planted").train)
        assert missing.value.remedy["without"] == OFF


@pytest.mark.parametrize("off", [("f1", "f3"), ("f2", "f5")])
def test_the_inspector_scores_by_no_other_features_of_that_number(kept, run, off):
    model = _plan.algorithm(viewing.values(RUN, **QUICK)).load_run(run)
    file = models.MODELS.add(model_to_json(model).encode(), "mine.json").name
    train = datasets.load("planted", without=off).train
    assert train.n_features == len(LEFT)
    view = viewing.view("inspect", "Query")
    values = viewing.values(view, data="planted", without=off)
    for name in (kept.id, file):
        with pytest.raises(NoModelError, match="only it has f") as missing:
            _models.find(name, "", values, train)
        assert missing.value.remedy == {"without": OFF}


def test_compare_finds_the_data_of_a_stored_run(kept):
    from pages.views.compare import _stored

    (place,) = _stored.places([from_store(kept)])
    assert datasets.load(*place).train.fingerprint == kept.fingerprint


def test_the_page_names_an_unknown_feature(run_page):
    page = run_page("train", data="planted", without="f2,price")
    (warning,) = page.warning
    assert "not 'price'" in warning.value
    assert not page.get("plotly_chart")
