"""Sweeps: every cell is the run it says, wherever and whenever it is trained."""

import dataclasses
import json
import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest

from rankcore import measures
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.cancellation import cancel_points, rest
from rankcore.compute import calls
from rankcore.compute.executors import Processes
from rankcore.data.catalogue import Splits
from rankcore.studies import sweeps
from rankcore.studies.results import Result
from rankcore.studies.searches import search
from rankcore.studies.sweeps import Cell, sweep
from rankcore.training import Stop, drive
from tests.offloading import offload_soon
from tests.stub_algorithm import Given

FEW = Stop(max_iterations=5)
OWN_SEED = {"random_state": [0]}
OVER = {"g": [0.0, 10.0], "truncation_interval": [1, 5]}


class Backwards(Executor):
    """Calls what it was given last first, when a result is asked for."""

    def __init__(self):
        self.waiting = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.waiting.append((future, fn, args))
        if len(self.waiting) == 4:
            for each, function, result in reversed(self.waiting):
                each.set_result(function(*result))
            self.submit = self.at_once
        return future

    def at_once(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args))
        return future


def same(one, other):
    """Whether two rows are the same to the bit, but for the time they took."""
    assert one.cell == other.cell
    plain = [row.to_row() | {"seconds": 0.0} for row in (one, other)]
    assert plain[0] == plain[1]
    np.testing.assert_array_equal(one.coef, other.coef)
    for name in one.queries:
        np.testing.assert_array_equal(one.queries[name], other.queries[name])


def test_each_cell_is_the_run_of_its_settings_and_seed(small):
    result = sweep("RSRank", small, small, OVER, seeds=(0, 3), stop=FEW)
    rows = list(result)
    assert [row.cell for row in rows] == list(result.cells)
    assert len(rows) == 8
    assert rows[3].cell == Cell((("g", 0.0), ("truncation_interval", 5)), "", 3)
    for row in rows:
        model = RSRank(**dict(row.cell.settings), random_state=row.cell.seed)
        run = drive(model, small, small, stop=FEW)
        list(run)
        np.testing.assert_array_equal(row.coef, run.best.coef)
        assert row.iteration == run.best.iteration
        figures = run.history.to_frame()
        assert set(row.history) == {
            "iteration", "seconds", "train nDCG@10", "valid nDCG@10"
        }  # fmt: skip
        for name in set(row.history) - {"seconds"}:
            np.testing.assert_array_equal(row.history[name], figures[name])
        assert row.iterations == 5
        assert row.valid == run.best.valid
        assert row.reason == run.reason
        assert not row.failed


def test_a_row_comes_back_from_json_to_the_bit(small):
    result = sweep("RSRank", small, small, {"g": [0.0, 5.0], "learning_rate": [0.1]})
    failed = Result(Cell((("g", 1.0),), "2", 0, most=3), "failed", "No.")
    for row in [*result, failed]:
        text = json.dumps(row.to_json(), allow_nan=False)
        again = Result.from_json(json.loads(text))
        assert again.cell == row.cell
        for item in dataclasses.fields(row):
            np.testing.assert_equal(getattr(again, item.name), getattr(row, item.name))


@pytest.mark.parametrize("status", ["failed", "diverged", "pruned", "finished"])
def test_a_row_of_an_earlier_version_is_read(status):
    row = Result(Cell((("g", 1.0),), "", 0), status, "It is so.", nonzeros=3)
    record = row.to_json()
    del record["version"], record["status"], record["ranks"]
    record |= {flag: flag == status for flag in ("failed", "diverged", "pruned")}
    sensitivity = {"level": 0.1, "repeat": 1, "row": record}
    for content in (record, sensitivity):
        assert Result.from_json(content).to_json() == row.to_json()
    assert Result.from_json(record | {"nonzeros": 0}).ranks == (status == "failed")
    with pytest.raises(ValueError, match="a later version"):
        Result.from_json(row.to_json() | {"version": 99})


@pytest.mark.parametrize("processes", [1, 2])
def test_a_sweep_that_was_ended_goes_on_with_its_rows(small, processes):
    more = {"over": OVER, "seeds": (0, 1), "stop": FEW}
    more["order"] = [7, 3, 5, 1, 0, 2, 4, 6]
    whole = sweep("RSRank", small, **more)
    rows = {row.cell: row for row in whole}
    for count in (3, 8):
        result = list(rows.values())[:count][::-1]
        again = list(sweep("RSRank", small, **more, rows=result, processes=processes))
        assert [row.cell for row in again[:count]] == list(rows)[:count]
        assert all(row is rows[row.cell] for row in again[:count])
        assert {row.cell for row in again} == set(whole.cells)
        assert len(again) == 8
        for row in again:
            same(row, rows[row.cell])


