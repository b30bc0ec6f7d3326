"""The training loop: what it records, keeps and when it stops."""

import json
import math

import numpy as np
import pytest

from rankcore import ApproxNDCG, RankBoost, RSRank, load_dataset, measures, training
from rankcore.studies.models import model_to_json
from rankcore.training import Stop, changes, drive, every
from tests.stub_algorithm import Given, line

UP, FLAT, DOWN = (1.0,), (0.0,), (-1.0,)
# One query with labels 0, 1, 2 in row order: the reversed order is ideal.
PERFECT = 1.0
ROW_ORDER = (3 / math.log2(4) + 1 / math.log2(3)) / (3 + 1 / math.log2(3))
# Each document is at each rank equally often.
ANY_ORDER = (3 + 1) * (1 + 1 / math.log2(3) + 1 / 2) / 3 / (3 + 1 / math.log2(3))


def run_all(run):
    return list(run)


def test_each_step_is_recorded_with_measures_of_both_splits():
    algorithm = Given(coefs=(DOWN, FLAT, UP), objectives=(3.0, 2.0, 1.0))
    run = drive(algorithm, line(), line((1, 0, 2)), measures=("nDCG@10", "AP"))
    records = run_all(run)
    assert [r.iteration for r in records] == [0, 1, 2]
    assert [r.nonzeros for r in records] == [1, 0, 1]
    assert [r.train["nDCG@10"] for r in records] == pytest.approx(
        [ROW_ORDER, ANY_ORDER, PERFECT]
    )
    assert records[2].valid == pytest.approx({"nDCG@10": 1.0, "AP": 1.0})
    assert run.reason == "The algorithm has converged: no step is left to take."
    assert algorithm.closed


def test_an_algorithm_may_say_why_it_ended():
    run = drive(
        Given(coefs=(DOWN, UP), objectives=(0, 0), why="The gap is below 0.001."),
        line(),
    )
    run_all(run)
    assert run.reason == "The gap is below 0.001."


def test_scores_of_the_best_and_the_last_model_are_at_hand(monkeypatch):
    splits = load_dataset("planted")
    for valid, judged in ((splits.valid, splits.valid), (None, splits.train)):
        run = drive(RankBoost(max_iter=8), splits.train, valid, measures=("nDCG@10",))
        records = run_all(run)
        settings = {id(r): run.algorithm.scores(judged.X, r.coef) for r in records}
        with monkeypatch.context() as patch:
            patch.setattr(RankBoost, "scores", None)
            for record in (run.best, records[-1]):
                assert (run.scores(record) == settings[id(record)]).all()
        for record in records:
            assert (run.scores(record) == settings[id(record)]).all()


def test_the_best_iterate_is_the_best_on_validation_never_the_start():
    algorithm = Given(coefs=(UP, DOWN, FLAT, UP, UP), objectives=(1,) * 5)
    run = drive(algorithm, line(), line((1, 0, 2)))
    assert next(run).iteration == 0
    assert run.best.iteration == 0
    next(run)
    assert run.best.iteration == 1
    run_all(run)
    assert run.best.iteration == 3  # the first of two equally good ones


def test_a_model_that_ranks_nothing_is_not_chosen():
    """The order of the rows is ideal, but their order is not the model's."""
    train, valid = line((2, 1, 0)), line((2, 1, 0))
    algorithm = Given(coefs=(FLAT, FLAT, DOWN, UP, FLAT), objectives=(1,) * 5)
    run = drive(algorithm, train, valid)
    values = [record.valid["nDCG@10"] for record in run]
    assert values == pytest.approx([ANY_ORDER, ANY_ORDER, ROW_ORDER, 1.0, ANY_ORDER])
    assert run.best.iteration == 3


@pytest.mark.parametrize("convention", measures.CONVENTIONS)
@pytest.mark.parametrize("measured", [("nDCG@10",), ()])
def test_no_rule_chooses_a_model_that_ranks_nothing(convention, measured):
    """By validation, where the scripts of LETOR find it perfect, and by an objective
    that it has the best value of."""
    coefs, objectives = (UP, FLAT, DOWN, FLAT), (2.0, 0.0, 1.0, 0.0)
    for valid in (line((2, 1, 0)), None):
        run = drive(
            Given(coefs=coefs, objectives=objectives),
            line((2, 1, 0)),
            valid,
            measures=measured,
            rules=measures.Rules(convention),
        )
        assert [record.ranks for record in run] == [True, False, True, False]
        assert run.best.iteration == 2


