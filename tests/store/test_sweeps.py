"""A sweep, a path, a search or a sensitivity is one entry of a store, and its cells
become runs when they are opened."""

import dataclasses
import itertools

import numpy as np
import pytest

from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.rsrank import RSRank
from rankcore.compute.executors import Processes
from rankcore.data.catalogue import Splits
from rankcore.studies.paths import path
from rankcore.studies.searches import Range, search
from rankcore.studies.store import StoredSweep, StoreError, SweepKeeper, open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore.sensitivity import FACTORS, SensitivityPlan
from rankcore.training import Stop

OVER = {"g": [0.0, 5.0, 1e3]}


def swept(store, data, **more):
    return sweep("RSRank", data, data, OVER, seeds=(0, 1), store=store, **more)


def test_a_sweep_is_read_back_as_it_was(store, small):
    result = swept(store, small, stop=Stop(4), measures=("AP", "nDCG@10"))
    rows = list(result)
    (key,) = store.sweeps().index
    entry = store.sweeps().loc[key]
    assert (entry["title"], entry["algorithm"]) == ("RSRank over g", "RSRank")
    assert (entry["data"], entry["cells"], entry["ended"]) == ("small", 6, 6)
    assert entry["best"] == max(row.valid["AP"] for row in rows)
    value = store.load_sweep(key)
    assert value.created == entry["created"]
    assert value.to_frame().reset_index(drop=True).equals(result.to_frame())
    assert tuple(value.cells) == result.cells
    # A cell becomes a run, which reaches the same to the bit.
    assert store.runs().empty
    run = value.run(3, small, small)
    with store.recording(run) as recorder:
        list(run)
    np.testing.assert_array_equal(run.best.coef, rows[3].coef)
    stored = store.load(recorder.id)
    assert stored.best["valid AP"] == rows[3].valid["AP"]
    assert stored.iterations == 4
    with pytest.raises(ValueError, match="This sweep was trained on other data, small"):
        value.run(3, small)
    store.delete(key)
    assert store.sweeps().empty
    assert list(store.sweeps(deleted=True).index) == [key]
    store.restore(key)
    assert store.sweeps(deleted=True).empty
    assert store.sweeps().loc[key].equals(entry)
    store.delete(key)
    assert store.clear() == (0, 1)
    assert len(store) == 1
    with pytest.raises(KeyError, match="There is no sweep"):
        store.load_sweep(key)


def test_a_cell_ends_by_the_algorithms_own_limit(url, small):
    with open_store(url) as store:
        list(sweep("RSRank", small, over={"max_iter": [3]}, store=store))
        run = store.load_sweep(store.sweeps().index[0]).run(0, small)
    assert len(list(itertools.islice(run, 9))) == 4


def test_a_cell_reaches_the_same_where_few_iterations_are_measured(url, small):
    with open_store(url) as store:
        over = {"learning_rate": [0.1, 0.3]}
        fields = {"stop": Stop(30), "measured_every": 7, "store": store}
        rows = list(sweep("ApproxNDCG", small, small, over, **fields))
        result = store.load_sweep(store.sweeps().index[0])
    for number, row in enumerate(rows):
        run = result.run(number, small, small)
        list(run)
        np.testing.assert_array_equal(run.best.coef, row.coef)


@pytest.mark.parametrize("by", ["random", "halving", "tpe"])
def test_a_search_is_one_entry_whose_cells_become_runs(store, small, by):
    over = {"g": None, "learning_rate": Range(0.001, 1.0)}
    result = search(
        "RSRank", small, small, over, by, 9, stop=Stop(9), prune=by == "tpe",
        generation=6, seeds=(4,), store=store,
    )  # fmt: skip
    assert store.sweeps().empty
    next(result)
    entry = store.sweeps().iloc[0]
    assert entry["title"] == "RSRank, search over g, learning_rate"
    assert (entry["cells"], entry["ended"]) == (result.total, 1)
    (key,) = store.sweeps().index
    half = store.load_sweep(key)
    assert len(half.cells) == result.total
    with pytest.raises(ValueError, match="Cell 8 of this search was not proposed"):
        half.run(8, small, small)
    every = [result.candidates[0], *result]
    value = store.load_sweep(key)
    rows = [row for one in sorted(every, key=lambda c: c.number) for row in one.rows]
    assert [cell.settings for cell in value.cells] == [
        row.cell.settings for row in rows
    ]
    assert any(row.pruned for row in rows) == (by == "tpe")
    table = value.to_frame()
    assert table["valid nDCG@10"].tolist() == [row.valid["nDCG@10"] for row in rows]
    for number, row in enumerate(rows):
        run = value.run(number, small, small)
        list(run)
        assert run.history[-1].iteration == row.iterations
        np.testing.assert_array_equal(run.best.coef, row.coef)