def test_values_of_each_query_are_those_of_the_best_model(small):
    (row,) = sweep("RSRank", small, small, {"g": [1.0]}, stop=FEW)
    scores = small.X @ row.coef
    wanted = measures.evaluate(small, scores)["nDCG@10"]
    np.testing.assert_array_equal(row.queries["nDCG@10"], wanted)
    assert row.queries["nDCG@10"].mean() == pytest.approx(row.valid["nDCG@10"])


def test_threads_processes_and_another_order_give_the_same_bits(small):
    alone = {r.cell: r for r in sweep("RSRank", small, small, OVER, stop=FEW)}
    with Processes(1) as other, ThreadPoolExecutor(2) as threads:
        for executor in (other, threads, Backwards()):
            result = sweep("RSRank", small, small, OVER, stop=FEW, executor=executor)
            for row in result:
                same(row, alone[row.cell])
            assert len(result.rows) == 4
            frame = result.to_frame().drop(columns="seconds")
            ordered = sweep("RSRank", small, small, OVER, stop=FEW)
            list(ordered)
            assert frame.equals(ordered.to_frame().drop(columns="seconds"))


def test_shared_arguments_are_sent_to_a_process_once():
    sent = []

    class Watched(Backwards):
        def submit(self, fn, /, *args, **kwargs):
            sent.append(bool(args[1]))
            return self.at_once(fn, *args)

    tasks = [(1,), (2,), (3,)]
    settings = dict(calls.results(Watched(), max, tasks, (2,)))
    assert settings == {0: 2, 1: 2, 2: 3}
    assert sum(sent) <= 3
    assert calls._call("another", (), max, (1,)) != 1
    assert len(calls._contexts) <= calls.MOST_CONTEXTS


def test_a_configuration_that_cannot_be_trained_is_a_row_with_its_reason(small):
    result = sweep("SingleFeature", small, over={"feature": ["best", "nope"]})
    good, bad = result
    assert not good.failed
    assert bad.failed
    assert bad.reason.endswith(".")
    assert np.isnan(bad.objective)
    assert list(result.to_frame()["failed"]) == [False, True]


def test_an_internal_error_is_a_row_too(small, monkeypatch):
    def broken(self, train, rng, start=None):
        raise RuntimeError("out of luck")
        yield

    monkeypatch.setattr(RSRank, "steps", broken)
    (row,) = sweep(RSRank, small, over={"g": [1.0]}, stop=FEW)
    assert row.failed
    assert "RuntimeError" in row.reason
    assert "out of luck" in row.reason


class Deadly(RSRank):
    """Ends its process with one seed, and with one value."""

    def steps(self, dataset, rng, start=None):
        if self.random_state == 1 or self.g == 5.0:
            os._exit(9)
        return super().steps(dataset, rng, start)


@pytest.mark.soak
def test_a_run_that_ends_its_process_each_time_is_a_row(small):
    """Runs that are trained beside it are trained again."""
    with Processes(2) as two:
        result = sweep(Deadly, small, None, {"g": [1.0]}, (0, 1, 2), two, stop=FEW)
        rows = {row.cell.seed: row for row in result}
        assert [rows[seed].failed for seed in (0, 1, 2)] == [False, True, False]
        assert "ended unexpectedly" in rows[1].reason
        # Its processes are others now.
        again = sweep(RSRank, small, None, {"g": [1.0]}, (0, 2), two, stop=FEW)
        for row in again:
            same(row, rows[row.cell.seed])


@pytest.mark.soak
def test_a_model_of_a_search_that_ends_its_process_each_time_is_a_failed_one(small):
    with Processes(2) as two:
        over = {"g": [0.0, 5.0, 9.0]}
        result = search(Deadly, small, None, over, "grid", executor=two, stop=FEW)
        ended = {one.settings["g"]: one for one in result}
    states = {g: one.state for g, one in ended.items()}
    assert states == {0.0: "complete", 5.0: "failed", 9.0: "complete"}
    assert "ended unexpectedly at every attempt" in ended[5.0].reason
    assert result.best is not ended[5.0]


def test_folds_have_their_own_validation_data(small):
    folds = {
        "Fold1": Splits(small, small, None),
        "Fold2": Splits(small.subset([0, 1]), small, None),
    }
    result = sweep("RSRank", folds, over={"g": [1.0]}, seeds=(0, 1), stop=FEW)
    rows = list(result)
    assert [row.cell.fold for row in rows] == ["Fold1", "Fold1", "Fold2", "Fold2"]
    assert not np.array_equal(rows[0].coef, rows[2].coef)
    assert all("nDCG@10" in row.valid for row in rows)


