"""The training loop: what it records, keeps and when it stops."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from rankcore import RSRank, load_dataset, training
from rankcore.training import Stop, drive, every, limited
from tests.stub_algorithm import Given, line

UP, FLAT, DOWN = (1.0,), (0.0,), (-1.0,)
# One query with labels 0, 1, 2 in row order: the reversed order is ideal.
PERFECT = 1.0
ROW_ORDER = (3 / math.log2(4) + 1 / math.log2(3)) / (3 + 1 / math.log2(3))


def run_all(run):
    return list(run)


def test_each_step_is_recorded_with_measures_of_both_splits():
    algorithm = Given(coefs=(DOWN, FLAT, UP), objectives=(3.0, 2.0, 1.0))
    run = drive(algorithm, line(), line((1, 0, 2)), measures=("nDCG@10", "AP"))
    records = run_all(run)
    assert [r.iteration for r in records] == [0, 1, 2]
    assert [r.nonzeros for r in records] == [1, 0, 1]
    assert [r.train["nDCG@10"] for r in records] == pytest.approx(
        [ROW_ORDER, ROW_ORDER, PERFECT]
    )
    assert records[2].valid == pytest.approx({"nDCG@10": 1.0, "AP": 1.0})
    assert run.reason == "The algorithm has converged: nothing is left to improve."
    assert algorithm.closed


def test_an_algorithm_may_say_why_it_ended():
    run = drive(
        Given(coefs=(DOWN, UP), objectives=(0, 0), why="The gap is below 0.001."),
        line(),
    )
    run_all(run)
    assert run.reason == "The gap is below 0.001."


def test_the_best_iterate_is_the_best_on_validation_never_the_start():
    algorithm = Given(coefs=(UP, DOWN, FLAT, UP, UP), objectives=(1,) * 5)
    run = drive(algorithm, line(), line((1, 0, 2)))
    assert next(run).iteration == 0
    assert run.best.iteration == 0
    next(run)
    assert run.best.iteration == 1
    run_all(run)
    assert run.best.iteration == 3  # the first of two equally good ones


def test_a_model_that_ties_sorted_documents_is_not_chosen():
    """Its reported value is that of the order of the rows, which is ideal."""
    train, valid = line((2, 1, 0)), line((2, 1, 0))
    algorithm = Given(coefs=(FLAT, FLAT, DOWN, UP, FLAT), objectives=(1,) * 5)
    run = drive(algorithm, train, valid)
    values = [record.valid["nDCG@10"] for record in run]
    assert values == pytest.approx([1.0, 1.0, ROW_ORDER, 1.0, 1.0])
    assert run.best.iteration == 3


def test_rounding_does_not_choose():
    objectives = (1.0, 0.1 + 0.2, 0.3)
    assert objectives[2] < objectives[1]
    run = drive(Given(coefs=(FLAT,) * 3, objectives=objectives), line())
    run_all(run)
    assert run.best.iteration == 1


@pytest.mark.parametrize(("maximises", "best"), [(False, 1), (True, 2)])
def test_without_validation_the_objective_chooses(monkeypatch, maximises, best):
    monkeypatch.setattr(Given, "maximises", maximises)
    run = drive(Given(coefs=(FLAT,) * 3, objectives=(2.0, 1.0, 3.0)), line())
    run_all(run)
    assert run.best.iteration == best


def test_the_loop_stops_at_the_iteration_limit():
    algorithm = Given(loop=True)
    run = drive(algorithm, line(), stop=Stop(max_iterations=5))
    assert len(run_all(run)) == 6
    assert run.reason == "Reached the limit of 5 iterations."
    assert algorithm.closed


def test_the_loop_stops_at_the_time_limit_which_measuring_does_not_use_up():
    run = drive(Given(loop=True, seconds=0.01), line(), stop=Stop(max_seconds=0.05))
    last = run_all(run)[-1]
    assert last.seconds >= 0.05
    assert "0.05 seconds" in run.reason


def test_the_loop_stops_when_validation_no_longer_improves():
    coefs = (DOWN, DOWN, UP, FLAT, FLAT, FLAT, FLAT)
    run = drive(
        Given(coefs=coefs, objectives=(0.0,) * 7),
        line(),
        line((1, 0, 2)),
        stop=Stop(patience=3),
    )
    assert run_all(run)[-1].iteration == 5
    assert run.best.iteration == 2
    assert run.reason == "Validation stopped improving at iteration 2."


def test_a_schedule_records_some_steps_and_always_the_last():
    steps = {"coefs": (FLAT,) * 8, "objectives": (0.0,) * 8}
    limited = drive(
        Given(**steps), line(), schedule=every(3), stop=Stop(max_iterations=5)
    )
    assert [r.iteration for r in limited] == [0, 3, 5]
    ended = drive(Given(**steps), line(), schedule=every(3))
    assert [r.iteration for r in ended] == [0, 3, 6, 7]


def test_a_diverging_run_keeps_what_it_had_and_says_so():
    algorithm = Given(coefs=(UP, UP, (np.inf,)), objectives=(2.0, 1.0, 0.5))
    run = drive(algorithm, line())
    assert [r.iteration for r in run] == [0, 1]
    assert run.reason.startswith(
        "The objective was no longer finite after 2 iterations"
    )
    assert run.best.iteration == 1


def test_the_seed_decides_everything_random():
    def draws(seed):
        run = drive(
            Given(coefs=(FLAT,) * 3, objectives=(0,) * 3, random_state=seed), line()
        )
        return [r.diagnostics["draw"] for r in run]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


def test_the_history_is_a_table():
    run = drive(Given(coefs=(DOWN, UP), objectives=(2.0, 1.0)), line(), line())
    run_all(run)
    frame = run.history.to_frame()
    assert list(frame.columns) == [
        "iteration",
        "seconds",
        "objective",
        "nonzeros",
        "train nDCG@10",
        "valid nDCG@10",
        "draw",
    ]
    assert frame["train nDCG@10"].tolist() == pytest.approx([ROW_ORDER, PERFECT])
    assert run.history.column("objective").tolist() == [2.0, 1.0]
    for name in frame.columns:
        assert run.history.column(name).tolist() == frame[name].tolist()
    assert np.isnan(run.history.column("gap")).all()


def test_a_run_without_records_has_no_best():
    with pytest.raises(ValueError, match="take at least one step"):
        _ = drive(Given(), line()).best


def test_splits_must_have_the_same_features():
    wide = line().from_arrays(np.ones((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="validation data has 3 features"):
        drive(Given(), line(), wide)


def test_hyperparameters_are_checked_before_training():
    with pytest.raises(ValueError, match="max_iter must be"):
        drive(Given(max_iter=0), line())


@pytest.fixture
def short_run():
    train = load_dataset("toy-2d").train
    return drive(RSRank(max_iter=20), train, stop=Stop(max_iterations=20), measures=())


def test_a_limited_run_takes_a_step_even_without_time(short_run):
    records = list(limited(short_run, 0.0))

    assert [record.iteration for record in records] == [0, 1]
    assert (records[0].coef != records[1].coef).any()
    assert list(short_run._steps) == []


def test_a_limited_run_takes_all_steps_where_there_is_time(short_run):
    assert len(list(limited(short_run, math.inf))) == 21


def test_the_time_of_a_limited_run_begins_after_the_first_step(short_run, monkeypatch):
    # The first step takes a minute, all others a second.
    times = iter([0.0, 60.0, *range(60, 100)])
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr(training, "time", clock)

    assert len(list(limited(short_run, 5.0))) == 8


def test_a_brief_training_ends_and_keeps_its_steps():
    train = load_dataset("toy-2d").train
    run = training.train_briefly(RSRank(), train, max_iterations=5, seconds=math.inf)

    whole = drive(RSRank(), train, stop=Stop(max_iterations=5), measures=())
    assert [r.objective for r in run.history.records] == [r.objective for r in whole]
    assert (run.best.coef == whole.best.coef).all()
    short = training.train_briefly(RSRank(), train, max_iterations=5, seconds=0.0)
    assert [record.iteration for record in short.history.records] == [0, 1]