def test_objectives_choose_the_zero_model_where_only_the_end_is_a_result():
    for last, best in ((0.0, 2), (1.0, 1)):
        objectives = 2.0, 1.0, last
        algorithm = Given(coefs=(FLAT, UP, FLAT), objectives=objectives)
        algorithm.anytime = False
        run = drive(algorithm, line())
        run_all(run)
        assert run.best.iteration == best


def test_a_model_that_ranks_nothing_is_the_best_where_no_later_one_ranks():
    run = drive(Given(coefs=(UP, FLAT), objectives=(1.0, 0.0)), line(), line())
    run_all(run)
    assert (run.best.iteration, run.best.ranks) == (1, False)


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
        "ranks",
        "train nDCG@10",
        "valid nDCG@10",
        "draw",
    ]
    assert frame["train nDCG@10"].tolist() == pytest.approx([ROW_ORDER, PERFECT])
    assert run.history.column("objective").tolist() == [2.0, 1.0]
    for name in frame.columns:
        assert run.history.column(name).tolist() == frame[name].tolist()
    assert np.isnan(run.history.column("gap")).all()


def test_the_history_says_which_models_rank():
    run = drive(Given(coefs=(FLAT, UP), objectives=(2.0, 1.0)), line(), line())
    run_all(run)
    frame = run.history.to_frame()
    assert frame["ranks"].tolist() == [False, True]
    assert frame["ranks"].dtype == bool


def test_columns_of_records_with_other_figures_have_gaps():
    first = training.Record(0, 0.0, 2.0, np.zeros(1), 0, train={"AP": 0.5})
    second = training.Record(1, 0.5, 1.0, np.ones(1), 1, diagnostics={"gap": 3.0})
    table = training.columns([first, second])
    assert list(table) == [*first.to_row(), "gap"]
    assert table["objective"] == [2.0, 1.0]
    np.testing.assert_array_equal(table["train AP"], [0.5, math.nan])
    np.testing.assert_array_equal(table["gap"], [math.nan, 3.0])
    assert training.History().to_frame().empty


def changed_run(**details):
    data = load_dataset("toy-2d").train
    algorithm = RSRank(learning_rate=1e-3, g=1.0, max_iter=6)
    return drive(algorithm, data, **details)


def test_a_change_is_in_the_history_the_table_and_the_model():
    run = changed_run(changes={4: {"learning_rate": "auto"}, 2: {"g": 5}})
    run_all(run)
    assert run.history.changes == [
        (2, "g", 1.0, 5.0),
        (4, "learning_rate", 1e-3, "auto"),
    ]
    assert run.changes == {2: {"g": 5.0}, 4: {"learning_rate": "auto"}}
    frame = run.history.to_frame()
    assert frame["g"].tolist() == [1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0]
    assert frame["learning_rate"].tolist() == [1e-3] * 5 + ["auto"] * 2
    assert (run.algorithm.g, run.algorithm.learning_rate) == (1.0, 1e-3)

    third = RSRank(learning_rate=1e-3, g=1.0).load_run(run, run.history[3])
    written = json.loads(model_to_json(third))
    assert written["hyperparameters"]["g"] == 1.0
    assert written["changes"] == [{"iteration": 2, "name": "g", "old": 1.0, "new": 5.0}]


def test_a_change_of_a_run_under_way_acts_from_the_next_iteration():
    run = changed_run(schedule=every(2))
    assert run.change(g=2.0) == 0
    next(run)
    next(run)
    assert run.change(g=5.0) == 2
    assert run.change(g=7.0, learning_rate=1e-4) == 2
    run_all(run)
    assert run.changes == {0: {"g": 2.0}, 2: {"g": 7.0, "learning_rate": 1e-4}}


def test_a_change_while_an_iteration_is_under_way_waits_for_its_end():
    run, result = changed_run(), []

    def during(iteration):
        if iteration == 3:
            result.append(run.change(g=9.0))
        return True

    run._schedule = during
    run_all(run)
    assert result == [3]
    assert run.history.changes == [(3, "g", 1.0, 9.0)]