def test_none_stands_for_the_values_declared_for_a_sweep(small):
    result = sweep("RSRank", small, over={"g": None, "learning_rate": [0.01]})
    assert [dict(cell.settings)["g"] for cell in result.cells] == [0.0, 10.0, 50.0]
    every = sweep("RSRank", small)
    assert len(every.cells) == 3 * 3 * 4


def test_an_instance_keeps_its_other_hyperparameters(small):
    (row,) = sweep(RSRank(max_iter=2), small, over={"g": [1.0]})
    assert row.iterations == 2


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"gg": [1]}, "RSRank has no hyperparameter 'gg'; it has g,"),
        ({"g": [-1.0]}, "g must be a number of at least 0, not"),
        ({"g": []}, "Give values for g"),
        ({"max_iter": None}, "Give values for max_iter: RSRank declares none."),
    ],
)
def test_bad_axes_are_refused_with_what_is_possible(small, over, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", "\\(")):
        sweep("RSRank", small, over=over)


@pytest.mark.parametrize(
    ("over", "settings", "fold", "sentence"),
    [
        ({"g": [1.0]}, {"g": 1.0}, "", "Give either over or cells."),
        (None, {"l2": 1.0}, "", "RSRank has no hyperparameter 'l2'; it has g,"),
        (None, {"g": 1.0}, "Fold9", "There is no fold 'Fold9'; there are ''."),
    ],
)
def test_cells_of_other_sweeps_are_refused(small, over, settings, fold, sentence):
    cell = Cell(tuple(settings.items()), fold, 0)
    with pytest.raises(ValueError, match=sentence):
        sweep("RSRank", small, over=over, cells=[cell])


def test_bad_measures_seeds_and_names_are_refused(small):
    with pytest.raises(ValueError, match="nDCX"):
        sweep("RSRank", small, over={"g": [1.0]}, measures=("nDCX",))
    with pytest.raises(ValueError, match="at least one fold and seed"):
        sweep("RSRank", small, over={"g": [1.0]}, seeds=())
    with pytest.raises(ValueError, match="Did you mean"):
        sweep("RSRankk", small, over={"g": [1.0]})


def test_closing_ends_the_sweep_and_keeps_the_rows(small):
    result = sweep("RSRank", small, over=OVER, stop=FEW)
    next(result)
    result.close()
    assert len(result.rows) == 1
    assert list(result) == []


def test_equal_values_are_trained_once(small):
    result = sweep("RSRank", small, over={"g": [1, 1.0]}, stop=FEW)
    assert len(result.cells) == 1


def test_any_order_gives_the_same_rows(small):
    plain = {row.cell: row for row in sweep("RSRank", small, small, OVER, stop=FEW)}
    result = sweep("RSRank", small, small, OVER, stop=FEW, order=[3, 1, 0, 2])
    rows = list(result)
    assert [result.cells.index(row.cell) for row in rows] == [3, 1, 0, 2]
    for row in rows:
        same(row, plain[row.cell])


def test_an_order_names_each_cell_once(small):
    with pytest.raises(ValueError, match="each number below 4 once"):
        sweep("RSRank", small, small, OVER, order=[0, 0, 1, 2])


@pytest.mark.soak
def test_processes_change_no_row(small, monkeypatch):
    """Nor does a pause between two of them."""
    seeds = range(6)
    plain = sweep("RSRank", small, small, OVER, seeds, stop=FEW)
    alone = {row.cell: row for row in plain}
    begun = offload_soon(monkeypatch, sweeps)
    rows = []
    with cancel_points(lambda: None):
        for row in sweep("RSRank", small, small, OVER, seeds, stop=FEW, processes=2):
            rows.append(row)
            if len(begun) and len(rows) % 4 == 0:
                rest()
    assert len({row.reason for row in rows}) > 1
    assert {row.cell for row in rows} == alone.keys()
    for row in rows:
        result = alone[row.cell]
        same(dataclasses.replace(row, reason=result.reason), result)


def test_some_iterations_can_be_left_unmeasured(small):
    rows = sweep("RSRank", small, small, {"g": [1.0]}, stop=FEW, measured_every=2)
    assert next(rows).history["iteration"].tolist() == [0, 2, 4, 5]


def test_rows_say_what_diverged(small):
    nothing, infinite = (0.0,) * small.n_features, (np.inf,) * small.n_features
    values = [
        next(sweep(Given(coefs=coefs, objectives=(1.0, 1.0)), small, over=OWN_SEED))
        for coefs in ((nothing, nothing), (nothing, infinite))
    ]
    assert [row.diverged for row in values] == [False, True]


def test_rows_say_where_the_gradient_has_vanished(small):
    settings = {"alpha": [1.0, 1e6], "init_scale": [1.0]}
    result, lost = sweep("ApproxNDCG", small, small, settings, stop=FEW)
    assert result.problem == ""
    assert "gradient" in lost.problem
