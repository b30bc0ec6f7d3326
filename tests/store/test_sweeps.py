"""A sweep is one entry of a store, and its cells become runs when they are opened."""

import itertools

import numpy as np
import pytest

from rankcore.executors import Processes
from rankcore.store import StoreError, open_store
from rankcore.sweeps import sweep
from rankcore.training import Stop

OVER = {"g": [0.0, 5.0, 1e3]}


def swept(store, data, **more):
    return sweep("RSRank", data, data, OVER, seeds=(0, 1), store=store, **more)


def test_a_sweep_is_read_back_as_it_was(store, small):
    found = swept(store, small, stop=Stop(4), measures=("AP", "nDCG@10"))
    rows = list(found)
    (key,) = store.sweeps().index
    entry = store.sweeps().loc[key]
    assert (entry["title"], entry["algorithm"]) == ("RSRank over g", "RSRank")
    assert (entry["data"], entry["cells"], entry["ended"]) == ("small", 6, 6)
    kept = store.load_sweep(key)
    assert kept.created == entry["created"]
    assert kept.to_frame().reset_index(drop=True).equals(found.to_frame())
    assert [tuple(c["settings"][0]) for c in kept.cells] == [
        cell.settings[0] for cell in found.cells
    ]
    # A cell becomes a run, which reaches the same to the bit.
    assert store.runs().empty
    run = kept.run(3, small, small)
    with store.recording(run) as recorder:
        list(run)
    np.testing.assert_array_equal(run.best.coef, rows[3].coef)
    stored = store.load(recorder.id)
    assert stored.best["valid AP"] == rows[3].valid["AP"]
    assert stored.iterations == 4
    with pytest.raises(ValueError, match="This sweep was made with other data, small"):
        kept.run(3, small)
    store.remove_sweeps(key)
    assert store.sweeps().empty
    assert len(store) == 1
    with pytest.raises(KeyError, match="There is no sweep"):
        store.load_sweep(key)


def test_a_cell_ends_by_the_algorithms_own_limit(url, small):
    with open_store(url) as store:
        list(sweep("RSRank", small, over={"max_iter": [3]}, store=store))
        run = store.load_sweep(store.sweeps().index[0]).run(0, small)
    assert len(list(itertools.islice(run, 9))) == 4


def test_a_sweep_that_is_left_keeps_the_rows_so_far(url, small):
    with open_store(url) as store:
        found = swept(store, small, stop=Stop(2), title="Half of it")
        next(found)
        found.close()
        (key,) = store.sweeps().index
        assert store.sweeps().loc[key, "ended"] == 1
        assert store.sweeps().loc[key, "title"] == "Half of it"
        assert list(store.load_sweep(key).to_frame().index) == [0]


def test_cells_that_fail_are_kept_with_their_reason(url, small):
    with open_store(url) as store:
        over = {"feature": ["best", "nope"]}
        found = sweep("SingleFeature", small, over=over, store=store)
        rows = list(found)
        table = store.load_sweep(store.sweeps().index[0]).to_frame()
    assert table["failed"].tolist() == [False, True]
    assert table["reason"].tolist() == [row.reason for row in rows]
    assert table["objective"].isna().tolist() == [False, True]


def test_rows_of_other_processes_are_kept(url, small):
    with open_store(url) as store, Processes(2) as executor:
        rows = list(swept(store, small, executor=executor, stop=Stop(2)))
        kept = store.load_sweep(store.sweeps().index[0]).to_frame()
    assert sorted(kept["valid nDCG@10"]) == sorted(r.valid["nDCG@10"] for r in rows)


def test_a_sweep_does_not_fit_in_a_full_store(url, small, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "1 KB")
    with open_store(url) as store, pytest.raises(StoreError, match="its limit is 1 KB"):
        swept(store, small)