def test_the_best_objective_is_that_of_the_present_hyperparameters():
    """A larger penalty makes every objective worse."""
    data = load_dataset("toy-2d").train
    algorithm = RSRank(learning_rate=1e-6, max_iter=6)
    changes = {3: {"g": 50.0}}
    run = drive(algorithm, data, start=np.ones(2), changes=changes)
    run_all(run)
    assert run.best.iteration == 6
    assert run.history[3].objective < run.best.objective


def test_the_best_by_validation_stays_the_best():
    data = load_dataset("planted")
    changes = {2: {"g": 10.0**6}}
    run = drive(
        RSRank(learning_rate=1e-3, max_iter=5), data.train, data.valid, changes=changes
    )
    run_all(run)
    assert run.history[-1].nonzeros == 0
    assert run.best.iteration <= 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({2: {"eta": 1}}, "RSRank has no 'eta' while it runs.*learning_rate"),
        ({2: {"init": "zeros"}}, "RSRank cannot change its init .*g, .*new run"),
        ({2: {"g": -1.0}}, "g must be a number of at least 0"),
        ({-1: {"g": 1.0}}, "whole number of at least 0, not -1"),
        ({1.5: {"g": 1.0}}, "whole number of at least 0, not 1.5"),
    ],
)
def test_a_change_that_is_not_possible_gets_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        changed_run(changes=changes)
    run = changed_run()
    if set(changes) == {2}:
        with pytest.raises(ValueError, match=sentence):
            run.change(**changes[2])


def test_what_does_not_matter_cannot_change():
    data = load_dataset("toy-2d").train
    with pytest.raises(ValueError, match="cannot change its learning_rate"):
        drive(ApproxNDCG(), data, changes={1: {"learning_rate": 0.1}})


def test_changes_are_written_as_they_are_read():
    text = "2:g=5.0;40:learning_rate=auto"
    parse = changes.parse(RSRank, " 40:learning-rate=auto; 2:g=5;")
    assert parse == {2: {"g": 5.0}, 40: {"learning_rate": "auto"}}
    assert ";".join(changes.texts(RSRank, parse)) == text
    assert changes.parse(RSRank, text) == parse
    assert changes.parse(RSRank, "") == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("g=5", "iteration, name and new value"),
        ("40:g", "iteration, name and new value"),
        ("x:g=5", "iteration, name and new value"),
        ("-3:g=5", "iteration, name and new value"),
        ("40:h=5", "RSRank has no 'h'"),
        ("40:g=much", "g must be a number"),
    ],
)
def test_a_text_that_is_no_change_gets_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        changes.parse(RSRank, text)


def test_a_run_without_records_has_no_best():
    with pytest.raises(ValueError, match="take at least one step"):
        _ = drive(Given(), line()).best


def test_a_reader_in_another_thread_finds_a_best_as_soon_as_there_is_a_record():
    algorithm = Given(coefs=(DOWN, FLAT, UP), objectives=(3.0, 2.0, 1.0))
    run, seen = drive(algorithm, line(), line((1, 0, 2))), []

    class Read(list):
        def append(self, record):
            super().append(record)
            seen.append(run.best.iteration)

    run.history.records = Read()
    run_all(run)
    assert seen == [0, 1, 2]


def test_splits_must_have_the_same_features():
    wide = line().from_arrays(np.ones((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="validation data has 3 features"):
        drive(Given(), line(), wide)


def test_hyperparameters_are_checked_before_training():
    with pytest.raises(ValueError, match="max_iter must be"):
        drive(Given(max_iter=0), line())


def test_a_brief_training_keeps_its_steps():
    train = load_dataset("toy-2d").train
    run = training.train_briefly(RSRank(), train, max_iterations=5)

    whole = drive(RSRank(), train, stop=Stop(max_iterations=5), measures=())
    assert [r.objective for r in run.history.records] == [r.objective for r in whole]
    assert (run.best.coef == whole.best.coef).all()


@pytest.mark.parametrize(("cost", "length"), [(1, 4), (2, 2), (64, 1)])
def test_a_brief_training_is_shorter_where_iterations_take_long(
    cost, length, monkeypatch
):
    train = load_dataset("toy-2d").train
    monkeypatch.setattr(training.run, "_BRIEF_VALUES", 4 * train.X.size + 1)
    monkeypatch.setattr(RSRank, "iteration_cost", cost)

    run = training.train_briefly(RSRank(), train, max_iterations=5)
    assert run.history[-1].iteration == length