def test_a_search_over_folds_has_a_cell_for_each(url, small):
    folds = {"a": Splits(small, small), "b": Splits(small.subset(range(6)), small)}
    with open_store(url) as store:
        over = {"g": [0.0, 5.0]}
        every = list(search("RSRank", folds, None, over, models=2, by="grid",
                            seeds=(0, 1), stop=Stop(2), store=store))  # fmt: skip
        result = store.load_sweep(store.sweeps().index[0])
    values = [row.cell for one in every for row in one.rows]
    assert tuple(result.cells) == tuple(values)
    assert len(result.to_frame()) == 8


def test_a_search_that_ends_before_its_first_model_leaves_no_entry(url, small):
    with open_store(url) as store:
        result = search("RSRank", small, over={"g": None}, store=store)
        result.close()
        assert store.sweeps().empty


@pytest.mark.parametrize("vary", FACTORS)
def test_the_cells_of_a_sensitivity_become_runs_on_the_same_data(store, small, vary):
    splits = Splits(small.subset(range(8)), small.subset(range(8, 12)), None)
    plan = SensitivityPlan(
        ApproxNDCG(), splits, vary, repeats=2, seed=4, max_iterations=3
    )
    study = plan.study(store=store)
    list(study)
    (key,) = store.sweeps().index
    result, entry = store.load_sweep(key), store.sweeps().loc[key]
    assert entry["title"] == f"ApproxNDCG, sensitivity to {plan.factor.name}"
    assert (entry["cells"], entry["ended"]) == (plan.runs, plan.runs)
    # A name of the data once, however many folds it has.
    assert entry["data"] == "small"
    assert result.pooled == (vary == "folds")
    assert len(set(result.cells)) == plan.runs
    table = result.to_frame()
    levels = table.get(plan.factor.axis, np.zeros(plan.runs))
    if vary not in ("seeds", "folds"):
        places = [plan.places[one.cell] for one in study.found]
        assert levels.tolist() == [level for level, _ in places]
        assert table["repeat"].tolist() == [repeat + 1 for _, repeat in places]
    for number, row in enumerate(study.found):
        train, valid, _ = plan.data[result.cells[number].fold]
        run = result.run(number, train, valid)
        list(run)
        np.testing.assert_array_equal(run.best.coef, row.coef)


TRAINED = {
    "sweep": lambda data, store: swept(store, data, stop=Stop(2)),
    "path": lambda data, store: path(
        RSRank(max_iter=2), Splits(data, data), "g", store=store
    ),
    "search": lambda data, store: search(
        "RSRank", data, data, OVER, "grid", 3, stop=Stop(2), store=store
    ),
}


@pytest.mark.parametrize("kind", TRAINED)
def test_no_run_waits_until_large_data_is_read(store, unread, kind):
    data, read = unread
    result = TRAINED[kind](data, store)
    # The models of a path say which data they were fitted on, so its points wait.
    next(result.findings() if kind == "path" else result)
    (key,) = store.sweeps().index
    value = store.load_sweep(key)
    assert len(value.to_frame()) == (kind != "path")
    with pytest.raises(ValueError, match="has not been read completely"):
        value.run(0, data, data)
    read.set()
    # What the data is, is also written of a sweep that is left.
    result.close()
    value = store.load_sweep(key)
    assert value.folds[""]["fingerprint"] == data.fingerprint
    assert value.folds[""]["valid_fingerprint"] == data.fingerprint
    assert len(list(value.run(0, data, data))) == 3


def test_a_sweep_that_is_left_keeps_the_rows_so_far(url, small):
    with open_store(url) as store:
        result = swept(store, small, stop=Stop(2), title="Half of it")
        next(result)
        result.close()
        (key,) = store.sweeps().index
        assert store.sweeps().loc[key, "ended"] == 1
        assert store.sweeps().loc[key, "title"] == "Half of it"
        assert list(store.load_sweep(key).to_frame().index) == [0]


def test_cells_that_fail_are_kept_with_their_reason(url, small):
    with open_store(url) as store:
        over = {"feature": ["best", "nope"]}
        result = sweep("SingleFeature", small, over=over, store=store)
        rows = list(result)
        table = store.load_sweep(store.sweeps().index[0]).to_frame()
    assert table["failed"].tolist() == [False, True]
    assert table["reason"].tolist() == [row.reason for row in rows]
    assert table["objective"].isna().tolist() == [False, True]


@pytest.mark.soak
def test_rows_of_other_processes_are_kept(url, small):
    with open_store(url) as store, Processes(2) as executor:
        rows = list(swept(store, small, executor=executor, stop=Stop(2)))
        frame = store.load_sweep(store.sweeps().index[0]).to_frame()
    assert sorted(frame["valid nDCG@10"]) == sorted(r.valid["nDCG@10"] for r in rows)


