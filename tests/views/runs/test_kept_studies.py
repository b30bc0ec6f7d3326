"""What studies of pages train is kept as the visitor's: sweeps as one entry each, the
runs of a race as runs."""

import pytest

from pages.ui.serving import visitor
from rankcore.studies.store import open_store
from rankcore.views import past
from tests.viewing import values, view

COMPARE = view("compare", "Curves and differences")
MAP = view("explore", "Map")
SEARCH = view("explore", "Search")
SENSITIVITY = view("explore", "Sensitivity")
PATH = view("sparsity", "One path")
RACE = view("train", "Race")
TWO = {
    "data": "planted",
    "compared": ("RSRank", "ListNet"),
    "compared_values": 2,
    "compared_seeds": 1,
    "compared_limit": 2,
}
FOUR = {"data": "planted", "map_y": "none", "map_values": 9, "map_iterations": 2}
RUNS = {"data": "planted", "racers": ("RSRank", "ListNet"), "race_limit": 3}


@pytest.fixture
def url(tmp_path, monkeypatch):
    """The address of a store of the test's own, which the pages write to for ``me``."""
    address = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", address)
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    monkeypatch.setattr(visitor, "current", lambda: "me")
    yield address
    past.store().close()


def ended(of, chosen):
    """A study begun now, at its end."""
    result = values(of, **chosen)
    study = of.work_for(result).study(result)
    for _ in study:
        pass
    return study


def test_a_comparison_is_an_entry_for_each_algorithm(url):
    ended(COMPARE, TWO)
    with open_store(url) as store:
        sweeps = store.sweeps(visitor="me")
        assert sorted(sweeps["title"]) == ["ListNet over l2", "RSRank over g"]
        assert sweeps["ended"].tolist() == [2, 2]
        assert store.sweeps(visitor="her").empty


def test_a_map_is_one_entry(url):
    study = ended(MAP, FOUR)
    with open_store(url) as store:
        (key,) = store.sweeps(visitor="me").index
        rows = store.load_sweep(key).to_frame()
        assert len(rows) == len(study.found) == 9
        assert store.sweeps(visitor="her").empty


def test_a_search_is_one_entry(url):
    chosen = {"data": "planted", "search_models": 4, "search_iterations": 2}
    study = ended(SEARCH, chosen)
    with open_store(url) as store:
        sweeps = store.sweeps(visitor="me")
        title = "RSRank, search over g, learning_rate, truncation_interval"
        assert sweeps["title"].tolist() == [title]
        assert sweeps["ended"].tolist() == [len(study.found)] == [4]
        assert store.sweeps(visitor="her").empty


def test_a_search_that_is_refused_is_none(url):
    chosen = values(SEARCH, data="planted", search_models=4, search_by="grid")
    assert SEARCH.refusal(chosen).startswith("The coarsest grid has 8 models")
    with open_store(url) as store:
        assert store.sweeps().empty


def test_a_sensitivity_is_one_entry(url):
    chosen = {"data": "toy-2d", "vary": "noise", "vary_repeats": 2}
    study = ended(SENSITIVITY, chosen | {"vary_iterations": 2})
    with open_store(url) as store:
        sweeps = store.sweeps(visitor="me")
        assert sweeps["ended"].tolist() == [len(study.found)]
        assert store.sweeps(visitor="her").empty


def test_a_path_is_one_entry(url):
    study = ended(PATH, {"data": "planted", "values": 4, "RSRank.max_iter": 2})
    with open_store(url) as store:
        sweeps = store.sweeps(visitor="me")
        assert sweeps["title"].tolist() == ["RSRank, path over g"]
        assert sweeps["ended"].tolist() == [len(study.found)]


def test_the_runs_of_a_race_are_runs(url):
    study = ended(RACE, RUNS)
    with open_store(url) as store:
        runs = store.runs(visitor="me")
        assert sorted(runs["title"]) == sorted(study.subject.begun)
        assert runs["iterations"].tolist() == [3, 3]
        assert set(runs["status"]) == {"finished"}
        assert store.runs(visitor="her").empty


def test_a_study_that_cannot_be_kept_goes_on_and_says_so(url, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "1 KB")
    assert len(ended(COMPARE, TWO).found) == 4
    assert past.problem().startswith("Runs are not kept after a restart: The run store")
    assert len(ended(RACE, RUNS).subject.begun) == 2
    with open_store(url) as store:
        assert store.sweeps().empty
        assert store.runs().empty


def test_what_no_page_has_begun_is_not_kept(url, monkeypatch):
    monkeypatch.setattr(visitor, "current", lambda: "")
    ended(COMPARE, TWO)
    with open_store(url) as store:
        assert store.sweeps().empty
