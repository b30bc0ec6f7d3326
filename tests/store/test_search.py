"""Runs are searched, filtered, sorted and counted by the database."""

import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import select, update

from rankcore import RankingDataset
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.algorithms.rsrank import RSRank
from rankcore.measures import STANDARD, Rules
from rankcore.studies.store import Query, _search, open_store
from rankcore.studies.store._tables import runs
from rankcore.training import Stop, drive
from tests.store import nursery

ZERO = {"title": "First", "notes": "a 100% baseline", "tags": ["paper", "Übung"]}
ONE = {"title": "second_try", "tags": ["paper"]}
TWO = {"title": "Third", "notes": "SECOND thoughts"}


def trained(store, model, data, valid=None):
    """The id of a run."""
    run = drive(model, data, valid, measures=("nDCG@10", "AP"))
    with store.recording(run) as recorder:
        list(run)
    return recorder.id


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(request, tmp_path_factory):
    """A store for all tests, on either kind of database."""
    if request.param == "sqlite":
        file = tmp_path_factory.mktemp("search") / "runs.sqlite"
        opened = open_store(f"sqlite:///{file}")
    else:
        opened = open_store(request.getfixturevalue("postgres"))
        opened.delete(*opened.runs().index)
        opened.clear()
    with opened:
        yield opened


@pytest.fixture(scope="module")
def data():
    """Ten queries of five documents."""
    rng = np.random.default_rng(1)
    X, y = rng.random((50, 3)), rng.integers(0, 3, 50)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(10), 5), name="small")


@pytest.fixture(scope="module")
def three(store, data):
    """The ids of three runs, from the oldest to the newest."""
    models = RSRank(max_iter=5), RankSVM(max_iter=3), RSRank(max_iter=9)
    keys = [trained(store, model, data, data) for model in models]
    for key, noted in zip(keys, (ZERO, ONE, TWO), strict=True):
        store.note(key, **noted)
    return keys


@pytest.fixture
def another(store):
    """Removes runs for good after the test."""
    keys = []
    yield keys
    store.delete(*keys)
    store.clear()


def found(store, keys, **asked):
    """The numbers of the runs that are found, in order."""
    return [keys.index(key) for key in store.search(Query(**asked)).table.index]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", [2, 1, 0]),
        ("second", [2, 1]),
        ("Second thoughts", [2]),
        ("rsrank", [2, 0]),
        ("small", [2, 1, 0]),
        ("100%", [0]),
        ("0%b", []),
        ("d_t", [1]),
        ("paper", [1, 0]),
        ("Übung", [0]),
        ('"', []),
    ],
)
def test_every_word_is_searched_for_as_it_is_written(store, three, text, numbers):
    assert found(store, three, text=text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("g = 30", [1]),
        ("rsrank G=30", [1]),
        ("g=3", [0]),
        ("g = 0", [2]),
        ("g = 30, η = 0.5", [1]),
        ("learning_rate=0.5", [1]),
        ("eta =0.5", [1]),
        ("smallest gradient = 1e-05", [4]),
        ("hinge", [3]),
        ("0.5", [1]),
        ("g=30 hinge", []),
    ],
)
def test_runs_are_found_by_their_settings(store, data, another, text, numbers):
    models = (
        RSRank(g=3.0, max_iter=2),
        RSRank(g=30.0, learning_rate=0.5, max_iter=2),
        RSRank(max_iter=2),
        RankSVM(loss_function="hinge", max_iter=2),
        RankSVM(gradient_tolerance=1e-5, max_iter=2),
    )
    result = replace(data, name="own")
    another += [trained(store, model, result) for model in models]
    assert found(store, another, text=text, data="own", sort="oldest") == numbers
    counts = store.counts("status", Query(text=text, data="own"))
    assert sum(count.runs for count in counts) == len(numbers)


def test_a_setting_that_very_many_runs_have_is_found(store, three, monkeypatch):
    many = [*three, "it's 5 %", *(f"{number:012x}" for number in range(300_000))]
    monkeypatch.setattr(_search, "_set_so", lambda *_: {"g=30": many})
    assert found(store, three, text="g=30", sort="oldest") == [0, 1, 2]


def test_a_run_of_an_algorithm_that_is_not_here_is_found(store, data, another):
    another.append(trained(store, RSRank(g=30.0, max_iter=2), data))
    gone = update(runs).where(runs.c.id == another[0]).values(algorithm="Elsewhere")
    with store._database.engine.begin() as connection:
        connection.execute(gone)
    assert list(store.search(Query("elsewhere")).table["settings"]) == [""]
    assert found(store, another, text="g=30") == []


def test_a_model_that_ranks_nothing_has_no_value_in_the_list(store, data, another):
    key = trained(store, RSRank(max_iter=2), data, data)
    another.append(key)
    of_run = runs.c.id == key
    with store._database.engine.begin() as connection:
        best = connection.execute(select(runs.c.best).where(of_run)).scalar_one()
        assert best["nonzeros"] > 0
        tied = update(runs).where(of_run).values(best=best | {"ranks": 0.0})
        connection.execute(tied)
    row = store.search(Query(sort="newest")).table.loc[key]
    assert not row["best_ranks"]
    assert np.isnan(row["best"])
    assert row["last_ranks"]
    assert np.isfinite(row["last"])