def test_a_sweep_does_not_fit_in_a_full_store(url, small, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "1 KB")
    with open_store(url) as store, pytest.raises(StoreError, match="its limit is 1 KB"):
        swept(store, small)


def test_a_visitor_sees_own_sweeps_and_everybody_s(store, small):
    list(swept(store, small, stop=Stop(1)))
    (ours,) = store.sweeps().index
    # As a page has it kept.
    named = [field.name for field in dataclasses.fields(StoredSweep)]
    result = store.load_sweep(ours)
    settings = {n: getattr(result, n) for n in named[2:-1]} | {"visitor": "me"}
    value = store.begin_sweep(**settings)
    assert list(store.sweeps(visitor="me").index) == [value, ours]
    assert list(store.sweeps(visitor="her").index) == [ours]
    assert list(store.sweeps().index) == [value, ours]
    with pytest.raises(StoreError, match="another visitor"):
        store.delete(value, visitor="her")
    with pytest.raises(StoreError, match=f"{ours} is common"):
        store.delete(ours, visitor="her")
    assert (store.load_sweep(value).visitor, store.load_sweep(ours).visitor) == (
        "me",
        None,
    )
    store.delete(value, ours)
    assert list(store.sweeps(deleted=True, visitor="me").index) == [value]
    assert store.clear("her") == (0, 0)
    assert store.clear("me") == (0, 1)
    assert list(store.sweeps(deleted=True).index) == [ours]


def test_sweeps_of_an_earlier_version_stay(store, small):
    """Sweeps that were kept before visitors had their own."""
    list(swept(store, small, stop=Stop(1), title="Before"))
    url = store._database.url.render_as_string(hide_password=False)
    with store._writing() as connection:
        for statement in (
            "ALTER TABLE rankscope_sweeps DROP COLUMN visitor",
            "ALTER TABLE rankscope_sweeps DROP COLUMN warm",
            "ALTER TABLE rankscope_sweeps DROP COLUMN measured_every",
            "ALTER TABLE rankscope_cells DROP COLUMN own",
            "ALTER TABLE rankscope_sweeps DROP COLUMN deleted",
            "DROP TABLE rankscope_progress",
            "ALTER TABLE rankscope_sweeps DROP COLUMN study",
            "UPDATE rankscope_alembic_version SET version_num = '0004'",
        ):
            connection.exec_driver_sql(statement)
    store.close()
    with open_store(url) as again:
        sweeps = again.sweeps(visitor="me")
        assert sweeps["title"].tolist() == ["Before"]
        result = again.load_sweep(sweeps.index[0])
        assert (result.visitor, result.measured_every) == (None, 1)
        assert sweeps["ended"].tolist() == [6]
        # Each is one study by itself, whose interval is not known.
        assert sweeps["study"].tolist() == [result.id]
        again.delete(result.id)
        assert again.sweeps().empty


def test_a_path_is_one_entry_whose_models_begin_from_the_one_before(store, small):
    splits = Splits(small, small, small)
    result = path(
        RSRank(max_iter=5), splits, "g", [0.0, 5.0, 50.0], take="best", store=store
    )
    points = list(result)
    (key,) = store.sweeps().index
    entry = store.sweeps().loc[key]
    assert (entry["title"], entry["ended"]) == ("RSRank, path over g", 3)
    value = store.load_sweep(key)
    assert value.warm
    table = value.to_frame().drop(columns=["failed", "reason"])
    np.testing.assert_array_equal(table, result.to_frame())
    first = value.run(0, small, small)
    list(first)
    np.testing.assert_array_equal(first.best.coef, points[0].coef)
    with pytest.raises(ValueError, match="start from earlier ones"):
        value.run(1, small, small)
    list(path(RSRank(max_iter=5), splits, "g", [0.0], warm=False, store=store))
    assert not store.load_sweep(store.sweeps().index[0]).warm


def test_a_path_that_is_left_keeps_the_points_so_far(url, small):
    with open_store(url) as store:
        result = path(RSRank(max_iter=3), small, "g", [0.0, 5.0], store=store)
        assert store.sweeps().empty
        next(result)
        result.close()
        assert store.sweeps()["ended"].tolist() == [1]


def test_a_sweep_that_cannot_be_kept_goes_on(url, small, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "1 KB")
    with open_store(url) as store:
        noted = []
        keeper = SweepKeeper(lambda: store, noted.append)
        result = sweep("RSRank", small, over=OVER, stop=Stop(1), store=keeper)
        assert len(list(result)) == 3
        assert ["its limit is 1 KB" in str(one) for one in noted] == [True]
        assert store.sweeps().empty