def test_an_id_is_found_by_its_beginning(store, three):
    assert found(store, three, text=three[1][:7]) == [1]
    assert store.beginning(three[1][:7]) == [three[1]]
    assert store.beginning("_") == []


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"algorithm": "RankSVM"}, [1]),
        ({"data": "small"}, [2, 1, 0]),
        ({"data": "smal"}, []),
        ({"status": "finished"}, [2, 1, 0]),
        ({"status": "running"}, []),
        ({"tag": "paper"}, [1, 0]),
        ({"tag": "pape"}, []),
        ({"tag": "paper", "algorithm": "RSRank"}, [0]),
        ({"sort": "oldest"}, [0, 1, 2]),
        ({"sort": "iterations"}, [2, 0, 1]),
        ({"sort": "title"}, [0, 1, 2]),
        ({"sort": "algorithm"}, [1, 2, 0]),
        ({"deleted": True}, []),
    ],
)
def test_runs_are_filtered_and_sorted(store, three, asked, numbers):
    assert found(store, three, **asked) == numbers


def test_a_sort_that_is_not_known_is_told(store):
    with pytest.raises(ValueError, match=r"Sort runs by newest, .* not by 'colour'"):
        store.search(Query(sort="colour"))


def test_best_and_last_are_those_of_the_measure(store, three):
    for measure in ("nDCG@10", "AP"):
        table = store.search(Query(measure=measure, sort="best")).table
        runs = [store.load(key) for key in table.index]
        assert list(table["best"]) == [run.best[f"valid {measure}"] for run in runs]
        assert list(table["last"]) == [run.last[f"valid {measure}"] for run in runs]
        assert list(table["best"]) == sorted(table["best"], reverse=True)
    at = [run.best["iteration"] for run in runs]
    assert list(table["best_iteration"]) == at


def test_values_of_other_data_or_rules_are_not_compared(store, three, data, another):
    """Lists by value have each data set's apart, and counts have a best of each."""
    model, other = RSRank(max_iter=2), replace(data, name="a larger set")
    for valid, rules in ((other, STANDARD), (data, Rules("letor3")), (other, STANDARD)):
        run = drive(model, valid, valid, stop=Stop(2), rules=rules)
        with store.recording(run) as recorder:
            list(run)
        another.append(recorder.id)
    table = store.search(Query(sort="best", algorithm="RSRank")).table
    terms = list(table["terms"])
    apart = [name for name, _ in itertools.groupby(terms)]
    assert apart == ["a larger set", "small, letor3", "small"]
    for _, result in table.groupby("terms"):
        dropna = result["best"].dropna()
        assert list(dropna) == sorted(dropna, reverse=True)
    counts = [one for one in store.counts("algorithm") if one.value == "RSRank"]
    assert {one.terms for one in counts} == set(terms)
    for one in counts:
        same = table[table["terms"] == one.terms]
        assert (one.runs, one.best) == (len(same), same["best"].max())


def test_runs_without_validation_come_last(store, three, data, another):
    another.append(trained(store, RSRank(max_iter=2), data))
    for sort in ("best", "last"):
        table = store.search(Query(sort=sort)).table
        assert table.index[-1] == another[0]
        assert table["best"].isna().tolist() == [False] * 3 + [True]


def test_pages_follow_each_other(store, three):
    first = store.search(limit=2)
    second = store.search(limit=2, offset=2)
    assert [*first.table.index, *second.table.index] == three[::-1]
    assert first.total == second.total == 3
    assert store.search(limit=2, offset=4).table.empty


def test_runs_are_counted(store, three):
    table = store.search().table
    both = max(table["best"][three[0]], table["best"][three[1]])
    assert [(c.value, c.runs) for c in store.counts("algorithm")] == [
        ("RSRank", 2),
        ("RankSVM", 1),
    ]
    paper, exercise = store.counts("tag")
    assert (paper.value, paper.runs, paper.best) == ("paper", 2, both)
    assert paper.newest == store.load(three[1]).created
    assert (exercise.value, exercise.runs) == ("Übung", 1)
    assert {(c.value, c.runs) for c in store.counts("measure")} == {
        ("nDCG@10", 3),
        ("AP", 3),
    }
    assert [c.runs for c in store.counts("data", Query(tag="paper"))] == [2]
    assert store.counts("status", Query(deleted=True)) == []


def test_the_values_of_filters_are_the_most_frequent_first(store, three):
    assert store.facets() == {
        "algorithm": ["RSRank", "RankSVM"],
        "data": ["small"],
        "tag": ["paper", "Übung"],
        "measure": ["AP", "nDCG@10"],
    }


def test_a_run_whose_process_has_gone_is_found_as_interrupted(store, three, another):
    whole = store._database.url.render_as_string(hide_password=False)
    process, line, _ = nursery.trained(whole, "RSRank", 1, 600.0)
    key = line.recv()
    another.append(key)
    try:
        assert list(store.search(Query(status="running")).table.index) == [key]
        assert store.counts("status")[-1].value == "running"
    finally:
        process.kill()
        process.join()
    table = store.search(Query(status="interrupted")).table
    assert list(table["status"]) == ["interrupted"]
    assert list(table.index) == [key]
    assert store.search(Query(status="running")).total == 0


def test_a_run_on_another_machine_is_interrupted_once_it_is_silent(
    store, three, another, data
):
    run = drive(RSRank(max_iter=5), data)
    with store.recording(run) as recorder:
        another.append(recorder.id)
        next(run)
        for ago, status in ((0, "running"), (9, "interrupted")):
            when = datetime.now(UTC) - timedelta(days=ago)
            with store._database.engine.begin() as connection:
                other = update(runs).values(host="other", updated=when)
                connection.execute(other.where(runs.c.id == recorder.id))
            (row,) = store.search(Query(status=status)).table.index
            assert row == recorder.id


def test_a_run_that_came_from_elsewhere_is_found(store, three, another):
    content = json.loads(store.load(three[0]).to_json())
    key = store.add(json.dumps(content | {"id": "elsewhere", "title": "Came"}))
    another.append(key)
    assert list(store.search(Query("came")).table.index) == [key]
